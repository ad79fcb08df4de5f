// JSON text in, value out, and back, under the wire's rules:
//   reading  refuses text nested deeper than the limit before it is parsed, and escapes that
//            spell half of a surrogate pair (such a string can't be written as UTF-8 again);
//   writing  escapes U+2028 and U+2029, which some readers take for line ends, and replaces
//            half pairs by U+FFFD, since strict readers refuse the whole message over one.

import { describeThrown, HawserError } from "@hawser/protocol";
import { wireLimits } from "../limits.ts";
import type { Received } from "../transport/transport.ts";

// Walking through a parsed value is five times as fast as reading brackets. Only a text this long could stall the parser by its
// nesting, or be too heavy once it is parsed, and is looked through before.
const scanFromChars = 262_144;
// Below this length a message is small whatever it holds: it weighs its characters.
const weighFromChars = 4_096;

/** The value of a text, under the wire's rules. */
export const parseJsonText = (text: string): unknown => readMessage(text, 0).value;

/** One message, weighed by the same walk that looks for its depth. `mayHoldEscapes` is for a caller who has looked for `\\u` in a larger text that this is a part of. */
export function readMessage(text: string, position: number, mayHoldEscapes = text.includes("\\u")): Received {
  const maxDepth = wireLimits.maxReadDepth;
  const isLong = text.length >= scanFromChars;
  let members = isLong ? countMembers(text, maxDepth) : 0;
  if (members === undefined) throw tooDeep();
  if (text.length + members * wireLimits.memberChars > wireLimits.maxHeldBytes) throw tooHeavy();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (exceedsDepth(text, maxDepth)) throw tooDeep();
    throw new HawserError("invalid_json", "not valid JSON; send one complete JSON value per message", { cause });
  }
  if (!isLong && text.length > 2 * maxDepth && isObject(value)) members = membersOf(value, maxDepth);
  if (mayHoldEscapes && hasHalfPairEscape(text)) {
    throw new HawserError("invalid_utf8", "a string holds half of a surrogate pair; send well-formed Unicode");
  }
  if (text.length < weighFromChars) return { kind: "message", value, text, position };
  return { kind: "message", value, text, position, weight: text.length + members * wireLimits.memberChars };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The objects, arrays and named members in a parsed value; throws when it is too deep. */
function membersOf(value: object, levels: number): number {
  if (levels === 0) throw tooDeep();
  let members = 1;
  if (Array.isArray(value)) {
    for (const item of value) if (isObject(item)) members += membersOf(item, levels - 1);
    return members;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    members += isObject(member) ? 1 + membersOf(member, levels - 1) : 1;
  }
  return members;
}

/** What a message weighs while it waits: its characters, and a fixed cost for each object, array and named member. */
export const weighJsonText = (text: string): number => (text.length < weighFromChars ? text.length : text.length + weighMembers(text));

/** The second part of it, for a text of any length. */
export const weighMembers = (text: string): number => (countMembers(text, Infinity) ?? 0) * wireLimits.memberChars;

function tooHeavy(): HawserError {
  const { maxHeldBytes, memberChars } = wireLimits;
  const message = `too many objects, arrays and members in one message: with ${memberChars} bytes for each of them it has more than ${maxHeldBytes}; send less, or parts of it as text`;
  return new HawserError("too_large", message, { facts: { maxHeldBytes, memberChars } });
}

function tooDeep(): HawserError {
  const maxDepth = wireLimits.maxReadDepth;
  return new HawserError("too_deep", `JSON nested deeper than ${maxDepth} levels; flatten it or send it as a string`, {
    facts: { maxDepth },
  });
}

/** JSON text that is sent as it is: for what must be echoed to the letter, such as an id of 2^53. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function toJsonText(value: unknown, maxDepth: number = wireLimits.maxWriteDepth): string {
  let text: string | undefined;
  try {
    text = value instanceof JsonText ? value.text : JSON.stringify(value);
  } catch (cause) {
    throw new HawserError("not_serializable", `can't be written as JSON: ${describeThrown(cause)}`, { cause });
  }
  if (text === undefined) {
    throw new HawserError("not_serializable", `can't be written as JSON: a ${typeof value} has no JSON form`);
  }
  if (exceedsDepth(text, maxDepth)) {
    throw new HawserError("too_deep", `nested deeper than ${maxDepth} levels; send the deep part as its JSON text`, {
      facts: { maxDepth },
    });
  }
  return replaceHalfPairs(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** JSON text whose strings are well-formed: each half of a surrogate pair, which JSON spells as an escape, becomes U+FFFD. */
export function replaceHalfPairs(text: string): string {
  return hasHalfPairEscape(text) ? text.replace(escapes, (escape) => (isHalfPair(escape) ? "\\ufffd" : escape)) : text;
}

/** Whether brackets outside strings nest deeper than `maxDepth`. Says nothing about validity. */
export function exceedsDepth(text: string, maxDepth: number): boolean {
  // Depth n needs n brackets on each side, so most messages need no scan at all.
  if (text.length < 2 * (maxDepth + 1) || hasFewOpeners(text, maxDepth)) return false;
  return countMembers(text, maxDepth) === undefined;
}

/** The openers and colons outside strings: objects, arrays and named members. Undefined when it is nested deeper than `maxDepth`. */
function countMembers(text: string, maxDepth: number): number | undefined {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x3a) members++;
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > maxDepth) return undefined;
      members++;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    }
  }
  return members;
}

/** The most members that one object of the text has. */
export function widestObject(text: string): number {
  const open: number[] = [];
  let widest = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x3a) widest = Math.max(widest, (open[open.length - 1] = (open.at(-1) ?? 0) + 1));
    else if (unit === 0x7b || unit === 0x5b) open.push(0);
    else if (unit === 0x7d || unit === 0x5d) open.pop();
  }
  return widest;
}

// `indexOf` runs at memory speed: a long string is passed over, and a long text with few brackets settled, without a scan.

/** Where the string that begins at `from` ends, or the end of the text. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function hasFewOpeners(text: string, atMost: number): boolean {
  let count = 0;
  for (const opener of ["{", "["]) {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      if (++count > atMost) return false;
    }
  }
  return true;
}

// Every escape of valid JSON, a surrogate pair taken as one: what is left alone is half a pair.
const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\./g;
const isHalfPair = (escape: string): boolean => escape.length === 6 && /^\\u[dD][89a-fA-F]/.test(escape);

function hasHalfPairEscape(text: string): boolean {
  if (!text.includes("\\u") || (!text.includes("\\ud") && !text.includes("\\uD"))) return false;
  for (const [escape] of text.matchAll(escapes)) if (isHalfPair(escape)) return true;
  return false;
}
