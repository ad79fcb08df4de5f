// Compares a message with a pattern and says where they differ, on one line. Also fills in the parts of a sent value that are known only
// while a scenario runs.

import { isRecord } from "@hawser/protocol/internal";
import { excerptOf } from "./excerpt.ts";
import { matchers, toIndexValue, type MatchContext } from "./matchers.ts";

/** Undefined if the value matches, else the first difference. What the pattern binds is kept only on a match. */
export function findMismatch(pattern: unknown, value: unknown, context: MatchContext, path: readonly string[] = []): string | undefined {
  const bindings = new Map(context.bindings);
  const mismatch = compare(pattern, value, { ...context, bindings }, path);
  if (mismatch === undefined) for (const [name, bound] of bindings) context.bindings.set(name, bound);
  return mismatch;
}

/** Whether this object describes a value instead of being one. */
export const isMatcherObject = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.keys(value).some((key) => key.startsWith("$"));

function compare(pattern: unknown, value: unknown, context: MatchContext, path: readonly string[]): string | undefined {
  if (isMatcherObject(pattern)) return compareMatchers(pattern, value, context, path);
  if (typeof pattern !== "object" || pattern === null) return pattern === value ? undefined : difference(path, excerptOf(pattern), value);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return difference(path, "an array", value);
    if (value.length !== pattern.length) return difference(path, `${pattern.length} elements`, value);
  } else if (!isRecord(value)) return difference(path, "an object", value);
  for (const [name, member] of Object.entries(pattern)) {
    const part = Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
    const mismatch = compare(member, part, context, [...path, name]);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function compareMatchers(
  pattern: Record<string, unknown>,
  value: unknown,
  context: MatchContext,
  path: readonly string[],
): string | undefined {
  const matches = (inner: unknown, part: unknown): boolean => findMismatch(inner, part, context, path) === undefined;
  const mismatch: MatchContext["mismatch"] = (inner, part, place, isIsolated) =>
    findMismatch(inner, part, isIsolated ? { ...context, bindings: new Map(context.bindings) } : context, place);
  for (const [name, argument] of Object.entries(pattern)) {
    const verdict = matchers[name]?.matches(argument, value, { ...context, matches, mismatch }, path) ?? false;
    if (typeof verdict === "string") return verdict;
    if (!verdict) return difference(path, excerptOf({ [name]: argument }), value);
  }
  return undefined;
}

function difference(path: readonly string[], expected: string, value: unknown): string {
  const place = path.length > 0 ? `at ${path.join(".")}: ` : "";
  return `${place}expected ${expected}, got ${value === undefined ? "no such member" : excerptOf(value)}`;
}

/** The value with `$same` and `$index` replaced; the rest, and an unbound name, stays as it is. */
export function fillIn(value: unknown, context: Pick<MatchContext, "bindings" | "index">): unknown {
  if (Array.isArray(value)) return value.map((element) => fillIn(element, context));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name === "$index") return toIndexValue(argument, context.index);
  if (entries.length === 1 && name === "$same" && context.bindings.has(argument as string)) return context.bindings.get(argument as string);
  return Object.fromEntries(entries.map(([key, member]) => [key, fillIn(member, context)]));
}
