// One text for equal JSON values and another one for any two that differ, so that values can be compared by a set instead
// of one by one: members in the order of their names, numbers by their value.

import { LargeMap, type Check, type Run, type Verdict } from "./checking.ts";

// A step is one keyword. These take about as long: text that is written, text that is copied, names that are put in order.
const charsPerStep = 256;
const copiedPerStep = 4_096;
const sortedPerStep = 8;

// As many parts are joined, and as many names are sorted, in one go.
const partsAtOnce = 4_096;

/** At once for a number or a text. */
export const canonicalText = (value: unknown, run: Run): string | Check<string> =>
  isComposite(value) ? writeComposite(value, run) : canonicalScalar(value, run);

function* writeComposite(value: object, run: Run): Check<string> {
  if (run.spend(0)) yield undefined;
  const isList = Array.isArray(value);
  let written = "";
  let parts: string[] = [];
  for (const key of isList ? value.keys() : yield* sortedNames(value, run)) {
    const part = (value as Readonly<Record<string | number, unknown>>)[key];
    const text = isComposite(part) ? yield* writeComposite(part, run) : canonicalScalar(part, run);
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
  const names = run.namesOf(value);
  if (names.length <= partsAtOnce) {
    run.spend(names.length / sortedPerStep);
    return names.toSorted();
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

/** Whether the value is one of these. Their texts are made once, and kept for the part of the schema that they belong to. */
export function isAmong(values: readonly unknown[], owner: object, value: unknown, run: Run): Verdict {
  const known = texts.get(owner);
  const text = canonicalText(value, run);
  return known && typeof text === "string" ? known.get(text) === true : isAmongTexts(values, owner, text, run);
}

function* isAmongTexts(values: readonly unknown[], owner: object, value: string | Check<string>, run: Run): Check {
  let known = texts.get(owner);
  if (!known) {
    known = new LargeMap();
    for (const one of values) {
      const text = canonicalText(one, run);
      known.set(typeof text === "string" ? text : yield* text, true);
      if (run.spend(0)) yield undefined;
    }
    texts.set(owner, known);
  }
  return known.get(typeof value === "string" ? value : yield* value) === true;
}
