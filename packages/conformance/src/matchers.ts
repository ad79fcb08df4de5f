// The matchers: what a pattern may say where it does not give the value itself. Each is one entry
// with its argument, its check and its words; `check-suite.ts` refuses whatever is not in this table.
// Several in one object must all hold: {"$type": "string", "$bind": "session"}.

import { isDeepStrictEqual } from "node:util";
import { memberSource } from "@hawser/wire/internal";

export interface MatchContext {
  /** What `$bind` has remembered in this scenario. */
  readonly bindings: Map<string, unknown>;
  /** The number of the innermost repetition. */
  readonly index: number;
  /** The message as it was written. */
  readonly text: string;
  /** Whether a value matches a pattern inside a matcher. */
  matches?(pattern: unknown, value: unknown): boolean;
}

interface Matcher {
  /** What the argument must be, for the author of a suite. */
  readonly argument: string;
  accepts(argument: unknown): boolean;
  /** The patterns in the argument. */
  patterns?(argument: unknown): readonly unknown[];
  /** `value` is undefined where the message has no such member. */
  matches(argument: unknown, value: unknown, context: MatchContext, path: readonly string[]): boolean;
}

const typeNames = ["string", "number", "boolean", "null", "object", "array"];

export const matchers: Readonly<Record<string, Matcher>> = {
  $any: {
    argument: "true: any value, but there must be one",
    accepts: (argument) => argument === true,
    matches: (_, value) => value !== undefined,
  },
  $absent: {
    argument: "true: there is no such member",
    accepts: (argument) => argument === true,
    matches: (_, value) => value === undefined,
  },
  $type: {
    argument: `one of ${typeNames.join(", ")}`,
    accepts: (argument) => typeNames.includes(argument as string),
    matches: (argument, value) => typeName(value) === argument,
  },
  $regex: {
    argument: "a regular expression that is found in the string",
    accepts: (argument) => typeof argument === "string" && compiles(argument),
    matches: (argument, value) => typeof value === "string" && new RegExp(argument as string, "u").test(value),
  },
  $number: {
    argument: "an object with min, max or both, inclusive",
    accepts: isRange,
    matches: (argument, value) => typeof value === "number" && isWithin(value, argument as { min?: number; max?: number }),
  },
  $length: {
    argument: "a number, or an object with min, max or both: the number of characters or elements",
    accepts: (argument) => Number.isSafeInteger(argument) || isRange(argument),
    matches: (argument, value) => (typeof value === "string" || Array.isArray(value)) && isLong(value.length, argument),
  },
  $either: {
    argument: "an array of patterns, one of which matches",
    accepts: (argument) => Array.isArray(argument) && argument.length > 1,
    patterns: (argument) => argument as unknown[],
    matches: (argument, value, { matches }) => (argument as unknown[]).some((pattern) => matches?.(pattern, value)),
  },
  $some: {
    argument: "a pattern that an element of the array matches",
    accepts: (argument) => argument !== undefined,
    patterns: (argument) => [argument],
    matches: (argument, value, { matches }) => Array.isArray(value) && value.some((element) => matches?.(argument, element)),
  },
  $json: {
    argument: "a pattern for the value that the string holds as JSON",
    accepts: (argument) => argument !== undefined,
    patterns: (argument) => [argument],
    matches: (argument, value, { matches }) => matches?.(argument, parseIfJson(value)) ?? false,
  },
  $equals: {
    argument: "the exact value: no further members, nothing in it is a matcher",
    accepts: () => true,
    matches: (argument, value) => isDeepStrictEqual(value, argument),
  },
  $bind: {
    argument: "a name under which the value is remembered",
    accepts: isName,
    matches: (argument, value, { bindings }) => value !== undefined && bindings.set(argument as string, value) !== undefined,
  },
  $same: {
    argument: "a name that an earlier pattern bound; the values are equal",
    accepts: isName,
    matches: (argument, value, { bindings }) =>
      bindings.has(argument as string) && isDeepStrictEqual(value, bindings.get(argument as string)),
  },
  $index: {
    argument: "true for the number of the repetition, or a prefix for a string that ends with it",
    accepts: (argument) => argument === true || typeof argument === "string",
    matches: (argument, value, { index }) => value === toIndexValue(argument, index),
  },
  $source: {
    argument: "the JSON text of a top-level member, to the letter",
    accepts: (argument) => typeof argument === "string",
    matches: (argument, _, { text }, path) => memberSource(text, path[0] ?? "") === argument,
  },
};

/** The value that `{"$index": argument}` stands for. */
export const toIndexValue = (argument: unknown, index: number): unknown => (argument === true ? index : `${String(argument)}${index}`);

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isName(argument: unknown): boolean {
  return typeof argument === "string" && argument !== "";
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

function isRange(argument: unknown): boolean {
  if (typeof argument !== "object" || argument === null) return false;
  const entries = Object.entries(argument);
  return entries.length > 0 && entries.every(([name, bound]) => (name === "min" || name === "max") && typeof bound === "number");
}

const isLong = (length: number, wanted: unknown): boolean =>
  typeof wanted === "number" ? length === wanted : isWithin(length, wanted as { min?: number; max?: number });

/** What the text holds; undefined, which only `$absent` matches, if it isn't JSON. */
function parseIfJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: { min?: number; max?: number }): boolean {
  return value >= min && value <= max;
}
