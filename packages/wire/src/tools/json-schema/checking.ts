// What the keywords of JSON Schema share while a value is checked. Every keyword that goes deeper is a generator: it can
// stop anywhere to let other work go on, or to have a regular expression tried elsewhere, and is resumed with the answer.

import { toPointer } from "../../codec/json-numbers.ts";
import { HawserError } from "../../errors.ts";
import { limits } from "../../limits.ts";

export interface Problem {
  /** JSON pointer of the value; the whole value has an empty one. */
  readonly path: string;
  readonly reason: string;
}

/** A regular expression that may take long for this text, to be tried where it disturbs nobody. */
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

/** A value at its place, and what is collected about it. */
export interface Spot {
  readonly value: unknown;
  readonly place: Place | undefined;
  /** Where problems go; nowhere if only the verdict counts, and then the first one ends the check. */
  readonly problems: Finding[] | undefined;
  /** Members and items that some keyword has looked at, where `unevaluatedProperties` or `unevaluatedItems` will ask. */
  readonly seen: Set<string | number> | undefined;
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
  resolve(schema: SchemaObject, reference: string): unknown;
  resolveDynamic(schema: SchemaObject, reference: string, scope: Scope): unknown;
}

/** One check of one value. */
export interface Run {
  readonly references: References;
  evaluate(schema: unknown, spot: Spot): Check;
  /** Whether the text matches. */
  matches(pattern: string, text: string): Check;
  /** Counts work, in units of about one keyword; throws when it is too much for one check. */
  spend(steps: number): void;
  /** Whether it is time to let other work go on. */
  isPauseDue(): boolean;
}

export const maxProblems = 5;

/** Notes a problem; always false, as the verdict. */
export function fail({ problems, place }: Spot, reason: string): false {
  if (problems && problems.length < maxProblems) problems.push({ place, reason });
  return false;
}

/** Whether there is nothing more to learn from a value that does not fit. */
export const isToldEnough = ({ problems }: Spot): boolean => problems === undefined || problems.length >= maxProblems;

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

/** The arguments and the schema together are more than one check may take. */
export const tooMuchWork = (): HawserError =>
  new HawserError(
    "invalid_arguments",
    `checking the value takes more than ${limits.schemaCheckSteps} steps; give less, or simplify the schema`,
  );
