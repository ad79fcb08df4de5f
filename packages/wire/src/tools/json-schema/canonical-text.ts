// One text for equal JSON values and another one for any two that differ, so that values can be compared by a set instead
// of one by one: members in the order of their names, numbers by their value.

import type { Check, Run } from "./checking.ts";

// A step is one keyword, and this is about as much text as takes as long.
const charsPerStep = 256;

export function* canonicalText(value: unknown, run: Run): Check<string> {
  if (run.isPauseDue()) yield undefined;
  if (!isComposite(value)) return canonicalScalar(value, run);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  for (const key of isList ? value.keys() : Object.keys(value).toSorted()) {
    const part = (value as Readonly<Record<string | number, unknown>>)[key];
    // Without a generator for each number and text, of which there are most.
    const text = isComposite(part) ? yield* canonicalText(part, run) : canonicalScalar(part, run);
    if (run.isPauseDue()) yield undefined;
    parts.push(isList ? text : `${JSON.stringify(key)}:${text}`);
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

const isComposite = (value: unknown): value is object => typeof value === "object" && value !== null;

// JSON has no -0 as a value of its own; what it can't hold at all is told apart by its name.
function canonicalScalar(value: unknown, run: Run): string {
  const text = typeof value === "number" ? String(value === 0 ? 0 : value) : (JSON.stringify(value) ?? String(value));
  run.spend(1 + text.length / charsPerStep);
  return text;
}

const texts = new WeakMap<object, ReadonlySet<string>>();

/** The texts of the values of an `enum`, made once. */
export function* canonicalSet(values: readonly unknown[], run: Run): Check<ReadonlySet<string>> {
  const known = texts.get(values);
  if (known) return known;
  const set = new Set<string>();
  for (const value of values) set.add(yield* canonicalText(value, run));
  texts.set(values, set);
  return set;
}
