// `$ref`s inside one document. Only pointers into the document itself are followed; one that leads
// elsewhere is never fetched, one that leads nowhere or in a circle is told from a value.

import { isObject, type JsonObject } from "./json-object.ts";

const maxHops = 32;

export interface Resolved {
  readonly value?: JsonObject | undefined;
  /** Why there is no value. */
  readonly problem?: string | undefined;
}

/** The object behind a value that may be a reference; members beside `$ref` go before those behind it. */
export function resolveObject(document: JsonObject, value: unknown): Resolved {
  let current = value;
  let beside: JsonObject = {};
  for (let hop = 0; hop <= maxHops; hop++) {
    if (!isObject(current)) return { problem: "it is not an object" };
    const { $ref: reference, ...rest } = current;
    if (typeof reference !== "string") return { value: { ...current, ...beside } };
    beside = { ...rest, ...beside };
    if (!isLocal(reference)) return { problem: `remote reference ${reference.slice(0, 200)} is not followed` };
    current = lookUp(document, reference);
    if (current === undefined) return { problem: `reference ${reference.slice(0, 200)} leads nowhere` };
  }
  return { problem: "its references lead in a circle" };
}

export function isLocal(reference: string): boolean {
  return reference.startsWith("#");
}

/** What a JSON pointer such as `#/components/schemas/Pet` names. */
export function lookUp(document: JsonObject, pointer: string): unknown {
  let current: unknown = document;
  for (const part of pointer
    .replace(/^#\/?/, "")
    .split("/")
    .filter((_, index, all) => all.length > 1 || all[index] !== "")) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = decodePart(part);
    current = Object.hasOwn(current, key) ? (current as JsonObject)[key] : undefined;
  }
  return current;
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
