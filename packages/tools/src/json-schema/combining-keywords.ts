// The keywords that apply other schemas to the same value, and those that compare it as a whole.

import { isRecord } from "@hawser/protocol/internal";
import { canonicalSet, canonicalText } from "./canonical-text.ts";
import {
  addSeen,
  checkEach,
  fail,
  LargeMap,
  maxProblems,
  schemaFault,
  type Check,
  type Finding,
  type Run,
  type SchemaObject,
  type Spot,
} from "./checking.ts";
import { formats } from "./formats.ts";
import { show } from "./simple-keywords.ts";

/** Whether the value fits as far as this keyword says; what is wrong is noted at the spot. */
export type Keyword = (schema: SchemaObject, spot: Spot, run: Run) => Check;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function* followReference(schema: SchemaObject, spot: Spot, run: Run): Check {
  const { $ref } = schema;
  return typeof $ref !== "string" || (yield* run.evaluate(yield* run.references.resolve(schema, $ref), spot));
}

function* followDynamicReference(schema: SchemaObject, spot: Spot, run: Run): Check {
  const { $dynamicRef } = schema;
  if (typeof $dynamicRef !== "string") return true;
  const scope = run.references.enter(schema, spot.scope);
  return yield* run.evaluate(yield* run.references.resolveDynamic(schema, $dynamicRef, scope), spot);
}

const matchAll: Keyword = ({ allOf }, spot, run) => checkEach(listOf(allOf), spot, (one) => run.evaluate(one, spot));

/** A spot whose findings count only if the value fits. */
function toTrial(spot: Spot, problems: Finding[] | undefined): Spot {
  return { ...spot, problems, seen: spot.seen && new LargeMap() };
}

/** How many of the schemas fit, as far as it matters: the rest is not tried once `enough` do. */
function* countMatches(schemas: readonly unknown[], enough: number, spot: Spot, run: Run): Check<number> {
  const problems: Finding[] = [];
  let count = 0;
  for (const one of schemas) {
    const trial = toTrial(spot, spot.problems && []);
    if (yield* run.evaluate(one, trial)) {
      count++;
      yield* addSeen(trial.seen, spot.seen, run);
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
  const isMatched = yield* run.evaluate(not, toTrial(spot, undefined));
  return !isMatched || fail(spot, 'Instance matched "not" schema.');
}

function* chooseBranch(schema: SchemaObject, spot: Spot, run: Run): Check {
  const trial = toTrial(spot, undefined);
  const isMet = yield* run.evaluate(schema["if"], trial);
  if (isMet) yield* addSeen(trial.seen, spot.seen, run);
  const branch = schema[isMet ? "then" : "else"];
  return branch === undefined || (yield* run.evaluate(branch, spot));
}

/** `dependencies` is the older name, and may also list names. */
const matchDependent = (keyword: "dependentSchemas" | "dependencies"): Keyword =>
  function* match(schema, spot, run) {
    const { value } = spot;
    const dependent = schema[keyword];
    if (!isRecord(value) || !isRecord(dependent)) return true;
    return yield* checkEach(Object.keys(dependent), spot, function* checkOne(name) {
      if (run.spend(1)) yield undefined;
      const one = dependent[name];
      return !Object.hasOwn(value, name) || (yield* run.evaluate(Array.isArray(one) ? { required: one as unknown } : one, spot));
    });
  };

function* matchConstant(schema: SchemaObject, spot: Spot, run: Run): Check {
  const same = (yield* canonicalText(schema["const"], run)) === (yield* canonicalText(spot.value, run));
  return same || fail(spot, `Instance does not match ${show(schema["const"])}.`);
}

function* matchListed(schema: SchemaObject, spot: Spot, run: Run): Check {
  const values = schema["enum"];
  if (!Array.isArray(values)) return true;
  const texts = yield* canonicalSet(values, run);
  return texts.get(yield* canonicalText(spot.value, run)) || fail(spot, `Instance does not match any of ${show(values)}.`);
}

function* matchPattern({ pattern }: SchemaObject, spot: Spot, run: Run): Check {
  if (typeof spot.value !== "string" || pattern === undefined) return true;
  if (typeof pattern !== "string") throw schemaFault(`the pattern ${show(pattern)} is not a text`);
  return (yield* run.matches(pattern, spot.value)) || fail(spot, "String does not match pattern.");
}

// What takes about as long as a keyword.
const charsPerStep = 64;

function* matchFormat({ format }: SchemaObject, spot: Spot, run: Run): Check {
  const check = formats.get(format as string);
  if (typeof spot.value !== "string" || check === undefined) return true;
  if (run.spend(1 + spot.value.length / charsPerStep)) yield undefined;
  const verdict = check(spot.value, run);
  return (typeof verdict === "boolean" ? verdict : yield* verdict) || fail(spot, `String does not match format ${show(format)}.`);
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
