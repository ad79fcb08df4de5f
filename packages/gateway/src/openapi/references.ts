// `$ref`s inside one document; one that leads elsewhere is never fetched. A large value is work each time it is used, so
// every use counts against one limit.

import { cutText, HawserError, isRecord } from "@hawser/protocol/internal";
import { gatewayLimits } from "../limits.ts";

// Copying a member takes longer than a look at it; a text takes one step per `unitsPerStep`.
const mergeSteps = 10;
const unitsPerStep = 100;

/** Of a document, with nothing known about its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface Resolved {
  readonly value?: JsonObject | undefined;
  /** Why there is no value. */
  readonly problem?: string | undefined;
}

export interface References {
  /** The object behind a value that may be a reference; members beside `$ref` go before those behind it. */
  resolve(value: unknown): Resolved;
  /** What a JSON pointer such as `#/components/schemas/Pet` names. */
  lookUp(pointer: string): unknown;
  /** Counts steps, and what each of the values says as such. Throws `usage` once that is more than any document needs. */
  spend(steps: number, ...values: readonly unknown[]): void;
}

export function createReferences(document: JsonObject): References {
  const known = new Map<string, unknown>();
  const weights = new Map<unknown, number>();
  let spent = 0;

  function spend(steps: number, ...values: readonly unknown[]): void {
    spent += steps;
    for (const value of values) {
      if (!weights.has(value)) weights.set(value, weigh(value));
      spent += weights.get(value) ?? 0;
    }
    if (spent <= gatewayLimits.maxDocumentMembers) return;
    const text = `the references of the OpenAPI document stand for more than ${gatewayLimits.maxDocumentMembers} values (maxDocumentMembers)`;
    throw new HawserError("usage", text);
  }

  function lookUp(pointer: string): unknown {
    // Also one that leads nowhere: a long pointer takes its time.
    if (!known.has(pointer)) known.set(pointer, follow(pointer, document));
    const found = known.get(pointer);
    spend(0, found);
    return found;
  }

  /** Most references have nothing beside them, and cost nothing here. */
  function merge(first: JsonObject, second: JsonObject): JsonObject {
    const count = Object.keys(first).length;
    if (count === 0) return second;
    spend(mergeSteps * (count + Object.keys(second).length));
    return { ...second, ...first };
  }

  function resolve(value: unknown): Resolved {
    let current = value;
    let beside: JsonObject = {};
    for (let hop = 0; hop <= gatewayLimits.maxReferenceSteps; hop++) {
      if (!isRecord(current)) return { problem: "it is not an object" };
      if (typeof current.$ref !== "string") return { value: merge(beside, current) };
      const { $ref: reference, ...rest } = current;
      beside = merge(beside, rest);
      if (!isLocal(reference)) return { problem: `remote reference ${cutText(reference, 200)} is not followed` };
      current = lookUp(reference);
      if (current === undefined) return { problem: `reference ${cutText(reference, 200)} leads nowhere` };
    }
    return { problem: "its references lead in a circle" };
  }

  return { resolve, lookUp, spend };
}

export function isLocal(reference: string): boolean {
  return reference.startsWith("#");
}

function follow(pointer: string, document: JsonObject): unknown {
  // Only the pointer to the whole document has no name at all.
  if (pointer === "#" || pointer === "#/") return document;
  let current: unknown = document;
  for (const part of pointer.replace(/^#\/?/, "").split("/")) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = decodePart(part);
    current = Object.hasOwn(current, key) ? (current as JsonObject)[key] : undefined;
  }
  return current;
}

/** How many values there are in a value, with long texts as several. */
function weigh(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / unitsPerStep;
  if (typeof value !== "object" || value === null) return 1;
  let weight = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) weight += weigh(member);
  return weight;
}

function decodePart(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign of its own stands for itself.
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}
