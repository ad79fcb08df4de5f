// The keywords that look at one value alone, each a function that says what is wrong. A keyword whose value makes no sense
// (`"minimum": "three"`) asserts nothing.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { maxShownChars, type Run } from "./checking.ts";

/** The reason why the value does not fit; undefined if it does. */
export type SimpleKeyword = (value: unknown, argument: unknown, run: Run) => string | undefined;

/** A part of the schema as it is shown in a reason. Only what can be in the shown part of its text is written. */
export function show(argument: unknown): string {
  let count = 0;
  const text = JSON.stringify(argument, (_key, value: unknown) => {
    if (++count > maxShownChars) return null;
    if (typeof value === "string") return cutText(value, maxShownChars);
    if (Array.isArray(value)) return value.slice(0, maxShownChars);
    return isRecord(value)
      ? Object.fromEntries(
          Object.keys(value)
            .slice(0, maxShownChars)
            .map((name) => [name, value[name]]),
        )
      : value;
  });
  return cutText(text, maxShownChars);
}

/** A step is one keyword, and looking at this many letters, names or types takes about as long. */
const countedPerStep = 64;

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

function checkType(value: unknown, argument: unknown, run: Run): string | undefined {
  const types: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  run.spend(types.length / countedPerStep);
  const type = typeOf(value);
  if (types.includes(type) || (Number.isInteger(value) && types.includes("integer"))) return undefined;
  return `Instance type "${type}" is invalid. Expected "${cutText(types.slice(0, maxShownChars).join('", "'), maxShownChars)}".`;
}

const aboutNumbers =
  (isBroken: (value: number, bound: number) => boolean, words: string): SimpleKeyword =>
  (value, bound) =>
    typeof value === "number" && typeof bound === "number" && isBroken(value, bound) ? `${value} is ${words} ${bound}.` : undefined;

/** A number as digits and a power of ten, exactly as it is written. */
function toDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [coefficient = "", exponent = "0"] = String(value).split("e");
  const fraction = coefficient.split(".")[1] ?? "";
  return [BigInt(coefficient.replace(".", "")), Number(exponent) - fraction.length];
}

function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const least = Math.min(exponent, divisorExponent);
  return (digits * 10n ** BigInt(exponent - least)) % (divisorDigits * 10n ** BigInt(divisorExponent - least)) === 0n;
}

type Size = (value: unknown, bound: number, run: Run) => number | undefined;

/** In letters as Unicode counts them: a pair of UTF-16 units is one. They are counted only where that can matter. */
function letterCount(value: unknown, bound: number, run: Run): number | undefined {
  if (typeof value !== "string") return undefined;
  let count = value.length;
  if (count < bound || count > 2 * bound) return count;
  run.spend(value.length / countedPerStep);
  for (let at = 1; at < value.length; at++) if (isSecondHalf(value.charCodeAt(at)) && isFirstHalf(value.charCodeAt(at - 1))) count--;
  return count;
}
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
const itemCount: Size = (value) => (Array.isArray(value) ? value.length : undefined);
const memberCount: Size = (value, _bound, run) => (isRecord(value) ? run.namesOf(value).length : undefined);

const aboutSize =
  (sizeOf: Size, isLeast: boolean, words: string): SimpleKeyword =>
  (value, bound, run) => {
    const size = typeof bound === "number" ? sizeOf(value, bound, run) : undefined;
    if (size === undefined || (isLeast ? size >= (bound as number) : size <= (bound as number))) return undefined;
    return `${words} (${size} ${isLeast ? "<" : ">"} ${String(bound)}).`;
  };

export const simpleKeywords: ReadonlyMap<string, SimpleKeyword> = new Map([
  ["type", checkType],
  ["minimum", aboutNumbers((value, bound) => value < bound, "less than")],
  ["maximum", aboutNumbers((value, bound) => value > bound, "greater than")],
  ["exclusiveMinimum", aboutNumbers((value, bound) => value <= bound, "less than or equal to")],
  ["exclusiveMaximum", aboutNumbers((value, bound) => value >= bound, "greater than or equal to")],
  ["multipleOf", aboutNumbers((value, divisor) => divisor > 0 && !isMultiple(value, divisor), "not a multiple of")],
  ["minLength", aboutSize(letterCount, true, "String is too short")],
  ["maxLength", aboutSize(letterCount, false, "String is too long")],
  ["minItems", aboutSize(itemCount, true, "Array has too few items")],
  ["maxItems", aboutSize(itemCount, false, "Array has too many items")],
  ["minProperties", aboutSize(memberCount, true, "Object has too few properties")],
  ["maxProperties", aboutSize(memberCount, false, "Object has too many properties")],
] satisfies [string, SimpleKeyword][]);
