// Compares a message with a pattern and says where they differ, in words that fit on a line.
// Also fills in the few places of a sent value that are known only while a scenario runs.

import { excerptOf } from "./excerpt.ts";
import { matchers, toIndexValue, type MatchContext } from "./matchers.ts";

/** Undefined if the value matches, else the first difference. What the pattern binds is kept only on a match. */
export function findMismatch(pattern: unknown, value: unknown, context: MatchContext, path: readonly string[] = []): string | undefined {
  const bindings = new Map(context.bindings);
  const mismatch = compare(pattern, value, { ...context, bindings }, path);
  if (mismatch === undefined) for (const [name, bound] of bindings) context.bindings.set(name, bound);
  return mismatch;
}

/** Whether this object speaks about a value instead of being one. */
export const isMatcherObject = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).some((key) => key.startsWith("$"));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function compare(pattern: unknown, value: unknown, context: MatchContext, path: readonly string[]): string | undefined {
  if (isMatcherObject(pattern)) return compareMatchers(pattern, value, context, path);
  if (Array.isArray(pattern)) return compareArrays(pattern, value, context, path);
  if (isObject(pattern)) return compareObjects(pattern, value, context, path);
  return pattern === value ? undefined : difference(path, excerptOf(pattern), value);
}

function compareMatchers(
  pattern: Record<string, unknown>,
  value: unknown,
  context: MatchContext,
  path: readonly string[],
): string | undefined {
  const matches = (inner: unknown, part: unknown): boolean => findMismatch(inner, part, context, path) === undefined;
  for (const [name, argument] of Object.entries(pattern)) {
    if (!matchers[name]?.matches(argument, value, { ...context, matches }, path))
      return difference(path, excerptOf({ [name]: argument }), value);
  }
  return undefined;
}

function compareArrays(pattern: readonly unknown[], value: unknown, context: MatchContext, path: readonly string[]): string | undefined {
  if (!Array.isArray(value)) return difference(path, "an array", value);
  if (value.length !== pattern.length) return difference(path, `${pattern.length} elements`, value);
  for (const [position, element] of pattern.entries()) {
    const mismatch = compare(element, value[position], context, [...path, String(position)]);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function compareObjects(
  pattern: Record<string, unknown>,
  value: unknown,
  context: MatchContext,
  path: readonly string[],
): string | undefined {
  if (!isObject(value)) return difference(path, "an object", value);
  for (const [name, member] of Object.entries(pattern)) {
    const mismatch = compare(member, Object.hasOwn(value, name) ? value[name] : undefined, context, [...path, name]);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function difference(path: readonly string[], expected: string, value: unknown): string {
  const place = path.length > 0 ? `at ${path.join(".")}: ` : "";
  return `${place}expected ${expected}, got ${value === undefined ? "no such member" : excerptOf(value)}`;
}

/** The value with `$same` and `$index` replaced; everything else, and a name that is not bound, as it is. */
export function fillIn(value: unknown, context: Pick<MatchContext, "bindings" | "index">): unknown {
  if (Array.isArray(value)) return value.map((element) => fillIn(element, context));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name === "$index") return toIndexValue(argument, context.index);
  if (entries.length === 1 && name === "$same" && context.bindings.has(argument as string)) return context.bindings.get(argument as string);
  return Object.fromEntries(entries.map(([key, member]) => [key, fillIn(member, context)]));
}
