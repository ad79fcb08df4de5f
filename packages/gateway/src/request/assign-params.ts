// Which value belongs to which parameter of an operation. Names are the document's; where one name
// stands in two places the caller says which (`query.id`). Unknown and missing names are refused
// with the names that there are.

import { nearNames } from "@hawser/wire";
import type { OperationDescription, Parameter } from "../openapi/operation.ts";
import { isGiven } from "./parameter-styles.ts";
import { shown, usage } from "./safe-text.ts";

export interface AssignedParams {
  readonly values: ReadonlyMap<Parameter, unknown>;
  /** `params.body`, where the operation takes a body. */
  readonly body: unknown;
}

const maxListedNames = 20;

export function assignParams(operation: OperationDescription, params: Readonly<Record<string, unknown>>): AssignedParams {
  const values = new Map<Parameter, unknown>();
  let body: unknown;
  for (const [name, value] of Object.entries(params)) {
    if (name === "body" && operation.requestBody) body = value;
    else {
      const parameter = findParameter(operation, name);
      if (values.has(parameter)) throw usage(`parameter ${parameter.in}.${parameter.name} is given twice`);
      if (isGiven(value)) values.set(parameter, value);
    }
  }
  return { values, body };
}

/** Refuses a call without a required parameter. `isElsewhere` says whether `query` or `headers` of the item carry it. */
export function checkRequired(
  operation: OperationDescription,
  values: ReadonlyMap<Parameter, unknown>,
  isElsewhere: (parameter: Parameter) => boolean,
): void {
  const missing = operation.parameters.filter((parameter) => parameter.required && !values.has(parameter) && !isElsewhere(parameter));
  if (missing.length === 0) return;
  const names = missing.map(({ name, in: place }) => `${name} (${place})`).join(", ");
  const [first = ""] = missing.map(({ name }) => name);
  throw usage(`missing required parameter ${names}; ${takenBy(operation)}`, {
    missing: missing.map(({ name }) => name),
    hint: `give it as "params": {${shown(first)}: …}, or --param ${first}=… on the command line`,
  });
}

function findParameter(operation: OperationDescription, given: string): Parameter {
  const places = /^(path|query|querystring|header|cookie)\.(.+)$/s.exec(given);
  const matches = operation.parameters.filter((parameter) => hasName(parameter, given));
  if (matches.length === 1) return matches[0] as Parameter;
  if (matches.length > 1) {
    throw usage(`parameter ${shown(given)} stands in several places; write ${matches.map((one) => `${one.in}.${one.name}`).join(" or ")}`);
  }
  const placed = places && operation.parameters.find((one) => one.in === places[1] && hasName(one, places[2] as string));
  if (placed) return placed;
  const near = nearNames(
    given,
    operation.parameters.map(({ name }) => name),
  );
  const suggestion = near.length > 0 ? ` (did you mean ${near.join(" or ")}?)` : "";
  throw usage(`unknown parameter ${shown(given)}${suggestion}; ${takenBy(operation)}`);
}

function hasName(parameter: Parameter, given: string): boolean {
  return parameter.in === "header" ? parameter.name.toLowerCase() === given.toLowerCase() : parameter.name === given;
}

function takenBy(operation: OperationDescription): string {
  const names = operation.parameters.map(({ name, in: place, required }) => `${name} (${place}${required ? ", required" : ""})`);
  if (operation.requestBody) names.push("body");
  const rest = names.length - maxListedNames;
  const list = names.slice(0, maxListedNames).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `${operation.operationId ?? `${operation.method} ${operation.path}`} takes ${list || "no parameters"}`;
}
