// The keywords that go into a value: to the members of an object and to the items of a list.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { canonicalText } from "./canonical-text.ts";
import { checkEach, fail, inner, LargeMap, maxProblems, type Check, type Run, type SchemaObject, type Spot } from "./checking.ts";
import type { Keyword } from "./combining-keywords.ts";
import { maxShownChars, show } from "./simple-keywords.ts";

/** One member or item. */
function* visit(schema: unknown, key: string | number, spot: Spot, run: Run): Check {
  spot.seen?.set(key, true);
  const { value } = spot as { readonly value: Readonly<Record<string, unknown>> };
  return yield* run.evaluate(schema, inner(spot, key, value[key]));
}

/** Properties, patternProperties and additionalProperties in one walk, since the last is about what the others leave. */
function* checkMembers(schema: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (!isRecord(value)) return true;
  const { patternProperties, additionalProperties } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const patterns = isRecord(patternProperties) ? patternProperties : {};
  const patternNames = Object.keys(patterns);
  const namesAll = patternNames.length === 0 && additionalProperties === undefined;
  // Most schemas name the members that they are about, and then the others need not be walked.
  return yield* checkEach(Object.keys(namesAll ? properties : value), spot, function* checkMember(name) {
    if (run.spend(1)) yield undefined;
    if (!Object.hasOwn(value, name)) return true;
    const schemas: unknown[] = Object.hasOwn(properties, name) ? [properties[name]] : [];
    for (const pattern of patternNames) if (yield* run.matches(pattern, name)) schemas.push(patterns[pattern]);
    if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties);
    return yield* checkEach(schemas, spot, (one) => visit(one, name, spot, run));
  });
}

/** At most a few of the names that the object lacks. */
function* missingNames(value: object, required: unknown, run: Run): Check<readonly unknown[]> {
  const missing: unknown[] = [];
  for (const name of Array.isArray(required) ? required : []) {
    if (run.spend(1)) yield undefined;
    if (!Object.hasOwn(value, name as string) && missing.push(name) === maxProblems) break;
  }
  return missing;
}

const describeMissing = (names: readonly unknown[]): string =>
  `Instance does not have required property ${cutText(names.map(show).join(", "), maxShownChars)}.`;

function* checkRequired({ required }: SchemaObject, spot: Spot, run: Run): Check {
  const missing = isRecord(spot.value) ? yield* missingNames(spot.value, required, run) : [];
  return missing.length === 0 || fail(spot, describeMissing(missing));
}

function* checkDependentRequired({ dependentRequired }: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (!isRecord(value) || !isRecord(dependentRequired)) return true;
  for (const name of Object.keys(dependentRequired)) {
    if (run.spend(1)) yield undefined;
    const missing = Object.hasOwn(value, name) ? yield* missingNames(value, dependentRequired[name], run) : [];
    if (missing.length > 0) return fail(spot, `Instance has ${show(name)}: ${describeMissing(missing)}`);
  }
  return true;
}

const checkNames: Keyword = ({ propertyNames }, spot, run) =>
  checkEach(isRecord(spot.value) ? Object.keys(spot.value) : [], spot, (name) => run.evaluate(propertyNames, inner(spot, name, name)));

/** What no keyword of this schema, nor of one that it applies to the same value, has looked at. */
const checkUnseen = (rest: unknown, keys: Iterable<string | number>, spot: Spot, run: Run): Check =>
  checkEach(keys, spot, function* checkOne(key) {
    if (run.spend(1)) yield undefined;
    return spot.seen?.get(key) || (yield* visit(rest, key, spot, run));
  });

export function* checkUnevaluated({ unevaluatedProperties, unevaluatedItems }: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (unevaluatedProperties !== undefined && isRecord(value))
    return yield* checkUnseen(unevaluatedProperties, Object.keys(value), spot, run);
  if (unevaluatedItems !== undefined && Array.isArray(value)) return yield* checkUnseen(unevaluatedItems, value.keys(), spot, run);
  return true;
}

/** A list of schemas in `items` is the older way to write prefixItems, with additionalItems for the rest. */
function* checkItems(schema: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (!Array.isArray(value)) return true;
  const { prefixItems, items, additionalItems } = schema;
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  const checked = rest === undefined ? first.slice(0, value.length) : value;
  return yield* checkEach(checked.keys(), spot, (index) => visit(index < first.length ? first[index] : rest, index, spot, run));
}

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

function* checkContains({ contains, minContains, maxContains }: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (!Array.isArray(value)) return true;
  const least = numberOr(minContains, 1);
  const most = numberOr(maxContains, Infinity);
  let count = 0;
  for (const [index, item] of value.entries()) {
    if (!(yield* run.evaluate(contains, { ...inner(spot, index, item), problems: undefined }))) continue;
    count++;
    spot.seen?.set(index, true);
    if (count > most) return fail(spot, `Array contains too many items that match the "contains" schema (more than ${most}).`);
  }
  return count >= least || fail(spot, `Array contains too few items that match the "contains" schema (${count} < ${least}).`);
}

function* checkUnique({ uniqueItems }: SchemaObject, spot: Spot, run: Run): Check {
  const { value } = spot;
  if (uniqueItems !== true || !Array.isArray(value)) return true;
  const places = new LargeMap<string, number>();
  for (const [index, item] of value.entries()) {
    const text = yield* canonicalText(item, run);
    const same = places.get(text);
    if (same !== undefined) return fail(spot, `Duplicate items at indexes ${same} and ${index}.`);
    places.set(text, index);
  }
  return true;
}

/** Members and items are walked once, whichever of their keywords is there. */
const memberKeywords = ["properties", "patternProperties", "additionalProperties"];
const itemKeywords = ["prefixItems", "items", "additionalItems"];

const firstOf = (keywords: readonly string[], keyword: string, check: Keyword): Keyword =>
  function* checkOnce(schema, spot, run) {
    return keywords.find((name) => Object.hasOwn(schema, name)) !== keyword || (yield* check(schema, spot, run));
  };

export const contentKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...memberKeywords.map((keyword) => [keyword, firstOf(memberKeywords, keyword, checkMembers)] as const),
  ...itemKeywords.map((keyword) => [keyword, firstOf(itemKeywords, keyword, checkItems)] as const),
  ["required", checkRequired],
  ["dependentRequired", checkDependentRequired],
  ["propertyNames", checkNames],
  ["contains", checkContains],
  ["uniqueItems", checkUnique],
]);
