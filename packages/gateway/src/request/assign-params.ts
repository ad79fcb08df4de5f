// Which value belongs to which parameter of an operation, or to which member of its body. Names are the document's;
// where one name stands in two places the caller says which (`query.id`, `body.id`). Unknown and missing names are
// refused with the names that there are, and values of another type with the type.

import { nearNames } from "@hawser/wire";
import type { OperationDescription, Parameter } from "../openapi/operation.ts";
import { bodyFieldsOf, type BodyFields } from "./body-fields.ts";
import { checkText } from "./check-values.ts";
import { isGiven } from "./parameter-styles.ts";
import { shown, usage } from "./safe-text.ts";

export interface AssignedParams {
  readonly values: ReadonlyMap<Parameter, unknown>;
  /** `params.body`, or what the body's members come to, where the operation takes a body. */
  readonly body: unknown;
}

interface BodyMember {
  readonly in: "body";
  readonly name: string;
}

const maxListedNames = 20;

/** `contentType` is that of the body, where the item says it. */
export function assignParams(
  operation: OperationDescription,
  params: Readonly<Record<string, unknown>>,
  contentType?: string,
): AssignedParams {
  const values = new Map<Parameter, unknown>();
  const members = new Map<string, unknown>();
  const taken = new Set<string>();
  let known: BodyFields | undefined;
  const bodyFields = (): BodyFields | undefined => (known ??= bodyFieldsOf(operation, contentType));
  let body: unknown;
  for (const [name, value] of Object.entries(params)) {
    if (name === "body" && operation.requestBody) {
      body = value;
      continue;
    }
    const found = findParameter(operation, bodyFields, name);
    const place = `${found.in}.${found.name}`;
    if (taken.has(place)) throw usage(`parameter ${place} is given twice`);
    if (found.in !== "body" && isGiven(value)) values.set(checkType(operation, found, value), value);
    const member = found.in === "body" ? bodyFields()?.toValue(found.name, value) : undefined;
    if (member !== undefined) members.set(found.name, member);
    if (isGiven(value)) taken.add(place);
  }
  if (members.size === 0) return { values, body };
  if (isGiven(body)) throw usage("the body is given twice, whole and by its fields");
  return { values, body: toBody(operation, bodyFields(), members) };
}

function checkType(operation: OperationDescription, parameter: Parameter, value: unknown): Parameter {
  const { name, in: place, schema, contentType } = parameter;
  const elsewhere: Partial<Record<Parameter["in"], string>> = { query: "give it as query", header: "give it as a header" };
  // One that is a document of its own is written as such, whatever it is.
  if (contentType === undefined)
    checkText({ schema, definitions: operation.definitions }, value, `parameter ${name} (${place})`, elsewhere[place] ?? "call it by path");
  return parameter;
}

function toBody(operation: OperationDescription, body: BodyFields | undefined, members: ReadonlyMap<string, unknown>): object {
  const missing = [...(body?.fields ?? [])].flatMap(([name, { required }]) => (required && !members.has(name) ? [name] : []));
  if (missing.length > 0)
    throw missingParameters(
      operation,
      missing.map((name) => ({ name, in: "body" })),
    );
  return Object.fromEntries(members);
}

/** Refuses a call without a required parameter. `isElsewhere` says whether `query` or `headers` of the item carry it. */
export function checkRequired(
  operation: OperationDescription,
  values: ReadonlyMap<Parameter, unknown>,
  isElsewhere: (parameter: Parameter) => boolean,
): void {
  const missing = operation.parameters.filter((parameter) => parameter.required && !values.has(parameter) && !isElsewhere(parameter));
  if (missing.length > 0) throw missingParameters(operation, missing);
}

function missingParameters(operation: OperationDescription, missing: readonly { readonly name: string; readonly in: string }[]): Error {
  const names = missing.map(({ name, in: place }) => `${name} (${place})`).join(", ");
  const [first = ""] = missing.map(({ name }) => name);
  return usage(`missing required parameter ${names}; ${takenBy(operation)}`, {
    missing: missing.map(({ name }) => name),
    hint: `give it as "params": {${shown(first)}: …}, or --param ${first}=… on the command line`,
  });
}

/** `bodyFields` is asked only for a name that no parameter has: most calls need no look at the body's schema. */
function findParameter(operation: OperationDescription, bodyFields: () => BodyFields | undefined, given: string): Parameter | BodyMember {
  const matches = operation.parameters.filter((parameter) => hasName(parameter, given));
  if (matches.length === 1) return matches[0] as Parameter;
  if (matches.length > 1) {
    throw usage(`parameter ${shown(given)} stands in several places; write ${matches.map((one) => `${one.in}.${one.name}`).join(" or ")}`);
  }
  const [, place, name = ""] = /^(path|query|querystring|header|cookie|body)\.(.+)$/s.exec(given) ?? [];
  const placed = operation.parameters.find((one) => one.in === place && hasName(one, name));
  if (placed) return placed;
  const body = bodyFields();
  if (body?.fields.has(given)) return { in: "body", name: given };
  if (body && place === "body" && (body.isOpen || body.fields.has(name))) return { in: "body", name };
  const near = nearNames(given, [...operation.parameters.map((one) => one.name), ...(body?.fields.keys() ?? [])]);
  const suggestion = near.length > 0 ? ` (did you mean ${near.join(" or ")}?)` : "";
  throw usage(`unknown parameter ${shown(given)}${suggestion}; ${takenBy(operation)}`);
}

function hasName(parameter: Parameter, given: string): boolean {
  return parameter.in === "header" ? parameter.name.toLowerCase() === given.toLowerCase() : parameter.name === given;
}

/** What the operation can be given, for messages. */
export function takenBy(operation: OperationDescription): string {
  const fields = [...(bodyFieldsOf(operation, undefined)?.fields ?? [])].map(([name, { required }]) => ({ name, in: "body", required }));
  const all = [...operation.parameters, ...fields];
  const names = all.map(({ name, in: place, required }) => `${name} (${place}${required ? ", required" : ""})`);
  if (operation.requestBody) names.push("body");
  const rest = names.length - maxListedNames;
  const list = names.slice(0, maxListedNames).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `${operation.operationId ?? `${operation.method} ${operation.path}`} takes ${list || "no parameters"}`;
}
