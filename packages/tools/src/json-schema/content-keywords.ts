// The keywords that go into a value: to the members of an object and to the items of a list.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { canonicalText } from "./canonical-text.ts";
import {
  checkEach,
  fail,
  follow,
  inner,
  LargeMap,
  maxProblems,
  maxShownChars,
  type Check,
  type Keyword,
  type Run,
  type SchemaObject,
  type Spot,
  type Verdict,
} from "./checking.ts";
import { show } from "./simple-keywords.ts";

/** One member or item. */
function visit(schema: unknown, key: string | number, spot: Spot, run: Run): Verdict {
  spot.seen?.add(key);
  const { value } = spot as { readonly value: Readonly<Record<string, unknown>> };
  return run.evaluate(schema, inner(spot, key, value[key]));
}

const none: SchemaObject = {};

/** Properties, patternProperties and additionalProperties in one walk, since the last is about what the others leave. */
function checkMembers(schema: SchemaObject, spot: Spot, run: Run): Verdict {
  const { value } = spot;
  if (!isRecord(value)) return true;
  const { patternProperties, additionalProperties } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : none;
  const patterns = isRecord(patternProperties) ? run.namesOf(patternProperties) : [];
  const hasRest = additionalProperties !== undefined;
  if (hasRest) spot.seen?.addAll();
  // Most schemas name the members that they are about, and then the others need not be walked.
  const names = run.namesOf(patterns.length === 0 && !hasRest ? properties : value);
  return checkEach(names.length, spot, run, (index) => {
    const name = names[index] as string;
    if (!Object.hasOwn(value, name)) return true;
    if (patterns.length > 0) return checkMatching(schema, name, spot, run);
    if (Object.hasOwn(properties, name)) return visit(properties[name], name, spot, run);
    return !hasRest || visit(additionalProperties, name, spot, run);
  });
}
function* checkMatching({ properties, patternProperties, additionalProperties }: SchemaObject, name: string, spot: Spot, run: Run): Check {
  const patterns = patternProperties as SchemaObject;
  const schemas: unknown[] = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  for (const pattern of run.namesOf(patterns)) {
    if (run.spend(1)) yield undefined;
    const verdict = run.matches(pattern, name);
    if (typeof verdict === "boolean" ? verdict : yield* verdict) schemas.push(patterns[pattern]);
  }
  if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties);
  const verdict = checkEach(schemas.length, spot, run, (index) => visit(schemas[index], name, spot, run));
  return typeof verdict === "boolean" ? verdict : yield* verdict;
}

const describeMissing = (names: readonly unknown[]): string =>
  `Instance does not have required property ${cutText(names.map(show).join(", "), maxShownChars)}.`;

// Nothing is told about the single names.
const untold: Spot = { value: undefined, place: undefined, problems: undefined, seen: undefined, scope: { base: "", outer: undefined } };

/** Whether the value, if it is an object, has members of all these names; at most a few of those that it lacks are told. */
export function requireNames(required: unknown, spot: Spot, run: Run, because = ""): Verdict {
  const { value } = spot;
  if (!isRecord(value) || !Array.isArray(required)) return true;
  const missing: unknown[] = [];
  const verdict = checkEach(required.length, untold, run, (index) => {
    const name: unknown = required[index];
    return Object.hasOwn(value, name as string) || missing.push(name) < maxProblems;
  });
  return follow(verdict, () => missing.length === 0 || fail(spot, `${because}${describeMissing(missing)}`));
}

function checkDependentRequired({ dependentRequired }: SchemaObject, spot: Spot, run: Run): Verdict {
  const { value } = spot;
  if (!isRecord(value) || !isRecord(dependentRequired)) return true;
  const names = run.namesOf(dependentRequired);
  return checkEach(names.length, spot, run, (index) => {
    const name = names[index] as string;
    return !Object.hasOwn(value, name) || requireNames(dependentRequired[name], spot, run, `Instance has ${show(name)}: `);
  });
}

function checkNames({ propertyNames }: SchemaObject, spot: Spot, run: Run): Verdict {
  const names = isRecord(spot.value) ? run.namesOf(spot.value) : [];
  return checkEach(names.length, spot, run, (index) => {
    const name = names[index] as string;
    return run.evaluate(propertyNames, inner(spot, name, name));
  });
}

/** What no keyword of this schema, nor of one that it applies to the same value, has looked at. */
export function checkUnevaluated({ unevaluatedProperties, unevaluatedItems }: SchemaObject, spot: Spot, run: Run): Verdict {
  const { value, seen } = spot;
  const isList = Array.isArray(value);
  const rest = isList ? unevaluatedItems : isRecord(value) ? unevaluatedProperties : undefined;
  if (rest === undefined || seen?.isAll) return true;
  const names = isList ? undefined : run.namesOf(value as object);
  return checkEach(names?.length ?? (value as unknown[]).length, spot, run, (index) => {
    const key = names?.[index] ?? index;
    return seen?.has(key) || visit(rest, key, spot, run);
  });
}

/** A list of schemas in `items` is the older way to write prefixItems, with additionalItems for the rest. */
function checkItems(schema: SchemaObject, spot: Spot, run: Run): Verdict {
  const { value } = spot;
  if (!Array.isArray(value)) return true;
  const { prefixItems, items, additionalItems } = schema;
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  if (rest !== undefined) spot.seen?.addAll();
  const count = rest === undefined ? Math.min(first.length, value.length) : value.length;
  return checkEach(count, spot, run, (index) => visit(index < first.length ? first[index] : rest, index, spot, run));
}

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

function* checkContains({ contains, minContains, maxContains }: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (!Array.isArray(value)) return true;
  const least = numberOr(minContains, 1);
  const most = numberOr(maxContains, Infinity);
  let count = 0;
  for (const [index, item] of value.entries()) {
    if (run.spend(1)) yield undefined;
    const verdict = run.evaluate(contains, { ...inner(spot, index, item), problems: undefined });
    if (!(typeof verdict === "boolean" ? verdict : yield* verdict)) continue;
    count++;
    spot.seen?.add(index);
    if (count > most) return fail(spot, `Array contains too many items that match the "contains" schema (more than ${most}).`);
  }
  return count >= least || fail(spot, `Array contains too few items that match the "contains" schema (${count} < ${least}).`);
}

const checkUnique: Keyword = ({ uniqueItems }, spot, run) =>
  uniqueItems !== true || !Array.isArray(spot.value) || findDuplicate(spot.value, spot, run);

function* findDuplicate(value: readonly unknown[], spot: Spot, run: Run): Check {
  const places = new LargeMap<string, number>();
  for (const [index, item] of value.entries()) {
    const written = canonicalText(item, run);
    const text = typeof written === "string" ? written : yield* written;
    if (run.spend(0)) yield undefined;
    const same = places.get(text);
    if (same !== undefined) return fail(spot, `Duplicate items at indexes ${same} and ${index}.`);
    places.set(text, index);
  }
  return true;
}

/** Members and items are walked once, whichever of their keywords are there. */
const memberKeywords = ["properties", "patternProperties", "additionalProperties"];
const itemKeywords = ["prefixItems", "items", "additionalItems"];

export const contentKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...memberKeywords.map((keyword) => [keyword, checkMembers] as const),
  ...itemKeywords.map((keyword) => [keyword, checkItems] as const),
  ["required", ({ required }, spot, run) => requireNames(required, spot, run)],
  ["dependentRequired", checkDependentRequired],
  ["propertyNames", checkNames],
  ["contains", checkContains],
  ["uniqueItems", checkUnique],
]);
