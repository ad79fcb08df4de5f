// What the keywords of JSON Schema share while a value is checked. A keyword answers at once where it can. Where it is time to let
// other work go on, or a regular expression has to be tried elsewhere, it answers with a generator that does the rest.

import { toPointer } from "@hawser/wire/internal";
import { cutText, HawserError, quoteShort } from "@hawser/protocol/internal";

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

/** Whether the value fits, now or when the rest is done. */
export type Verdict = boolean | Check;

/** Whether the value fits as far as this keyword says; what is wrong is noted at the spot. */
export type Keyword = (schema: SchemaObject, spot: Spot, run: Run) => Verdict;

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
  readonly #first = new Map<Key, Value>();
  readonly #more: Map<Key, Value>[] = [];

  get(key: Key): Value | undefined {
    let value = this.#first.get(key);
    for (let at = 0; value === undefined && at < this.#more.length; at++) value = this.#more[at]?.get(key);
    return value;
  }

  set(key: Key, value: Value): void {
    let map = this.#more.length === 0 || this.#first.has(key) ? this.#first : (this.#more.find((one) => one.has(key)) ?? this.#more.at(-1));
    if (map === undefined || (map.size >= maxEntries && !map.has(key))) this.#more.push((map = new Map()));
    map.set(key, value);
  }

  *keys(): Generator<Key, void, void> {
    yield* this.#first.keys();
    for (const map of this.#more) yield* map.keys();
  }
}

/** Members and items that some keyword has looked at. */
export class Seen {
  readonly #keys = new LargeMap<string | number, true>();
  #isAll = false;

  get isAll(): boolean {
    return this.#isAll;
  }

  add(key: string | number): void {
    if (!this.#isAll) this.#keys.set(key, true);
  }

  addAll(): void {
    this.#isAll = true;
  }

  has(key: string | number): boolean {
    return this.#isAll || this.#keys.get(key) === true;
  }

  /** Adds what was seen elsewhere. */
  *addFrom(other: Seen, run: Run): Check<void> {
    if (other.isAll) this.#isAll = true;
    for (const key of this.#isAll ? [] : other.#keys.keys()) {
      this.#keys.set(key, true);
      if (run.spend(stepsPerKey)) yield undefined;
    }
  }
}

// Adding a key takes about this part of the time of a keyword.
const stepsPerKey = 1 / 8;

/** A value at its place, and what is collected about it. */
export interface Spot {
  readonly value: unknown;
  readonly place: Place | undefined;
  /** Where problems go; nowhere if only the verdict counts, and then the first one ends the check. */
  readonly problems: Finding[] | undefined;
  /** Members and items that some keyword has looked at, where `unevaluatedProperties` or `unevaluatedItems` will ask. */
  readonly seen: Seen | undefined;
  readonly scope: Scope;
}

/** The documents that the check has come through, the innermost first: a `$dynamicRef` looks at them. */
export interface Scope {
  readonly base: string;
  readonly outer: Scope | undefined;
}

/** A schema as the check uses it: its keywords are looked up once. */
export interface Prepared {
  readonly base: string;
  readonly keywords: readonly Keyword[];
  readonly asksForUnseen: boolean;
}

export interface References {
  readonly rootScope: Scope;
  prepared(schema: SchemaObject): Prepared;
  /** What the reference of this schema led to before; undefined if it was not followed yet. */
  known(schema: SchemaObject): unknown;
  resolve(schema: SchemaObject, reference: string): Check<unknown>;
  resolveDynamic(schema: SchemaObject, reference: string, scope: Scope): Check<unknown>;
  /** The names in a part of the schema that maps names to schemas; undefined for anything else. */
  namesOf(map: object): readonly string[] | undefined;
}

/** One check of one value. */
export interface Run {
  readonly references: References;
  evaluate(schema: unknown, spot: Spot): Verdict;
  /** Whether the text matches. */
  matches(pattern: string, text: string): Verdict;
  /** The names of the members. JavaScript lists them in one go, so that is done once per object. */
  namesOf(value: object): readonly string[];
  /** Counts work, in units of about one keyword, and says whether it is time to let other work go on; throws when it is too much for one check. */
  spend(steps: number): boolean;
}

export const maxProblems = 5;

/** Notes a problem; always false, as the verdict. */
export function fail({ problems, place }: Spot, reason: string): false {
  if (problems && problems.length < maxProblems) problems.push({ place, reason });
  return false;
}

/** Whether there is nothing more to learn from a value that does not fit. */
const isToldEnough = ({ problems }: Spot): boolean => problems === undefined || problems.length >= maxProblems;

/** Whether all of `count` parts are valid; after one that is not, the rest is checked only to find more problems. */
export function checkEach(count: number, spot: Spot, run: Run, check: (index: number) => Verdict): Verdict {
  let isValid = true;
  for (let at = 0; at < count; at++) {
    const verdict = run.spend(1) ? afterPause(() => check(at)) : check(at);
    if (typeof verdict !== "boolean") return checkRest({ count, spot, run, check }, at, verdict, isValid);
    if (!verdict) isValid = false;
    if (!isValid && isToldEnough(spot)) return false;
  }
  return isValid;
}

interface Walk {
  readonly count: number;
  readonly spot: Spot;
  readonly run: Run;
  check(index: number): Verdict;
}

/** The same from the first part whose verdict is not known at once. */
function* checkRest({ count, spot, run, check }: Walk, from: number, first: Check, wasValid: boolean): Check {
  let isValid = (yield* first) && wasValid;
  for (let at = from + 1; at < count && (isValid || !isToldEnough(spot)); at++) {
    if (run.spend(1)) yield undefined;
    const verdict = check(at);
    if (!(typeof verdict === "boolean" ? verdict : yield* verdict)) isValid = false;
  }
  return isValid;
}

export function* afterPause(check: () => Verdict): Check {
  yield undefined;
  const verdict = check();
  return typeof verdict === "boolean" ? verdict : yield* verdict;
}

/** What follows from a verdict, now or when it is known. */
export const follow = (verdict: Verdict, next: (isValid: boolean) => boolean): Verdict =>
  typeof verdict === "boolean" ? next(verdict) : followLater(verdict, next);

function* followLater(check: Check, next: (isValid: boolean) => boolean): Check {
  return next(yield* check);
}

export const inner = (spot: Spot, key: string | number, value: unknown): Spot => ({
  value,
  place: { outer: spot.place, key },
  problems: spot.problems,
  seen: undefined,
  scope: spot.scope,
});

/** A part of the schema or the value is shown in a reason with at most so many letters. */
export const maxShownChars = 300;

/** For people: a long name is cut. */
export function pointerOf(place: Place | undefined): string {
  const keys: (string | number)[] = [];
  for (let at = place; at; at = at.outer) keys.push(typeof at.key === "string" ? cutText(at.key, maxShownChars) : at.key);
  return toPointer(keys.toReversed());
}

/** A fault of the schema, not of the value. */
export const schemaFault = (message: string, cause?: unknown): HawserError => new HawserError("usage", message, { cause });

export const invalidPattern = (pattern: string, cause?: unknown): HawserError =>
  schemaFault(`the pattern ${quoteShort(pattern, 200)} is not a regular expression`, cause);
