// Numbers that JSON can write and JavaScript can't hold: `JSON.parse` makes 9007199254740992 of 9007199254740993, Infinity of
// 1e400 and 0 of 1e-400. Digits beyond the 17th behind the point don't count: every reader rounds them. What is only passed
// on keeps the number as it was written (`keepNumbers`); a function can't get it, and says so.

import { cutText } from "@hawser/protocol/internal";
import { endOfString } from "./json-text.ts";

export interface AlteredNumber {
  /** As a JSON pointer, within the value that was asked about; a long name is cut. */
  readonly pointer: string;
  /** As it was written. */
  readonly source: string;
}

type Key = string | number;

// Known to every Node and browser that we run in, and not yet to the compiler.
const { rawJSON, isRawJSON } = JSON as unknown as { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

/** A number that is written as its source says, see `keepNumbers`. */
export const isKeptNumber = (value: unknown): value is object => typeof value === "object" && isRawJSON(value);

/** An array or an object; a kept number is neither. */
export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null && !isRawJSON(value);

/** The first number below `under` that JavaScript has altered; `value` is what was parsed there, `text` the whole text. */
export function findAlteredNumber(value: unknown, text: string, under: readonly string[] = []): AlteredNumber | undefined {
  if (!isSuspicious(value) || !oddNumber.test(text)) return undefined;
  const search = searchAlteredNumber(text, under);
  for (;;) {
    const { value: found, done } = search.next();
    if (done) return found;
  }
}

/** The same for a long text, in steps of less than a millisecond: other work can have its turn after each. */
export function* searchAlteredNumber(text: string, under: readonly string[] = []): Generator<undefined, AlteredNumber | undefined> {
  for (const found of numbersIn(text, under, isAltered)) {
    if (found) return { pointer: toPointer(found.path.map(toShown)), source: found.source };
    yield;
  }
  return undefined;
}

const maxNameChars = 300;
const toShown = (key: Key): Key => (typeof key === "string" ? cutText(key, maxNameChars) : key);

/**
 * The value, in which every altered number is replaced by one that `JSON.stringify` writes as it was. So is `-0`, which
 * JavaScript holds, but writes as `0`. Done in place, but for a value that is itself a number. For what is passed on;
 * nothing can be calculated with them.
 */
export function keepNumbers(value: unknown, text: string, under: readonly string[] = []): unknown {
  if (!isSuspicious(value) || !oddNumber.test(text)) return value;
  let kept = value;
  for (const found of numbersIn(text, under, (written) => isNegativeZero(written) || isAltered(written))) {
    if (!found) continue;
    const { path, source } = found;
    const last = path.at(-1);
    if (last === undefined) kept = rawJSON(source);
    else {
      const parent = path.slice(0, -1).reduce((at, key) => (at as Record<Key, unknown>)[key], value) as Record<Key, unknown> | undefined;
      // Of several members of one name only the last one is there.
      if (Object.is(parent?.[last], Number(source))) (parent as Record<Key, unknown>)[last] = rawJSON(source);
    }
  }
  return kept;
}

/** What to tell the sender of the number. */
export function describeAltered(source: string): string {
  const became = Number(source);
  const shown = cutText(source, 40);
  if (!Number.isFinite(became)) return `${shown} is too large for a JavaScript number; send it as a string`;
  return `${shown} would become ${became} as a JavaScript number; send it as a string`;
}

/** A number that is altered, or written otherwise, is long, has an exponent or is `-0`; that a plain 0 came needs no second look. */
const oddNumber = /-0|\d[eE]|[\d.]{15}/;

/** Whole numbers below this are exact; and what is not 0 has not become 0. */
const firstInexact = 2 ** 53;

function isSuspicious(value: unknown): boolean {
  if (typeof value === "number") return value === 0 || !(Math.abs(value) < firstInexact);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isSuspicious);
  for (const key in value) if (isSuspicious((value as Record<string, unknown>)[key])) return true;
  return false;
}

// Without an exponent, what is shorter than this is exact: most numbers need no second look.
const firstLongChars = 16;
// With the letter before it.
const firstLongExponent = 4;
const exponent = /[eE]/;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
/** A digit, or one of `.+-eE`. */
const isOfNumber = (unit: number): boolean => isDigit(unit) || unit === 0x2e || unit === 0x2b || unit === 0x2d || (unit | 0x20) === 0x65;

/** A step ends after so many characters outside of strings; a number that has to be looked at counts as many more. */
const stepChars = 65_536;
const looksAs = 256;

/** The numbers that match, and undefined at the end of each step. One look at each character outside of strings; the text is known to be valid JSON. */
function* numbersIn(
  text: string,
  under: readonly string[],
  matches: (source: string) => boolean,
): Generator<{ path: Key[]; source: string } | undefined> {
  const path: Key[] = [];
  let isKey = false;
  let left = stepChars;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (--left < 0) {
      left = stepChars;
      yield undefined;
    }
    if (unit === 0x22) {
      const end = endOfString(text, at);
      if (isKey) path[path.length - 1] = toName(text.slice(at, end + 1));
      isKey = false;
      at = end;
    } else if (unit === 0x7b || unit === 0x5b) {
      isKey = unit === 0x7b;
      path.push(isKey ? "" : 0);
    } else if (unit === 0x7d || unit === 0x5d) {
      isKey = false;
      path.pop();
    } else if (unit === 0x2c) {
      const last = path.at(-1);
      isKey = typeof last === "string";
      if (typeof last === "number") path[path.length - 1] = last + 1;
    } else if (unit === 0x2d || isDigit(unit)) {
      let end = at + 1;
      let exponentAt = Infinity;
      for (let next = text.charCodeAt(end); isOfNumber(next); next = text.charCodeAt(++end)) if ((next | 0x20) === 0x65) exponentAt = end;
      const start = at;
      at = end - 1;
      left -= end - start;
      // Few digits, and an exponent of at most two: most numbers, of which a message can hold millions.
      const isPlain = end - start < firstLongChars && end - exponentAt < firstLongExponent;
      if (isPlain && !(unit === 0x2d && text.charCodeAt(start + 1) === 0x30)) continue;
      left -= looksAs;
      const source = text.slice(start, end);
      if (under.every((key, depth) => path[depth] === key) && matches(source)) yield { path: path.slice(under.length), source };
    }
  }
}

const toName = (source: string): string => (source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1));

export const toPointer = (path: readonly Key[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const isNegativeZero = (source: string): boolean => source.startsWith("-0") && Number(source) === 0;

function isAltered(source: string): boolean {
  if (source.length < firstLongChars && !exponent.test(source)) return false;
  const value = Number(source);
  if (!Number.isFinite(value)) return true;
  if (value !== 0 && Math.abs(value) < firstInexact) return false;
  // Up to fifteen digits survive in any case, and most whole numbers are written as JavaScript writes them. Millions of either fit into a message.
  const end = source.search(exponent);
  const digits = end < 0 ? source.length : end;
  if (value === 0 ? !/[1-9]/.test(source.slice(0, digits)) : digits < firstLongChars || String(value) === source) return false;
  const written = toDecimal(source);
  if (value === 0) return written.digits !== "";
  const kept = toDecimal(String(value));
  return written.exponent >= 0 && (written.digits !== kept.digits || written.exponent !== kept.exponent);
}

/** The number as `digits` times ten to the power of `exponent`, with no zero at either end of the digits. */
function toDecimal(source: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = source.replace(/^-/, "").split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === "0") start++;
  while (end > start && all[end - 1] === "0") end--;
  return { digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + all.length - end };
}
