// What the keywords of JSON Schema share while a value is checked. Every keyword that goes deeper is a generator: it can
// stop anywhere to let other work go on, or to have a regular expression tried elsewhere, and is resumed with the answer.

import { toPointer } from "@hawser/wire/internal";
import { HawserError, quoteShort } from "@hawser/protocol/internal";

export interface Problem {
  /** JSON pointer of the value; the whole value has an empty one. */
  readonly path: string;
  readonly reason: string;
}

/** A regular expression that may take long for this text, to be tried in a thread. */
export interface PatternTest {
  readonly pattern: string;
  readonly text: string;
}

/** Yields `undefined` where other work may go on. The result is whether the value fits. */
export type Check<Result = boolean> = Generator<PatternTest | undefined, Result, boolean>;

export type SchemaObject = Readonly<Record<string, unknown>>;

/** Where a value stands in the whole one; a pointer is made of it only for a problem that is shown. */
export interface Place {
  readonly outer: Place | undefined;
  readonly key: string | number;
}

/** A problem before its place is written out. */
export interface Finding {
  readonly place: Place | undefined;
  readonly reason: string;
}

const maxEntries = 250_000;

/**
 * A map for any number of entries that never stops the process to grow. JavaScript moves all entries of a map in one go when it
 * doubles, which takes 100 ms for half a million of them. Here a full map stays as it is, and the next one begins.
 */
export class LargeMap<Key, Value> {
  readonly #maps = [new Map<Key, Value>()];

  get(key: Key): Value | undefined {
    for (const map of this.#maps) {
      const value = map.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(key: Key, value: Value): void {
    let map = this.#maps.find((one) => one.has(key)) ?? this.#maps.at(-1);
    if (map === undefined || (map.size >= maxEntries && !map.has(key))) this.#maps.push((map = new Map()));
    map.set(key, value);
  }

  *keys(): Generator<Key, void, void> {
    for (const map of this.#maps) yield* map.keys();
  }
}

export type Seen = LargeMap<string | number, true>;

/** A value at its place, and what is collected about it. */
export interface Spot {
  readonly value: unknown;
  readonly place: Place | undefined;
  /** Where problems go; nowhere if only the verdict counts, and then the first one ends the check. */
  readonly problems: Finding[] | undefined;
  /** Members and items that some keyword has looked at, where `unevaluatedProperties` or `unevaluatedItems` will ask. */
  readonly seen: Seen | undefined;
  readonly scope: Scope | undefined;
}

/** The documents that the check has come through, the innermost first: a `$dynamicRef` looks at them. */
export interface Scope {
  readonly base: string;
  readonly outer: Scope | undefined;
}

export interface References {
  /** The scope within this schema. */
  enter(schema: SchemaObject, scope: Scope | undefined): Scope;
  resolve(schema: SchemaObject, reference: string): Check<unknown>;
  resolveDynamic(schema: SchemaObject, reference: string, scope: Scope): Check<unknown>;
}

/** One check of one value. */
export interface Run {
  readonly references: References;
  evaluate(schema: unknown, spot: Spot): Check;
  /** Whether the text matches. */
  matches(pattern: string, text: string): Check;
  /** Counts work, in units of about one keyword, and says whether it is time to let other work go on; throws when it is too much for one check. */
  spend(steps: number): boolean;
}

export const maxProblems = 5;

/** Notes a problem; always false, as the verdict. */
export function fail({ problems, place }: Spot, reason: string): false {
  if (problems && problems.length < maxProblems) problems.push({ place, reason });
  return false;
}

// Adding a key takes about this part of the time of a keyword.
const stepsPerKey = 1 / 8;

/** Adds what was seen in one place to what was seen in another. */
export function* addSeen(from: Seen | undefined, to: Seen | undefined, run: Run): Check<void> {
  if (!from || !to) return;
  for (const key of from.keys()) {
    to.set(key, true);
    if (run.spend(stepsPerKey)) yield undefined;
  }
}

/** Whether there is nothing more to learn from a value that does not fit. */
export const isToldEnough = ({ problems }: Spot): boolean => problems === undefined || problems.length >= maxProblems;

/** Whether all are valid; after one that is not, the rest is checked only to find more problems. */
export function* checkEach<Item>(items: Iterable<Item>, spot: Spot, check: (item: Item) => Check): Check {
  let isValid = true;
  for (const item of items) {
    if (!(yield* check(item))) isValid = false;
    if (!isValid && isToldEnough(spot)) return false;
  }
  return isValid;
}

export const inner = (spot: Spot, key: string | number, value: unknown): Spot => ({
  value,
  place: { outer: spot.place, key },
  problems: spot.problems,
  seen: undefined,
  scope: spot.scope,
});

export function pointerOf(place: Place | undefined): string {
  const keys: (string | number)[] = [];
  for (let at = place; at; at = at.outer) keys.push(at.key);
  return toPointer(keys.toReversed());
}

/** A fault of the schema, not of the value. */
export const schemaFault = (message: string, cause?: unknown): HawserError => new HawserError("usage", message, { cause });

export const invalidPattern = (pattern: string, cause?: unknown): HawserError =>
  schemaFault(`the pattern ${quoteShort(pattern, 200)} is not a regular expression`, cause);
