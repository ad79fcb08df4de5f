// `$ref`s inside one document. Only pointers into the document itself are followed; one that leads
// elsewhere is never fetched, one that leads nowhere or in a circle is told from a value. Many
// references to one large value are as much work as many values, so all steps count against one limit.

import { HawserError, isRecord, limits } from "@hawser/wire";

// What takes longer than a walk over one value, in such steps.
const mergeSteps = 10;
const hopSteps = 5;

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
  /** Throws `usage` once all steps so far are more than any document needs. */
  spend(steps: number): void;
}

export function createReferences(document: JsonObject): References {
  const known = new Map<string, unknown>();
  let spent = 0;

  function spend(steps: number): void {
    spent += steps;
    if (spent <= limits.maxDocumentMembers) return;
    const text = `the references of the OpenAPI document stand for more than ${limits.maxDocumentMembers} values (maxDocumentMembers)`;
    throw new HawserError("usage", text);
  }

  function lookUp(pointer: string): unknown {
    spend(hopSteps);
    if (known.has(pointer)) return known.get(pointer);
    let current: unknown = document;
    for (const part of pointer.replace(/^#\/?/, "").split("/")) {
      // Only the pointer to the whole document has no name at all.
      if (part === "" && current === document && pointer.length <= 2) break;
      spend(1);
      if (typeof current !== "object" || current === null) return undefined;
      const key = decodePart(part);
      current = Object.hasOwn(current, key) ? (current as JsonObject)[key] : undefined;
    }
    known.set(pointer, current);
    return current;
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
    for (let hop = 0; hop <= limits.maxReferenceSteps; hop++) {
      if (!isRecord(current)) return { problem: "it is not an object" };
      if (typeof current.$ref !== "string") return { value: merge(beside, current) };
      const { $ref: reference, ...rest } = current;
      beside = merge(beside, rest);
      if (!isLocal(reference)) return { problem: `remote reference ${reference.slice(0, 200)} is not followed` };
      current = lookUp(reference);
      if (current === undefined) return { problem: `reference ${reference.slice(0, 200)} leads nowhere` };
    }
    return { problem: "its references lead in a circle" };
  }

  return { resolve, lookUp, spend };
}

export function isLocal(reference: string): boolean {
  return reference.startsWith("#");
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
