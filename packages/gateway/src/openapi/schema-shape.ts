// A schema of an API document in words for people (`integer, 1 to 100, default 20`), and whether a value fits its types and
// listed values. Ranges and patterns are shown but left to the API; tool input is held to every keyword elsewhere.

import { gatewayLimits } from "../limits.ts";
import { cutText, isRecord } from "@hawser/protocol/internal";
import { isContainer } from "@hawser/wire/internal";
import type { JsonObject } from "./references.ts";

/** A schema with the definitions that its `$ref`s point to. */
export interface Shape {
  readonly schema: unknown;
  readonly definitions: Readonly<Record<string, unknown>>;
}

/** How values are compared with types and listed values: as JSON, or by the text that they become in an address. */
export interface Comparison {
  isType(type: string, value: unknown): boolean;
  isSame(listed: unknown, value: unknown): boolean;
}

// A document may be made of circles: after this many steps everything is allowed, and nothing is described.
const maxSteps = 1_000;
const maxListedValues = 20;
const maxShownChars = 60;

interface Budget {
  left: number;
}
const newBudget = (): Budget => ({ left: maxSteps });
const isSpent = (budget: Budget): boolean => budget.left-- <= 0;

/** The schema itself behind references; members beside a `$ref` go before those behind it. */
function resolveShape({ schema, definitions }: Shape): JsonObject {
  let current: JsonObject = isRecord(schema) ? schema : {};
  for (let step = 0; typeof current.$ref === "string" && step < gatewayLimits.maxReferenceSteps; step++) {
    const { $ref: reference, ...beside } = current;
    const name = reference.replace(/^#\/\$defs\//, "");
    const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    current = { ...(isRecord(target) ? target : {}), ...beside };
  }
  return current;
}

/** Whether type and listed values allow it. Where the schema says nothing, everything is allowed. */
export function conforms(shape: Shape, value: unknown, comparison: Comparison, budget: Budget = newBudget()): boolean {
  if (isSpent(budget)) return true;
  const schema = resolveShape(shape);
  const { definitions } = shape;
  const isAllowed = (part: unknown): boolean => conforms({ schema: part, definitions }, value, comparison, budget);
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => comparison.isType(type, value))) return false;
  const listed = listedValues(schema);
  if (listed && !isContainer(value) && !listed.some((one) => comparison.isSame(one, value))) return false;
  if (Array.isArray(value) && isRecord(schema.items)) {
    const items = { schema: schema.items, definitions };
    if (!value.every((item) => conforms(items, item, comparison, budget))) return false;
  }
  const { allOf, anyOf, oneOf } = schema;
  if (Array.isArray(allOf) && !allOf.every(isAllowed)) return false;
  return [anyOf, oneOf].every((parts) => !Array.isArray(parts) || parts.length === 0 || parts.some(isAllowed));
}

/** `integer`, `array of string`, `one of a, b`; `any value` where the schema says nothing. */
export function describeType(shape: Shape, budget: Budget = newBudget()): string {
  const schema = resolveShape(shape);
  const describe = (part: unknown): string => describeType({ schema: part, definitions: shape.definitions }, budget);
  const listed = listedValues(schema);
  if (listed) return `one of ${listOf(listed)}`;
  if (isSpent(budget)) return anyValue;
  const types = typesOf(schema);
  if (types.length > 0) {
    const names = types.map((type) => (type === "array" && isRecord(schema.items) ? `array of ${describe(schema.items)}` : type));
    return names.join(" or ");
  }
  if (isRecord(schema.properties)) return "object";
  const { allOf, anyOf, oneOf } = schema;
  if (Array.isArray(allOf)) return allOf.map(describe).find((text) => text !== anyValue) ?? anyValue;
  const choice = [anyOf, oneOf].find((parts) => Array.isArray(parts) && parts.length > 0) as readonly unknown[] | undefined;
  return choice ? [...new Set(choice.slice(0, maxListedValues).map(describe))].join(" or ") : anyValue;
}

const anyValue = "any value";

/** The type, and what else the document says about a value: `integer, 1 to 100, default 20`. */
export function describeShape(shape: Shape): string {
  const schema = resolveShape(shape);
  const { format, minLength, maxLength, pattern, default: usual } = schema;
  return [
    describeType(shape),
    typeof format === "string" && format,
    rangeOf(schema.minimum, schema.maximum),
    rangeOf(minLength, maxLength, " characters"),
    typeof pattern === "string" && `pattern ${cutText(pattern, maxShownChars)}`,
    usual !== undefined && `default ${shownValue(usual)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** The members of an object schema, also those of its `allOf` parts; undefined if it is not about an object. */
export function fieldsOf(shape: Shape): Map<string, Field> | undefined {
  const fields = new Map<string, Field>();
  const required = new Set<unknown>();
  if (!collectFields(shape, fields, required, newBudget())) return undefined;
  for (const [name, field] of fields) if (required.has(name)) fields.set(name, { ...field, required: true });
  return fields;
}

/** Whether the schema is about an object. One part may name what another part requires. */
function collectFields(shape: Shape, fields: Map<string, Field>, required: Set<unknown>, budget: Budget): boolean {
  const schema = resolveShape(shape);
  const { definitions } = shape;
  const types = typesOf(schema);
  if (isSpent(budget) || (types.length > 0 && !types.includes("object"))) return false;
  const parts: readonly unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const found = parts.map((part) => collectFields({ schema: part, definitions }, fields, required, budget));
  if (Array.isArray(schema.required)) for (const name of schema.required) required.add(name);
  for (const [name, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    const { description } = resolveShape({ schema: property, definitions });
    const about = typeof description === "string" ? { description } : {};
    fields.set(name, { shape: { schema: property, definitions }, required: false, ...about });
  }
  return types.length > 0 || isRecord(schema.properties) || found.includes(true);
}

/** What the items of an array are; undefined if the schema is not about an array. */
export function itemsOf(shape: Shape): Shape | undefined {
  const schema = resolveShape(shape);
  return typesOf(schema).includes("array") && isRecord(schema.items) ? { schema: schema.items, definitions: shape.definitions } : undefined;
}

/** Whether an object may have members that the schema does not name. */
export const isOpen = (shape: Shape): boolean => resolveShape(shape).additionalProperties !== false;

function typesOf({ type }: JsonObject): readonly string[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((one) => typeof one === "string");
}

function listedValues(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return Object.hasOwn(schema, "const") ? [schema.const] : undefined;
}

const shownValue = (value: unknown): string => cutText(typeof value === "string" ? value : JSON.stringify(value), maxShownChars);

function listOf(values: readonly unknown[]): string {
  const rest = values.length - maxListedValues;
  return values.slice(0, maxListedValues).map(shownValue).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function rangeOf(min: unknown, max: unknown, unit = ""): string {
  const [least, most] = [min, max].map((bound) => (typeof bound === "number" ? bound : undefined));
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
}
