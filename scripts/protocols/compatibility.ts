// What would break a peer that was written against the baseline: a message or field that is gone,
// a field of another type, a request field that is suddenly required, a response field that is no
// longer promised. Additions are fine. A break is allowed when the major version was raised.

import type { JsonSchema, SchemaDocument } from "./schema-document.ts";

export function findBreaks(baseline: SchemaDocument, current: SchemaDocument): string[] {
  if (majorOf(current.version) > majorOf(baseline.version)) return [];
  return [
    ...compareDirection("request", baseline.requests, current.requests),
    ...compareDirection("response", baseline.responses, current.responses),
  ];
}

type Direction = "request" | "response";

function compareDirection(direction: Direction, before: SchemaDocument["requests"], now: SchemaDocument["requests"]): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const current = now[name];
    return current ? compareSchema(direction, `${direction} ${name}`, schema, current) : [`${direction} ${name} is gone`];
  });
}

function compareSchema(direction: Direction, path: string, before: JsonSchema, now: JsonSchema): string[] {
  const breaks: string[] = [];
  if (valueOf(before) !== valueOf(now)) breaks.push(`${path} was ${valueOf(before)} and is ${valueOf(now)}`);
  for (const [name, property] of Object.entries(before.properties ?? {})) {
    const current = now.properties?.[name];
    if (current) breaks.push(...compareSchema(direction, `${path}.${name}`, property, current));
    else breaks.push(`${path}.${name} is gone`);
  }
  const wasRequired = new Set(before.required);
  const isRequired = new Set(now.required);
  if (direction === "request") {
    for (const name of isRequired) if (!wasRequired.has(name)) breaks.push(`${path}.${name} is required now`);
  } else {
    for (const name of wasRequired) if (!isRequired.has(name)) breaks.push(`${path}.${name} is no longer promised`);
  }
  return breaks;
}

// Items, unions and bounds are compared as they stand: narrowing or widening either is worth a human look.
const valueOf = ({ properties: _p, required: _r, additionalProperties: _a, ...rest }: JsonSchema): string =>
  JSON.stringify(rest, (name, value: unknown) => (name === "description" ? undefined : value));
const majorOf = (version: string): number => Number(version.split(".")[0]);
