// How much a document may hold, looked at before it is parsed and again once its aliases are known. Bytes
// alone say little: a short value costs a hundred times its text in memory, and an alias stands for a
// whole value wherever it is repeated.

import { limits } from "@hawser/wire";

const [lineFeed, blank, comma, dash, question, openBracket, backslash, openBrace] = [0x0a, 0x20, 0x2c, 0x2d, 0x3f, 0x5b, 0x5c, 0x7b];

/** Why the text is too much for its parser. Every value needs one of the marks that are counted; prose has a few too. */
export function whyTooMuchText(text: string, notation: "JSON" | "YAML"): string | undefined {
  const isYaml = notation === "YAML";
  const limit = isYaml ? "maxDocumentYamlMembers" : "maxDocumentJsonMembers";
  const most = limits[limit];
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === comma || unit === openBracket || unit === openBrace || (isYaml && isYamlMark(unit, text, at))) marks++;
    if (marks > most) return `it has more than ${most} values (${limit})`;
  }
  return undefined;
}

function isYamlMark(unit: number, text: string, at: number): boolean {
  if (unit === lineFeed || unit === backslash) return true;
  return (unit === dash || unit === question) && text.charCodeAt(at + 1) === blank;
}

/** Why a YAML document is too much once every alias is written out; an alias may stand for the value that it is in. */
export function whyTooMuchContent(root: unknown): string | undefined {
  const { maxDocumentMembers, maxDocumentDepth, maxDocumentBytes } = limits;
  let members = 0;
  let chars = 0;
  function visit(value: unknown, depth: number): string | undefined {
    if (typeof value === "string") chars += value.length;
    if (chars > maxDocumentBytes) return `its aliases stand for more than ${maxDocumentBytes} bytes (maxDocumentBytes)`;
    if (typeof value !== "object" || value === null) return undefined;
    if (depth > maxDocumentDepth) return tooDeep;
    if (!Array.isArray(value)) for (const key in value) chars += key.length;
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      if (++members > maxDocumentMembers) return `its aliases stand for more than ${maxDocumentMembers} values (maxDocumentMembers)`;
      const problem = visit(item, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return visit(root, 1);
}

export const tooDeep = `it is nested deeper than ${limits.maxDocumentDepth} levels (maxDocumentDepth)`;
