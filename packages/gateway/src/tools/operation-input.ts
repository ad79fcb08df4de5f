// What a model has to give for one operation, as a JSON Schema, and the way back from such arguments to a call. What belongs
// to security (the schemes' parameters, the token's header) is neither shown nor accepted.

import { cutText, type CallItem } from "@hawser/protocol/internal";
import { gatewayLimits } from "../limits.ts";
import type { JsonSchema } from "@hawser/tools";
import type { OperationDescription, Parameter, RequestBodyMedia, SecurityScheme } from "../openapi/operation.ts";
import { usage } from "../request/safe-text.ts";

export interface OperationInput {
  /** For the model. */
  readonly description: string;
  readonly schema: JsonSchema;
  /** Throws `usage` for an argument that the operation does not have. */
  toCall(args: Readonly<Record<string, unknown>>): Pick<CallItem, "params" | "body" | "contentType">;
}

const maxDescriptionChars = 1_000;

/** Header parameters that the specification leaves to other parts of a document, and that carry secrets. */
const reservedHeaders = ["accept", "authorization", "content-type", "cookie", "proxy-authorization", "x-ignition-api-token"];

export function toOperationInput(
  description: OperationDescription,
  schemes: readonly SecurityScheme[],
  tokenHeader?: string,
): OperationInput {
  const hiddenHeaders = new Set([...reservedHeaders, ...(tokenHeader === undefined ? [] : [tokenHeader.toLowerCase()])]);
  const isHidden = ({ in: place, name }: Parameter): boolean =>
    (place === "header" && hiddenHeaders.has(name.toLowerCase())) ||
    schemes.some((scheme) => scheme.in === place && scheme.field.toLowerCase() === name.toLowerCase());
  const visible = nameParameters(description.parameters.filter((parameter) => !isHidden(parameter)));
  const media = chooseMedia(description.requestBody?.media ?? []);
  return {
    description: describeOperation(description),
    schema: toSchema(description, visible, media),
    toCall(args) {
      const known = [...visible.keys(), ...(media ? ["body"] : [])];
      const unknown = Object.keys(args).find((key) => !known.includes(key));
      if (unknown !== undefined)
        throw usage(
          `there is no parameter ${JSON.stringify(unknown)}; there ${known.length > 0 ? `are: ${known.join(", ")}` : "are none"}`,
        );
      const given = Object.entries(args).filter(([key, value]) => visible.has(key) && value !== undefined);
      const params = Object.fromEntries(given.map(([key, value]) => [toPlacedName(visible.get(key) as Parameter), value]));
      if (media === undefined || args["body"] === undefined) return { params };
      // A wildcard is a choice, not a type.
      const type = media.contentType.includes("*") ? {} : { contentType: media.contentType };
      // A string is sent as it is, which in JSON would be no string.
      const body = typeof args["body"] === "string" && isJson(media) ? JSON.stringify(args["body"]) : args["body"];
      return { params, body, ...type };
    },
  };
}

/** Summary and description, then what is called; the model may have seen the API's own documentation. */
function describeOperation({ summary, description, deprecated, method, path }: OperationDescription): string {
  const words = [deprecated && "Deprecated.", summary, description !== summary && description].filter(Boolean).join("\n");
  return [cutText(words, maxDescriptionChars), `${method} ${path}`].filter(Boolean).join("\n");
}

// The same name may stand in path and query.
const toPlacedName = ({ in: place, name }: Parameter): string => `${place}.${name}`;

// Models' APIs take these characters in property names, and no more than 64 of them. `body` is the body.
function nameParameters(parameters: readonly Parameter[]): Map<string, Parameter> {
  const named = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const base = parameter.name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 60) || "parameter";
    let name = base === "body" ? "body_parameter" : base;
    for (let count = 2; named.has(name); count++) name = `${base}_${count}`;
    named.set(name, parameter);
  }
  return named;
}

const isJson = ({ contentType }: RequestBodyMedia): boolean => /^application\/(?:[^;]+\+)?json\b/i.test(contentType);
const chooseMedia = (media: readonly RequestBodyMedia[]): RequestBodyMedia | undefined => media.find(isJson) ?? media[0];

type Visible = ReadonlyMap<string, Parameter>;

function toSchema(description: OperationDescription, visible: Visible, media: RequestBodyMedia | undefined): JsonSchema {
  const properties = [...visible].map(([name, parameter]) => [
    name,
    parameter.description === undefined ? parameter.schema : { ...parameter.schema, description: parameter.description },
  ]);
  const required = [...visible].filter(([, parameter]) => parameter.required).map(([name]) => name);
  if (description.requestBody?.required && media) required.push("body");
  const build = (body: JsonSchema | undefined, definitions: Readonly<Record<string, unknown>>): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries([...properties, ...(body ? [["body", body]] : [])]) as JsonSchema,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  });
  const whole = build(media?.schema, description.definitions);
  if (JSON.stringify(whole).length <= gatewayLimits.maxToolSchemaChars) return whole;
  return build(
    media && { description: `${media.contentType}; its schema is too long to be shown` },
    definitionsOfParameters(description, visible),
  );
}

/** What the parameters need; what the body needs is what makes schemas long. */
function definitionsOfParameters({ definitions }: OperationDescription, visible: Visible): Readonly<Record<string, unknown>> {
  const needed = new Set<string>();
  const pending: unknown[] = [...visible.values()].map(({ schema }) => schema);
  while (pending.length > 0) {
    for (const [, name = ""] of JSON.stringify(pending.pop()).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (needed.has(name)) continue;
      needed.add(name);
      pending.push(definitions[name] ?? null);
    }
  }
  const kept = Object.fromEntries([...needed].map((name) => [name, definitions[name] ?? {}]));
  // Without them the references would be broken: then anything is accepted, and the API says what is wrong.
  return JSON.stringify(kept).length <= gatewayLimits.maxToolSchemaChars ? kept : Object.fromEntries([...needed].map((name) => [name, {}]));
}
