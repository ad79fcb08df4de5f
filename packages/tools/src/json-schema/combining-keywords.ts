// The keywords that apply other schemas to the same value, and those that compare it as a whole.

import { isRecord } from "@hawser/protocol/internal";
import { isAmong } from "./canonical-text.ts";
import {
  afterPause,
  checkEach,
  fail,
  follow,
  maxProblems,
  schemaFault,
  Seen,
  type Check,
  type Finding,
  type Keyword,
  type Run,
  type SchemaObject,
  type Spot,
  type Verdict,
} from "./checking.ts";
import { requireNames } from "./content-keywords.ts";
import { formats } from "./formats.ts";
import { show } from "./simple-keywords.ts";

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function followReference(schema: SchemaObject, spot: Spot, run: Run): Verdict {
  const { $ref } = schema;
  if (typeof $ref !== "string") return true;
  const known = run.references.known(schema);
  return known === undefined ? followFirst(schema, $ref, spot, run) : run.evaluate(known, spot);
}

function* followFirst(schema: SchemaObject, $ref: string, spot: Spot, run: Run): Check {
  const verdict = run.evaluate(yield* run.references.resolve(schema, $ref), spot);
  return typeof verdict === "boolean" ? verdict : yield* verdict;
}

function* followDynamicReference(schema: SchemaObject, spot: Spot, run: Run): Check {
  const { $dynamicRef } = schema;
  if (typeof $dynamicRef !== "string") return true;
  const verdict = run.evaluate(yield* run.references.resolveDynamic(schema, $dynamicRef, spot.scope), spot);
  return typeof verdict === "boolean" ? verdict : yield* verdict;
}

function matchAll({ allOf }: SchemaObject, spot: Spot, run: Run): Verdict {
  const schemas = listOf(allOf);
  return checkEach(schemas.length, spot, run, (index) => run.evaluate(schemas[index], spot));
}

/** A spot whose findings count only if the value fits. */
function toTrial(spot: Spot, problems: Finding[] | undefined): Spot {
  return { ...spot, problems, seen: spot.seen && new Seen() };
}

function* keepSeen(trial: Spot, spot: Spot, run: Run): Check<void> {
  if (trial.seen) yield* spot.seen?.addFrom(trial.seen, run) ?? [];
}

/** How many of the schemas fit, as far as it matters: the rest is not tried once `enough` do. */
function* countMatches(schemas: readonly unknown[], enough: number, spot: Spot, run: Run): Check<number> {
  const problems: Finding[] = [];
  let count = 0;
  for (const one of schemas) {
    const trial = toTrial(spot, spot.problems && []);
    if (run.spend(1)) yield undefined;
    const verdict = run.evaluate(one, trial);
    if (typeof verdict === "boolean" ? verdict : yield* verdict) {
      count++;
      yield* keepSeen(trial, spot, run);
    } else problems.push(...(trial.problems ?? []).slice(0, maxProblems - problems.length));
    if (count >= enough) return count;
  }
  if (count === 0) spot.problems?.push(...problems.slice(0, Math.max(0, maxProblems - spot.problems.length)));
  return count;
}

function* matchAny({ anyOf }: SchemaObject, spot: Spot, run: Run): Check {
  const schemas = listOf(anyOf);
  // Each of them may have looked at other members.
  const enough = spot.seen ? schemas.length : 1;
  const isValid = schemas.length === 0 || (yield* countMatches(schemas, enough, spot, run)) > 0;
  return isValid || fail(spot, "Instance does not match any subschemas.");
}

function* matchOne({ oneOf }: SchemaObject, spot: Spot, run: Run): Check {
  const schemas = listOf(oneOf);
  const count = schemas.length === 0 ? 1 : yield* countMatches(schemas, 2, spot, run);
  return (
    count === 1 || fail(spot, `Instance does not match exactly one subschema (${count === 0 ? "it matches none" : "it matches several"}).`)
  );
}

function* matchNone({ not }: SchemaObject, spot: Spot, run: Run): Check {
  const verdict = run.evaluate(not, toTrial(spot, undefined));
  const isMatched = typeof verdict === "boolean" ? verdict : yield* verdict;
  return !isMatched || fail(spot, 'Instance matched "not" schema.');
}

function* chooseBranch(schema: SchemaObject, spot: Spot, run: Run): Check {
  const trial = toTrial(spot, undefined);
  const condition = run.evaluate(schema["if"], trial);
  const isMet = typeof condition === "boolean" ? condition : yield* condition;
  if (isMet) yield* keepSeen(trial, spot, run);
  const branch = schema[isMet ? "then" : "else"];
  const verdict = branch === undefined || run.evaluate(branch, spot);
  return typeof verdict === "boolean" ? verdict : yield* verdict;
}

/** `dependencies` is the older name, and may also list names. */
const matchDependent = (keyword: "dependentSchemas" | "dependencies"): Keyword =>
  function match(schema, spot, run) {
    const { value } = spot;
    const dependent = schema[keyword];
    if (!isRecord(value) || !isRecord(dependent)) return true;
    const names = run.namesOf(dependent);
    return checkEach(names.length, spot, run, (index) => {
      const name = names[index] as string;
      if (!Object.hasOwn(value, name)) return true;
      const one = dependent[name];
      return Array.isArray(one) ? requireNames(one, spot, run) : run.evaluate(one, spot);
    });
  };

function matchConstant(schema: SchemaObject, spot: Spot, run: Run): Verdict {
  return orFail(isAmong([schema["const"]], schema, spot.value, run), spot, () => `Instance does not match ${show(schema["const"])}.`);
}

function matchListed(schema: SchemaObject, spot: Spot, run: Run): Verdict {
  const values = schema["enum"];
  if (!Array.isArray(values)) return true;
  return orFail(isAmong(values, values, spot.value, run), spot, () => `Instance does not match any of ${show(values)}.`);
}

const orFail = (verdict: Verdict, spot: Spot, reason: () => string): Verdict =>
  follow(verdict, (isValid) => isValid || fail(spot, reason()));

function matchPattern({ pattern }: SchemaObject, spot: Spot, run: Run): Verdict {
  if (typeof spot.value !== "string" || pattern === undefined) return true;
  if (typeof pattern !== "string") throw schemaFault(`the pattern ${show(pattern)} is not a text`);
  return orFail(run.matches(pattern, spot.value), spot, () => "String does not match pattern.");
}

// What takes about as long as a keyword.
const charsPerStep = 64;

function matchFormat({ format }: SchemaObject, spot: Spot, run: Run): Verdict {
  const { value } = spot;
  const check = formats.get(format as string);
  if (typeof value !== "string" || check === undefined) return true;
  const verdict = run.spend(1 + value.length / charsPerStep) ? afterPause(() => check(value, run)) : check(value, run);
  return orFail(verdict, spot, () => `String does not match format ${show(format)}.`);
}

export const combiningKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["$ref", followReference],
  ["$dynamicRef", followDynamicReference],
  ["allOf", matchAll],
  ["anyOf", matchAny],
  ["oneOf", matchOne],
  ["not", matchNone],
  ["if", chooseBranch],
  ["dependentSchemas", matchDependent("dependentSchemas")],
  ["dependencies", matchDependent("dependencies")],
  ["const", matchConstant],
  ["enum", matchListed],
  ["pattern", matchPattern],
  ["format", matchFormat],
]);
