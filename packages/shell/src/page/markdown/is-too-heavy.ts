// Whether a text would take the Markdown parser too long, or nest too deep for it: told by counting, in one
// pass, before it is parsed. Such a text is shown as it is.

import { limits } from "@hawser/wire";

const signs = /[*_`~[\]<>&!\\]/g;
const containers = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)))+/;
const container = />|[-+*]|\d+[.)]/g;

export function isTooHeavy(text: string): boolean {
  if (text.length > limits.shellBlockChars || count(text, signs) > limits.shellBlockSignEntries) return true;
  return text.split("\n").some((line) => nestingOf(line) > limits.shellNestingEntries || count(line, /\|/g) > limits.shellColumnEntries);
}

const nestingOf = (line: string): number => count(containers.exec(line)?.[0] ?? "", container);

const count = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;
