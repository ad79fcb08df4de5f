// Which value belongs to which parameter of an operation, or to which member of its body where that is an object. Names are
// the document's; where one stands in two places the caller says which (`query.id`, `body.id`). Unknown and missing names
// are refused with the names that there are, and values of another type with the type.

import { nearNames } from "@hawser/protocol/internal";
import type { OperationDescription, Parameter } from "../openapi/operation.ts";
import { fieldsOf, isOpen, type Field } from "../openapi/schema-shape.ts";
import { contentTypeOf, essence, isJsonType } from "./body.ts";
import { checkText, type Detour, allowsNull, toFieldValue } from "./check-values.ts";
import { isGiven } from "./parameter-styles.ts";
import { shown, usage } from "./safe-text.ts";

export interface AssignedParams {
  readonly values: ReadonlyMap<Parameter, unknown>;
  /** `params.body`, or what the body's members come to, where the operation takes a body. */
  readonly body: unknown;
}

const maxListedNames = 20;

// Other ways to give a value that the document refuses, as members of an item and as flags.
const elsewhere: Partial<Record<Parameter["in"], Detour>> = {
  query: ["give it as query", "give it as --query"],
  header: ["give it as a header", "give it as --header"],
};
const byPath: Detour = ["call it by path", "call it with --path"];

/** `contentType` is that of the body, where the item says it. */
export function assignParams(
  operation: OperationDescription,
  params: Readonly<Record<string, unknown>>,
  contentType?: string,
): AssignedParams {
  const { definitions } = operation;
  const values = new Map<Parameter, unknown>();
  const members = new Map<string, unknown>();
  let body: unknown;
  let fields: BodyFields | undefined;
  for (const [given, value] of Object.entries(params)) {
    const isWholeBody = given === "body" && operation.requestBody !== undefined;
    const parameter = isWholeBody ? undefined : findParameter(operation, given);
    if (isWholeBody) {
      body = value;
    } else if (parameter) {
      if (!isGiven(value)) continue;
      const { name, in: place, schema } = parameter;
      if (values.has(parameter)) throw givenTwice(place, name);
      // One that is a document of its own is written as such, whatever it is.
      if (parameter.contentType === undefined)
        checkText({ schema, definitions }, value, `parameter ${name} (${place})`, elsewhere[place] ?? byPath);
      values.set(parameter, value);
    } else {
      // Most calls need no look at the body's schema.
      fields ??= bodyFieldsOf(operation, contentType);
      const name = findField(operation, fields, given);
      if (isGiven(value) && isGiven(members.get(name))) throw givenTwice("body", name);
      const member = fields?.toValue(name, value);
      if (member !== undefined) members.set(name, member);
    }
  }
  if (members.size === 0) return { values, body };
  if (isGiven(body)) throw usage("the body is given twice, whole and by its fields");
  const absent = [...(fields?.fields ?? [])].filter(([name, { required }]) => required && !members.has(name));
  const missing = absent.map(([name]) => ({ name, in: "body" }));
  if (missing.length > 0) throw missingParameters(operation, missing);
  return { values, body: Object.fromEntries(members) };
}

const givenTwice = (place: string, name: string): Error => usage(`parameter ${place}.${name} is given twice`);

export function missingParameters(
  operation: OperationDescription,
  missing: readonly { readonly name: string; readonly in: string }[],
): Error {
  const names = missing.map(({ name, in: place }) => `${name} (${place})`).join(", ");
  const [first = ""] = missing.map(({ name }) => name);
  return usage(`missing required parameter ${names}; ${takenBy(operation)}`, {
    missing: missing.map(({ name }) => name),
    hint: `give it as "params": {${shown(first)}: …}`,
    asFlags: { hint: `give it as --param ${first}=…` },
  });
}

const placedName = /^(path|query|querystring|header|cookie|body)\.(.+)$/s;

/** Undefined where no parameter has the name: it may be one of the body's members. */
function findParameter(operation: OperationDescription, given: string): Parameter | undefined {
  const matches = operation.parameters.filter((parameter) => hasName(parameter, given));
  if (matches.length > 1) {
    throw usage(`parameter ${shown(given)} stands in several places; write ${matches.map((one) => `${one.in}.${one.name}`).join(" or ")}`);
  }
  const [, place, name = ""] = placedName.exec(given) ?? [];
  return matches[0] ?? operation.parameters.find((one) => one.in === place && hasName(one, name));
}

function findField(operation: OperationDescription, body: BodyFields | undefined, given: string): string {
  if (body?.fields.has(given)) return given;
  const [, place, name = ""] = placedName.exec(given) ?? [];
  if (body && place === "body" && (body.isOpen || body.fields.has(name))) return name;
  const near = nearNames(given, [...operation.parameters.map((one) => one.name), ...(body?.fields.keys() ?? [])]);
  const suggestion = near.length > 0 ? ` (did you mean ${near.join(" or ")}?)` : "";
  throw usage(`unknown parameter ${shown(given)}${suggestion}; ${takenBy(operation)}`);
}

function hasName(parameter: Parameter, given: string): boolean {
  return parameter.in === "header" ? parameter.name.toLowerCase() === given.toLowerCase() : parameter.name === given;
}

export function bodyNeeded(operation: OperationDescription): Error {
  const fields = [...(bodyFieldsOf(operation, undefined)?.fields ?? [])];
  const [field] = fields.find(([, { required }]) => required) ?? fields[0] ?? [];
  const what = `${operation.operationId ?? operation.path} needs a body`;
  return usage(`${what}: give body, params.body, or its fields in params; ${takenBy(operation)}`, {
    asFlags: { message: `${what}: give ${field === undefined ? "" : `--param ${field}=…, or `}--body; ${takenBy(operation)}` },
  });
}

function takenBy(operation: OperationDescription): string {
  const fields = [...(bodyFieldsOf(operation, undefined)?.fields ?? [])].map(([name, { required }]) => ({ name, in: "body", required }));
  const all = [...operation.parameters, ...fields];
  const names = all.map(({ name, in: place, required }) => `${name} (${place}${required ? ", required" : ""})`);
  if (operation.requestBody) names.push("body");
  const rest = names.length - maxListedNames;
  const list = names.slice(0, maxListedNames).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `${operation.operationId ?? `${operation.method} ${operation.path}`} takes ${list || "no parameters"}`;
}

interface BodyFields {
  readonly fields: ReadonlyMap<string, Field>;
  /** Whether the body may have members that the document does not name. */
  readonly isOpen: boolean;
  /** A value as it goes into the body; undefined for null where the document does not know it. Throws `usage` for a wrong type. */
  toValue(name: string, value: unknown): unknown;
}

const formTypes = new Set(["application/x-www-form-urlencoded", "multipart/form-data"]);

/** `givenType` is the content type that the item asks for. Undefined where the body has no members that can be told. */
function bodyFieldsOf(operation: OperationDescription, givenType: string | undefined): BodyFields | undefined {
  const type = essence(givenType ?? contentTypeOf(operation, {}));
  const media = operation.requestBody?.media.find(({ contentType }) => essence(contentType) === type);
  const isJson = isJsonType(type);
  if (!media || (!isJson && !formTypes.has(type))) return undefined;
  const shape = { schema: media.schema, definitions: operation.definitions };
  const fields = fieldsOf(shape);
  if (!fields) return undefined;
  return {
    fields,
    isOpen: isOpen(shape),
    toValue(name, value) {
      const field = fields.get(name);
      if (value === null) return field && isJson && allowsNull(field.shape) ? null : undefined;
      return field && isJson ? toFieldValue(field.shape, value, `body field ${name}`) : value;
    },
  };
}
