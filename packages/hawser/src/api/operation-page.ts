// One operation as `api show` prints it: lines of fields with tabs between them. Parameters and the members of a body
// have their type, with the values that are allowed, and those of nested objects a path for a name.

import { describeShape, fieldsOf, itemsOf, type OperationDescription, type OperationSummary, type Shape } from "@hawser/gateway/internal";

const maxFieldDepth = 5;
const maxFields = 200;

export function toOperationPage(operation: OperationSummary | OperationDescription): string {
  const { method, path, operationId = "", summary = "", tags } = operation;
  const lines = [`method\t${method}`, `path\t${path}`, `operation_id\t${operationId}`, `summary\t${summary}`];
  if (tags.length > 0) lines.push(`tags\t${tags.join(",")}`);
  if ("parameters" in operation) lines.push(...describe(operation));
  return `${lines.join("\n")}\n`;
}

function describe({ parameters, requestBody, description, deprecated, definitions }: OperationDescription): string[] {
  const lines = [`deprecated\t${deprecated === true}`];
  for (const { name, in: place, required, description: about, schema } of parameters)
    lines.push(toLine(["parameter", name, place, toNeed(required), describeShape({ schema, definitions }), firstLine(about)]));
  for (const { contentType, schema } of requestBody?.media ?? []) {
    const shape = { schema, definitions };
    lines.push(toLine(["body", contentType, toNeed(requestBody?.required === true), describeShape(shape)]));
    const fields: string[] = [];
    addFieldLines(fields, shape, "", 1);
    lines.push(...fields.slice(0, maxFields));
    if (fields.length > maxFields) lines.push("…\tthere are more fields; --json shows the whole schema");
  }
  if (description !== undefined) lines.push(`description\t${description.trim()}`);
  return lines;
}

/** Members of members are named by their path: `address.city`, `items[].name`. One more than is shown, so that the rest is said. */
function addFieldLines(lines: string[], shape: Shape, prefix: string, depth: number): void {
  const items = itemsOf(shape);
  if (depth > maxFieldDepth) return;
  if (items) return addFieldLines(lines, items, `${prefix}[]`, depth + 1);
  for (const [name, { shape: field, required, description }] of fieldsOf(shape) ?? []) {
    if (lines.length > maxFields) return;
    const path = prefix === "" ? name : `${prefix}.${name}`;
    lines.push(toLine(["field", path, toNeed(required), describeShape(field), firstLine(description)]));
    addFieldLines(lines, field, path, depth + 1);
  }
}

const toNeed = (required: boolean): string => (required ? "required" : "optional");
const firstLine = (text = ""): string => text.split("\n", 1)[0] ?? "";
const toLine = (fields: readonly string[]): string => fields.join("\t").trimEnd();
