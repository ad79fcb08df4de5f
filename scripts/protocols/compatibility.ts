// What would break a peer that was written against the baseline: a message or field that is gone,
// a field of another type, a request field that is suddenly required, a response field that is no
// longer promised. Additions are fine. A break needs a new major version; where the peers name the
// protocol's family on the wire, a new family as well, and neither comes without the other: hosts
// refuse a family that they don't know, and a newer major of one that they do.

import type { JsonSchema, SchemaDocument } from "./schema-document.ts";

export function findBreaks(baseline: SchemaDocument, current: SchemaDocument): string[] {
  const breaks = [
    ...compareDirection("request", baseline.requests, current.requests),
    ...compareDirection("response", baseline.responses, current.responses),
    ...compareDirection("answer to", baseline.answers, current.answers),
  ];
  const isNewMajor = majorOf(current.version) > majorOf(baseline.version);
  const { family } = baseline;
  if (family === undefined) return isNewMajor ? [] : breaks;
  const isNewFamily = current.family !== family;
  if (isNewFamily && isNewMajor) return [];
  if (isNewFamily) return [...breaks, `the family was ${family} and is ${current.family}; a new family needs a new major version`];
  return isNewMajor ? [...breaks, `the major version is new and the family is still ${family}; both are needed, or neither`] : breaks;
}

type Direction = "request" | "response" | "answer to";
type Schemas = Readonly<Record<string, JsonSchema>>;

function compareDirection(direction: Direction, before: Schemas = {}, now: Schemas = {}): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const current = now[name];
    return current ? compareSchema(direction, `${direction} ${name}`, schema, current) : [`${direction} ${name} is gone`];
  });
}

function compareSchema(direction: Direction, path: string, before: JsonSchema, now: JsonSchema): string[] {
  const breaks: string[] = [];
  if (valueOf(before) !== valueOf(now)) breaks.push(`${path} was ${valueOf(before)} and is ${valueOf(now)}`);
  const currentParts = new Map(partsOf(now));
  for (const [step, part] of partsOf(before)) {
    const current = currentParts.get(step);
    if (current) breaks.push(...compareSchema(direction, `${path}${step}`, part, current));
    else breaks.push(`${path}${step} is gone`);
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

/** The schemas inside a schema, each with the step that leads to it. */
function partsOf({ properties = {}, items, additionalProperties, anyOf = [], oneOf = [] }: JsonSchema): [string, JsonSchema][] {
  return [
    ...Object.entries(properties).map(([name, property]): [string, JsonSchema] => [`.${name}`, property]),
    ...(items ? [["[]", items] satisfies [string, JsonSchema]] : []),
    ...(typeof additionalProperties === "object" ? [[".*", additionalProperties] satisfies [string, JsonSchema]] : []),
    ...anyOf.map((alternative, index): [string, JsonSchema] => [` (form ${index + 1})`, alternative]),
    ...oneOf.map((variant): [string, JsonSchema] => [` (${tagOf(variant)})`, variant]),
  ];
}

// What is left of a schema without its parts. Bounds, choices and the number of forms are compared as they stand:
// narrowing or widening either is worth a human look.
// A variant that is added counts too: readers take the variants for all that there are. Only one that a peer has to ask for does not.
const valueOf = ({ properties: _p, required: _r, items: _i, additionalProperties, anyOf, oneOf, ...rest }: JsonSchema): string =>
  JSON.stringify(
    {
      ...rest,
      ...(typeof additionalProperties === "boolean" && { additionalProperties }),
      ...(anyOf && { forms: anyOf.length }),
      ...(oneOf && { variants: oneOf.filter(isPromised).map(tagOf) }),
    },
    (name, value: unknown) => (name === "description" ? undefined : value),
  );

const isPromised = ({ description }: JsonSchema): boolean => !description?.startsWith("Asked for by ");

/** What tells a variant from the others: the value of its one constant member. */
const tagOf = ({ properties = {} }: JsonSchema): string =>
  String(Object.values(properties).find((property) => property.const !== undefined)?.const);

const majorOf = (version: string): number => Number(version.split(".")[0]);
