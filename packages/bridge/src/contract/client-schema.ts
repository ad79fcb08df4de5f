// A tool's JSON Schema as every client can take it: booleans as property schemas, unions or references at the root make some clients
// lose tools. The result accepts at least what the original accepts; the parent still checks against the original.

import { isRecord } from "@hawser/protocol/internal";

export type ObjectSchema = Record<string, unknown> & { type: "object" };
type Schema = Readonly<Record<string, unknown>>;

/** Undefined for a schema that can't describe an object, or whose members are not what their names say. */
export function toClientSchema(schema: Schema): ObjectSchema | undefined {
  const { type, properties, required } = schema;
  const mayBeObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  const isReadable = (properties === undefined || isRecord(properties)) && (required === undefined || isStringList(required));
  if (!mayBeObject || !isReadable) return undefined;
  const isFlat = !unionKeywords.some((keyword) => keyword in schema) && schema["$ref"] === undefined;
  return { ...(withoutBooleans(isFlat ? schema : flatten(schema)) as Schema), type: "object" };
}

const unionKeywords = ["oneOf", "anyOf", "allOf"] as const;
const schemasByName = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const schemaLists = [...unionKeywords, "prefixItems"];
const singleSchemas = ["items", "contains", "not", "if", "then", "else", "propertyNames"];
// Here booleans are usual, and every client knows them.
const booleanOrSchema = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];

// `true` means "anything", which `{}` says too; `false` means "nothing".
function withoutBooleans(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  if (!isRecord(schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  for (const keyword of schemasByName) {
    const group = copy[keyword];
    if (isRecord(group)) copy[keyword] = Object.fromEntries(Object.entries(group).map(([name, one]) => [name, withoutBooleans(one)]));
  }
  for (const keyword of schemaLists) if (Array.isArray(copy[keyword])) copy[keyword] = copy[keyword].map(withoutBooleans);
  for (const keyword of singleSchemas) if (keyword in copy) copy[keyword] = withoutBooleans(copy[keyword]);
  for (const keyword of booleanOrSchema) if (isRecord(copy[keyword])) copy[keyword] = withoutBooleans(copy[keyword]);
  return copy;
}

// --- the root as one object

interface Shape {
  /** Every schema that some branch gives to a property. */
  readonly properties: Map<string, unknown[]>;
  readonly required: Set<string>;
}

// Generators nest a union in a reference in a union; a schema that refers to itself ends here.
const maxBranchDepth = 8;

function flatten(schema: Schema): Schema {
  const { oneOf: _1, anyOf: _2, allOf: _3, $ref: _4, ...rest } = schema;
  const { properties, required } = shapeOf(schema, schema, 0);
  return {
    ...rest,
    properties: Object.fromEntries(
      [...properties].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }]),
    ),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** The properties of all branches; required is what every branch requires. */
function shapeOf(root: Schema, schema: Schema, depth: number): Shape {
  const shape: Shape = { properties: new Map(), required: new Set(namesIn(schema["required"])) };
  const add = (name: string, one: unknown): void => {
    const known = shape.properties.get(name) ?? [];
    if (!known.some((other) => JSON.stringify(other) === JSON.stringify(one))) shape.properties.set(name, [...known, one]);
  };
  const take = (branches: readonly Shape[]): void => {
    for (const { properties } of branches) for (const [name, schemas] of properties) for (const one of schemas) add(name, one);
  };
  const branchesOf = (list: unknown): Shape[] =>
    Array.isArray(list) && depth < maxBranchDepth ? list.filter(isRecord).map((branch) => shapeOf(root, branch, depth + 1)) : [];

  const own = schema["properties"];
  if (isRecord(own)) for (const [name, one] of Object.entries(own)) shape.properties.set(name, [one]);
  const all = branchesOf([schema["allOf"], referenceTarget(root, schema["$ref"])].flat());
  take(all);
  for (const { required } of all) for (const name of required) shape.required.add(name);
  for (const keyword of ["oneOf", "anyOf"]) {
    const alternatives = branchesOf(schema[keyword]);
    take(alternatives);
    const [first, ...others] = alternatives;
    for (const name of first?.required ?? []) if (others.every(({ required }) => required.has(name))) shape.required.add(name);
  }
  return shape;
}

/** What a local reference points at: `#`, `#/$defs/name` or any other path in the same schema. */
function referenceTarget(root: Schema, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");
const namesIn = (value: unknown): string[] => (isStringList(value) ? value : []);
