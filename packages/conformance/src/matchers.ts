// The matchers: what a pattern may say instead of giving the value itself. `check-suite.ts` refuses any that isn't in this table.
// Several in one object must all hold: {"$type": "string", "$bind": "session"}.

import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@hawser/protocol/internal";
import { memberSource } from "@hawser/wire/internal";
import { excerptOf } from "./excerpt.ts";

export interface MatchContext {
  /** What `$bind` has kept in this scenario. */
  readonly bindings: Map<string, unknown>;
  /** The number of the innermost repetition. */
  readonly index: number;
  /** The message as it was written. */
  readonly text: string;
  /** Whether a value matches a pattern inside a matcher. */
  matches?(pattern: unknown, value: unknown): boolean;
  /** The first difference inside a matcher, or undefined. What an isolated pattern binds is forgotten after it. */
  mismatch?(pattern: unknown, value: unknown, path: readonly string[], isIsolated?: true): string | undefined;
}

/** What a verb or a matcher takes. */
export interface Parameter {
  /** What the argument must be, for the author of a suite. */
  readonly argument: string;
  accepts(argument: unknown): boolean;
  /** The patterns in the argument. */
  patterns?(argument: unknown): readonly unknown[];
}

interface Matcher extends Parameter {
  /** `value` is undefined where the message has no such member. Words instead of false say where inside the value it differs. */
  matches(argument: unknown, value: unknown, context: MatchContext, path: readonly string[]): boolean | string;
}

export const isTrue = (argument: unknown): boolean => argument === true;
export const isGiven = (argument: unknown): boolean => argument !== undefined;
export const isName = (argument: unknown): boolean => typeof argument === "string" && argument !== "";
export const itself = (argument: unknown): readonly unknown[] => [argument];

const typeNames = ["string", "number", "integer", "boolean", "null", "object", "array"];

export const matchers: Readonly<Record<string, Matcher>> = {
  $any: {
    argument: "true: any value, but there must be one",
    accepts: isTrue,
    matches: (_, value) => value !== undefined,
  },
  $absent: {
    argument: "true: there is no such member",
    accepts: isTrue,
    matches: (_, value) => value === undefined,
  },
  $type: {
    argument: `one of ${typeNames.join(", ")}`,
    accepts: (argument) => typeNames.includes(argument as string),
    matches: (argument, value) => (argument === "integer" ? Number.isSafeInteger(value) : typeName(value) === argument),
  },
  $regex: {
    argument: "a regular expression that is found in the string",
    accepts: (argument) => typeof argument === "string" && compiles(argument),
    matches: (argument, value) => typeof value === "string" && new RegExp(argument as string, "u").test(value),
  },
  $number: {
    argument: "an object with min, max or both, inclusive",
    accepts: isRange,
    matches: (argument, value) => typeof value === "number" && isWithin(value, argument as Bounds),
  },
  $length: {
    argument: "a number, or an object with min, max or both: the number of characters or elements",
    accepts: (argument) => Number.isSafeInteger(argument) || isRange(argument),
    matches: (argument, value) =>
      (typeof value === "string" || Array.isArray(value)) &&
      isWithin(value.length, typeof argument === "number" ? { min: argument, max: argument } : (argument as Bounds)),
  },
  $either: {
    argument: "an array of patterns, one of which matches",
    accepts: (argument) => Array.isArray(argument) && argument.length > 1,
    patterns: (argument) => argument as unknown[],
    matches: (argument, value, { matches }) => (argument as unknown[]).some((pattern) => matches?.(pattern, value)),
  },
  $some: {
    argument: "a pattern that an element of the array matches",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { matches }) => Array.isArray(value) && value.some((element) => matches?.(argument, element)),
  },
  $each: {
    argument: "a pattern that every element of the array matches",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { mismatch }, path) => {
      if (!Array.isArray(value)) return false;
      for (const [at, element] of value.entries()) {
        const words = mismatch?.(argument, element, [...path, String(at)], true);
        if (words !== undefined) return words;
      }
      return true;
    },
  },
  $distinct: {
    argument: "the name of a member that differs in all elements of the array",
    accepts: isName,
    matches: (argument, value) => Array.isArray(value) && areDistinct(value.map((element: unknown) => memberOf(element, argument))),
  },
  $optional: {
    argument: "a pattern for the member, if there is one",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { mismatch }, path) => value === undefined || (mismatch?.(argument, value, path) ?? true),
  },
  $nullable: {
    argument: "a pattern for the member, if there is one that isn't null",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { mismatch }, path) => value === undefined || value === null || (mismatch?.(argument, value, path) ?? true),
  },
  $not: {
    argument: "a pattern that the value doesn't match",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { matches }) => !matches?.(argument, value),
  },
  $cases: {
    argument: "an object with `by`, the name of a member, `of`, a pattern for each of its values, and perhaps `other`, one for the rest",
    accepts: areCases,
    patterns: (argument) => [...Object.values((argument as Cases).of), (argument as Cases).other],
    matches: (argument, value, { mismatch }, path) => {
      const { by, of, other } = argument as Cases;
      const kind = memberOf(value, by) as string;
      const isKnown = ["string", "number"].includes(typeof kind) && Object.hasOwn(of, kind);
      if (!isKnown && other !== undefined) return mismatch?.(other, value, path) ?? true;
      if (!isKnown) {
        const place = [...path, by].join(".");
        return `at ${place}: expected one of ${Object.keys(of).join(", ")}, got ${kind === undefined ? "no such member" : excerptOf(kind)}`;
      }
      return mismatch?.(of[kind], value, path) ?? true;
    },
  },
  $anywhere: {
    argument: "a regular expression that is found in a string of the value, however deep",
    accepts: (argument) => typeof argument === "string" && compiles(argument),
    matches: (argument, value) => new RegExp(argument as string, "u").test(textsIn(value).join("\n")),
  },
  $json: {
    argument: "a pattern for the value that the string holds as JSON",
    accepts: isGiven,
    patterns: itself,
    matches: (argument, value, { matches }) => matches?.(argument, typeof value === "string" ? parseIfJson(value) : undefined) ?? false,
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

const typeName = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const memberOf = (value: unknown, name: unknown): unknown =>
  isRecord(value) && Object.hasOwn(value, name as string) ? value[name as string] : undefined;

const areDistinct = (values: readonly unknown[]): boolean => new Set(values.map((value) => JSON.stringify(value))).size === values.length;

const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];

interface Cases {
  readonly by: string;
  readonly of: Readonly<Record<string, unknown>>;
  readonly other?: unknown;
}

function areCases(argument: unknown): boolean {
  if (!isRecord(argument)) return false;
  const { by, of, other: _, ...rest } = argument;
  return isName(by) && isRecord(of) && Object.keys(rest).length === 0;
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

/** Undefined, which only `$absent` matches, if the text isn't JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

const isWithin = (value: number, { min = -Infinity, max = Infinity }: Bounds): boolean => value >= min && value <= max;
