// One operation of a document as the gateway needs it: parameters with their styles filled in, request
// bodies, security. Schemas stay references into the table, whose positions come with them.

import { cutText, isRecord } from "@hawser/protocol/internal";
import type { OperationDescription, OperationSummary, Parameter, ParameterPlace, ParameterStyle, RequestBodyMedia } from "./operation.ts";
import type { JsonObject, References } from "./references.ts";
import type { SchemaTable } from "./schema-table.ts";

/** What is stored of an operation: its description without definitions, or why it can't be described. */
export interface OperationRecord {
  readonly description?: Omit<OperationDescription, "definitions"> | undefined;
  readonly problem?: string | undefined;
  readonly uses: readonly number[];
}

const places = new Set<unknown>(["path", "query", "querystring", "header", "cookie"]);
const styles = new Set<unknown>(["simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"]);
// The specification says that these are not parameters: they follow from body, responses and security.
const ignoredHeaders = new Set(["accept", "authorization", "content-type"]);

interface Source {
  readonly document: JsonObject;
  readonly pathItem: JsonObject;
  readonly operation: JsonObject;
  readonly references: References;
}

interface Taking extends Source {
  readonly takeSchema: (schema: unknown) => JsonObject;
  readonly problems: string[];
}

export function describeOperation(summary: OperationSummary, source: Source, schemas: SchemaTable): OperationRecord {
  const { operation, document, references } = source;
  const uses = new Set<number>();
  const problems: string[] = [];
  const taking = { ...source, takeSchema: (schema: unknown) => schemas.take(schema ?? {}, uses), problems };
  const parameters = parametersOf(summary.path, taking);
  const requestBody = requestBodyOf(taking);
  if (problems.length > 0) return { problem: cutText(problems.join("; "), 1_000), uses: [] };
  // An empty requirement among others makes security optional; the others still say how a token travels.
  const requirements = listOf(operation.security ?? document.security);
  references.spend(0, operation.security ?? document.security);
  const description: Omit<OperationDescription, "definitions"> = {
    ...summary,
    ...(typeof operation.description === "string" ? { description: operation.description } : {}),
    ...(operation.deprecated === true ? { deprecated: true as const } : {}),
    parameters,
    ...(requestBody ? { requestBody } : {}),
    security: [...new Set(requirements.flatMap((requirement) => (isRecord(requirement) ? Object.keys(requirement) : [])))],
  };
  return { description, uses: [...uses] };
}

function parametersOf(path: string, taking: Taking): Parameter[] {
  const { references, pathItem, operation, problems } = taking;
  // A parameter of the operation replaces the one of the path item with the same name and place.
  const byKey = new Map<string, Parameter>();
  for (const given of [...listOf(pathItem.parameters), ...listOf(operation.parameters)]) {
    const { value, problem } = references.resolve(given);
    if (!value) problems.push(`a parameter can't be read: ${problem}`);
    const parameter = value && toParameter(value, taking);
    if (parameter) byKey.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const inPath = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string));
  for (const name of inPath) {
    const key = `path ${name}`;
    if (!byKey.has(key)) byKey.set(key, { name, in: "path", required: true, ...stylesOf({}, "path"), schema: { type: "string" } });
  }
  return [...byKey.values()].filter((parameter) => parameter.in !== "path" || inPath.has(parameter.name));
}

function toParameter(value: JsonObject, { references, takeSchema }: Taking): Parameter | undefined {
  const { name, in: given, description, content } = value;
  if (typeof name !== "string" || name === "" || !places.has(given)) return undefined;
  const place = given as ParameterPlace;
  if (place === "header" && ignoredHeaders.has(name.toLowerCase())) return undefined;
  const [contentType, media] = isRecord(content) ? (Object.entries(content)[0] ?? []) : [];
  const schema = contentType === undefined ? value.schema : references.resolve(media).value?.schema;
  return {
    name,
    in: place,
    required: place === "path" || value.required === true,
    ...stylesOf(value, place),
    ...(typeof description === "string" ? { description } : {}),
    schema: takeSchema(schema),
    ...(contentType === undefined ? {} : { contentType }),
  };
}

function stylesOf(value: JsonObject, place: ParameterPlace): Pick<Parameter, "style" | "explode" | "allowReserved"> {
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const style = (styles.has(value.style) ? value.style : usual) as ParameterStyle;
  return {
    style,
    explode: typeof value.explode === "boolean" ? value.explode : style === "form" || style === "cookie",
    allowReserved: value.allowReserved === true,
  };
}

function requestBodyOf({ references, operation, takeSchema, problems }: Taking): OperationDescription["requestBody"] {
  if (operation.requestBody === undefined) return undefined;
  const { value, problem } = references.resolve(operation.requestBody);
  if (!value) {
    problems.push(`the request body can't be read: ${problem}`);
    return undefined;
  }
  const media = Object.entries(isRecord(value.content) ? value.content : {}).map(([contentType, given]): RequestBodyMedia => {
    const member = references.resolve(given).value ?? {};
    const encoding = encodingOf(member.encoding);
    return { contentType, schema: takeSchema(member.schema), ...(encoding ? { encoding } : {}) };
  });
  return { required: value.required === true, media };
}

function encodingOf(value: unknown): RequestBodyMedia["encoding"] | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).map(([name, given]) => {
    const { contentType, style, explode } = isRecord(given) ? given : ({} as JsonObject);
    const rule = {
      ...(typeof contentType === "string" ? { contentType } : {}),
      ...(styles.has(style) ? { style: style as ParameterStyle } : {}),
      ...(typeof explode === "boolean" ? { explode } : {}),
    };
    return [name, rule] as const;
  });
  return Object.fromEntries(entries);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
