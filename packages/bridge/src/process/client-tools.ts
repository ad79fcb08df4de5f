// The tools as MCP clients can take them. Clients differ in what they choke on: a property schema
// of `true`, a union at the root, a name with a dot. Each is repaired here, so that every parent
// profits; what can't be repaired is left out with a reason, and never hides the other tools.

import type { ToolSchema } from "../contract.ts";

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown> & { type: "object" };
  readonly outputSchema?: Record<string, unknown> & { type: "object" };
  readonly annotations?: Record<string, unknown>;
}

export interface ClientTools {
  readonly tools: readonly ClientTool[];
  /** The parent's name of a tool, by the name the client knows. */
  readonly originalNames: ReadonlyMap<string, string>;
  /** One line for each tool that was left out. */
  readonly omissions: readonly string[];
}

export function toClientTools(schemas: readonly ToolSchema[]): ClientTools {
  const tools: ClientTool[] = [];
  const originalNames = new Map<string, string>();
  const omissions: string[] = [];
  // Names that need no repair keep themselves, wherever they stand; only others give way.
  const taken = new Set(schemas.map(({ name }) => name).filter(isClientName));
  for (const schema of schemas) {
    const inputSchema = toClientSchema(schema.input_schema);
    const name = isClientName(schema.name) ? schema.name : freeName(schema.name, taken);
    if (!inputSchema || name === undefined) {
      omissions.push(
        `tool "${schema.name}" is left out: ${inputSchema ? "no valid name can be made of it" : "its input is not an object"}`,
      );
      continue;
    }
    taken.add(name);
    originalNames.set(name, schema.name);
    const outputSchema = schema.output_schema && toClientSchema(schema.output_schema);
    tools.push({
      name,
      description: schema.description,
      inputSchema,
      ...(outputSchema && { outputSchema }),
      ...(schema.annotations && { annotations: { ...schema.annotations } }),
    });
  }
  return { tools, originalNames, omissions };
}

const maxNameLength = 64;
const isClientName = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

function freeName(original: string, taken: ReadonlySet<string>): string | undefined {
  const base = original.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameLength);
  if (base === "") return undefined;
  for (let number = 1; number <= taken.size + 1; number++) {
    const suffix = number === 1 ? "" : `_${number}`;
    const name = base.slice(0, maxNameLength - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
  return undefined;
}

type ObjectSchema = Record<string, unknown> & { type: "object" };
const unions = ["oneOf", "anyOf", "allOf"] as const;

function toClientSchema(schema: Readonly<Record<string, unknown>>): ObjectSchema | undefined {
  const { type } = schema;
  const mayBeObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!mayBeObject) return undefined;
  const hoisted = unions.some((union) => Array.isArray(schema[union])) ? hoistUnions(schema) : schema;
  return { ...(replaceTrue(hoisted) as Record<string, unknown>), type: "object" };
}

// `true` means "anything", which `{}` says too; some clients lose every tool over the former.
function replaceTrue(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  for (const group of ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]) {
    if (isRecord(copy[group])) copy[group] = mapValues(copy[group], (value) => (value === true ? {} : replaceTrue(value)));
  }
  for (const single of ["items", "contains", "not", "if", "then", "else", "additionalProperties", "propertyNames"]) {
    if (isRecord(copy[single])) copy[single] = replaceTrue(copy[single]);
  }
  if (copy["items"] === true) copy["items"] = {};
  for (const list of [...unions, "prefixItems"]) {
    if (Array.isArray(copy[list])) copy[list] = copy[list].map((value: unknown) => (value === true ? {} : replaceTrue(value)));
  }
  return copy;
}

// A union at the root becomes one object with the properties of all branches; what every branch
// requires stays required. The parent still checks against the original.
function hoistUnions(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const branches = unions.flatMap((union) =>
    Array.isArray(schema[union]) ? schema[union].map((branch: unknown) => ({ union, branch: resolve(schema, branch) })) : [],
  );
  const { oneOf: _1, anyOf: _2, allOf: _3, ...rest } = schema;
  const properties: Record<string, unknown> = {};
  for (const { branch } of branches) if (isRecord(branch["properties"])) mergeProperties(properties, branch["properties"]);
  if (isRecord(rest["properties"])) Object.assign(properties, rest["properties"]);
  const required = new Set(stringsOf(rest["required"]));
  for (const union of unions) {
    const lists = branches.filter((one) => one.union === union).map(({ branch }) => stringsOf(branch["required"]));
    const [first = [], ...others] = lists;
    const common = union === "allOf" ? lists.flat() : first.filter((name) => others.every((list) => list.includes(name)));
    for (const name of common) required.add(name);
  }
  return { ...rest, type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
}

function mergeProperties(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const [name, schema] of Object.entries(from)) {
    const present = into[name];
    if (present === undefined) into[name] = schema;
    else if (JSON.stringify(present) !== JSON.stringify(schema)) into[name] = { anyOf: [present, schema] };
  }
}

/** Follows one local reference, which is how generators write the branches of a union. */
function resolve(root: Readonly<Record<string, unknown>>, branch: unknown): Record<string, unknown> {
  if (!isRecord(branch)) return {};
  const path = typeof branch["$ref"] === "string" ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(branch["$ref"]) : null;
  const group = path && root[path[1] as string];
  const target = isRecord(group) && path ? group[path[2] as string] : undefined;
  return isRecord(target) ? target : branch;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const stringsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : []);
const mapValues = (record: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
