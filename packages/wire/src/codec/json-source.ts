// Finds the source text of one member of a JSON object, also in a text that is broken or cut off further on: an id is echoed as it
// was written, not as it was parsed. What it returns is always JSON in itself, whatever surrounds it.

import { endOfString as closingQuote, JsonText, parseJsonText } from "./json-text.ts";

/**
 * The source of member `key` at the top level of `text`, or undefined. In a whole text the last of
 * several wins, as in JSON.parse; in a broken one, what could be read before the break.
 */
export function memberSource(text: string, key: string): string | undefined {
  let found: string | undefined;
  let at = skipBlank(text, 0);
  if (text[at] !== "{") return undefined;
  at = skipBlank(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    if (nameEnd === undefined) return found;
    const name = text.slice(at, nameEnd);
    at = skipBlank(text, nameEnd);
    if (text[at] !== ":") return found;
    at = skipBlank(text, at + 1);
    const valueEnd = endOfValue(text, at);
    if (valueEnd === undefined) return found;
    if (isName(name, key) && isJson(text.slice(at, valueEnd))) found = text.slice(at, valueEnd);
    at = skipBlank(text, valueEnd);
    if (text[at] !== ",") return found;
    at = skipBlank(text, at + 1);
  }
  return found;
}

/** One JSON object: the member `id` as its source says, then the members of `rest`. */
export function withIdSource(idSource: string | undefined, rest: object): unknown {
  if (idSource === undefined) return rest;
  const members = JSON.stringify(rest).slice(1);
  return new JsonText(`{"id":${idSource}${members === "}" ? "" : ","}${members}`);
}

function isName(source: string, key: string): boolean {
  if (!source.includes("\\")) return source.slice(1, -1) === key;
  try {
    return JSON.parse(source) === key;
  } catch {
    return false;
  }
}

// Finding an end is not proof: `"\x"` has one, and so has `{a:b}`. Most ids need no parsing to tell.
function isJson(source: string): boolean {
  const isScalar = !/^["{[]/.test(source);
  if (isScalar || (source[0] === '"' && !/[\\\p{Cc}]/u.test(source))) return true;
  try {
    parseJsonText(source);
    return true;
  } catch {
    return false;
  }
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t" || text[at] === "\n" || text[at] === "\r") at++;
  return at;
}

function endOfString(text: string, from: number): number | undefined {
  const quote = closingQuote(text, from);
  return quote < text.length ? quote + 1 : undefined;
}

const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,}\]])/y;

function endOfValue(text: string, from: number): number | undefined {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") {
    scalar.lastIndex = from;
    return scalar.test(text) ? scalar.lastIndex : undefined;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (unit === "{" || unit === "[") {
      depth++;
    } else if ((unit === "}" || unit === "]") && --depth === 0) {
      return at + 1;
    }
  }
  return undefined;
}
