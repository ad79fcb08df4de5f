// Cuts a text that is still growing into blocks that can be drawn on their own, so that only the last one is
// drawn again. Put together they are the text, character for character. Never cut: inside a code fence, and
// where the next line may belong to what is above (a list, a quote, an indented part).

import { shellLimits } from "../../limits.ts";

// What follows backticks can't hold one: that would be code within a line.
const fence = /^ {0,3}(`{3,}(?![^\n]*`)|~{3,})/;
const continues = /^(?:\s|[>|]|[-*+](?:\s|$)|\d{1,9}[.)])/;

export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  let at = 0;
  let openFence: string | undefined;
  let wasBlank = false;
  while (at < text.length) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    if (wasBlank && openFence === undefined && line.trim() !== "" && !continues.test(line)) {
      blocks.push(text.slice(start, at));
      start = at;
    }
    openFence = fenceAfter(line, openFence);
    wasBlank = line.trim() === "";
    at = end;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}

/** The fence that is open after this line. It ends with one of the same sign, at least as long, and nothing behind it. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, marks] = fence.exec(line) ?? [];
  if (marks === undefined) return open;
  if (open === undefined) return marks;
  const isEnd = marks[0] === open[0] && marks.length >= open.length && line.trim() === marks;
  return isEnd ? undefined : open;
}

/** The code of a block that is nothing but a fence, which may not have ended yet; undefined for any other block. */
export function codeOf(block: string): { readonly language: string; readonly code: string } | undefined {
  const [, marks] = fence.exec(block) ?? [];
  if (marks === undefined) return undefined;
  const end = lineEnd(block, 0);
  const lines = block.slice(end).split("\n");
  const close = lines.findIndex((line) => fenceAfter(line, marks) === undefined);
  if (close >= 0 && lines.slice(close + 1).some((line) => line.trim() !== "")) return undefined;
  const [language = ""] = block.slice(0, end).trim().slice(marks.length).trim().split(/\s/, 1);
  return { language, code: (close < 0 ? lines : [...lines.slice(0, close), ""]).join("\n") };
}

const signs = /[*_`~[\]<>&!\\]/g;
const containers = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)))+/;
const container = />|[-+*]|\d+[.)]/g;

/** Whether the parser would take too long, or nest too deep: counted before it is parsed. Such a text is shown as it is. */
export function isTooHeavy(text: string): boolean {
  if (text.length > shellLimits.shellBlockChars || count(text, signs) > shellLimits.shellBlockSignEntries) return true;
  return text
    .split("\n")
    .some((line) => nestingOf(line) > shellLimits.shellNestingEntries || count(line, /\|/g) > shellLimits.shellColumnEntries);
}

const nestingOf = (line: string): number => count(containers.exec(line)?.[0] ?? "", container);

const count = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;
