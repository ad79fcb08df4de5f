// One text for equal JSON values and another one for any two that differ, so that values can be compared by a set instead
// of one by one: members in the order of their names, numbers by their value.

import { LargeMap, type Check, type Run } from "./checking.ts";

// A step is one keyword. These take about as long: text that is written, text that is copied, names that are put in order.
const charsPerStep = 256;
const copiedPerStep = 4_096;
const sortedPerStep = 8;

// As many parts are joined, and as many names are sorted, in one go.
const partsAtOnce = 4_096;

export function* canonicalText(value: unknown, run: Run): Check<string> {
  if (run.spend(0)) yield undefined;
  if (!isComposite(value)) return canonicalScalar(value, run);
  const isList = Array.isArray(value);
  let written = "";
  let parts: string[] = [];
  for (const key of isList ? value.keys() : yield* sortedNames(value, run)) {
    const part = (value as Readonly<Record<string | number, unknown>>)[key];
    // Without a generator for each number and text, of which there are most.
    const text = isComposite(part) ? yield* canonicalText(part, run) : canonicalScalar(part, run);
    parts.push(isList ? text : `${JSON.stringify(key)}:${text}`);
    if (parts.length === partsAtOnce) {
      written += `${parts.join()},`;
      parts = [];
    }
    if (run.spend(0)) yield undefined;
  }
  const text = `${isList ? "[" : "{"}${written}${parts.join()}${isList ? "]" : "}"}`;
  if (run.spend(text.length / copiedPerStep)) yield undefined;
  return text;
}

const isComposite = (value: unknown): value is object => typeof value === "object" && value !== null;

// JSON has no -0; a value that JSON can't hold at all is told apart by its name.
function canonicalScalar(value: unknown, run: Run): string {
  const text = typeof value === "number" ? String(value === 0 ? 0 : value) : (JSON.stringify(value) ?? String(value));
  run.spend(1 + text.length / charsPerStep);
  return text;
}

/** The names of the members in order. Many of them are sorted piece by piece, and the pieces merged. */
function* sortedNames(value: object, run: Run): Check<readonly string[]> {
  const names = Object.keys(value);
  if (names.length <= partsAtOnce) {
    run.spend(names.length / sortedPerStep);
    return names.sort();
  }
  let sorted: (readonly string[])[] = [];
  for (let from = 0; from < names.length; from += partsAtOnce) {
    sorted.push(names.slice(from, from + partsAtOnce).sort());
    if (run.spend(partsAtOnce / sortedPerStep)) yield undefined;
  }
  while (sorted.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < sorted.length; at += 2) merged.push(yield* merge(sorted[at] ?? [], sorted[at + 1] ?? [], run));
    sorted = merged;
  }
  return sorted[0] ?? [];
}

function* merge(left: readonly string[], right: readonly string[], run: Run): Check<readonly string[]> {
  const merged: string[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    const a = left[l];
    const b = right[r];
    const isLeft = b === undefined || (a !== undefined && a < b);
    merged.push((isLeft ? a : b) as string);
    if (isLeft) l++;
    else r++;
    if (run.spend(1 / sortedPerStep)) yield undefined;
  }
  return merged;
}

const texts = new WeakMap<object, LargeMap<string, true>>();

/** The texts of the values of an `enum`, made once. */
export function* canonicalSet(values: readonly unknown[], run: Run): Check<LargeMap<string, true>> {
  const known = texts.get(values);
  if (known) return known;
  const set = new LargeMap<string, true>();
  for (const value of values) set.set(yield* canonicalText(value, run), true);
  texts.set(values, set);
  return set;
}
