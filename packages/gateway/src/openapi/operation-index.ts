// An index in use: operations are found by id, and described from the records that `readRecords` brings.

import { cutText, HawserError, nearNames } from "@hawser/protocol/internal";
import { createRecentMap } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";
import type { BuiltIndex, IndexHead, Place } from "./build-index.ts";
import type { OperationRecord } from "./describe-operation.ts";
import type { OperationDescription, OperationIndex, OperationSummary } from "./operation.ts";
import { note, type SchemaEntry } from "./schema-table.ts";

/** Brings the bytes at some places of the body. */
export type ReadRecords = (places: readonly Place[]) => Promise<readonly Buffer[]>;

/** From an index that is all in memory. */
export function fromMemory({ body }: BuiltIndex): ReadRecords {
  return (places) => Promise.resolve(places.map(([offset, length]) => body.subarray(offset, offset + length)));
}

export function createOperationIndex(head: IndexHead, readRecords: ReadRecords): OperationIndex {
  const { title, operations, securitySchemes } = head;
  const finder = createFinder(operations);
  const places = new Map(operations.map((operation, at) => [keyOf(operation), head.operationPlaces[at] as Place]));
  const remembered = createRecentMap<Promise<OperationDescription>>(gatewayLimits.maxRememberedEntries);

  async function readDescription(operation: OperationSummary): Promise<OperationDescription> {
    const place = places.get(keyOf(operation));
    if (!place) throw new HawserError("usage", `the document has no operation ${keyOf(operation)}`);
    const [{ description, problem, uses }] = (await readParsed<OperationRecord>(readRecords, [place])) as [OperationRecord];
    if (!description) throw new HawserError("usage", `${operation.operationId ?? keyOf(operation)} can't be called by its id: ${problem}`);
    return { ...description, definitions: await readDefinitions(uses) };
  }

  /** Level by level, each schema once, up to the limit. */
  async function readDefinitions(uses: readonly number[]): Promise<Record<string, unknown>> {
    const definitions: [string, unknown][] = [];
    const seen = new Set(uses);
    let bytes = 0;
    for (let level = [...seen]; level.length > 0;) {
      const wanted = level.map((position) => head.schemaPlaces[position] as Place);
      const entries = await readParsed<SchemaEntry>(readRecords, wanted);
      level = [];
      for (const [at, { name, schema, uses: further }] of entries.entries()) {
        bytes += (wanted[at] as Place)[1];
        const fits = bytes <= gatewayLimits.maxOperationBytes;
        definitions.push([name, fits ? schema : note(`left out: the operation's schemas exceed ${gatewayLimits.maxOperationBytes} bytes`)]);
        for (const position of fits ? further : []) if (!seen.has(position) && seen.add(position)) level.push(position);
      }
    }
    return Object.fromEntries(definitions);
  }

  return {
    title,
    operations,
    securitySchemes,
    find: finder,
    describe: (operation) => {
      const key = keyOf(operation);
      const known = remembered.get(key);
      if (known) return known;
      const reading = readDescription(operation);
      remembered.set(key, reading);
      reading.catch(() => remembered.delete(key));
      return reading;
    },
  };
}

async function readParsed<Entry>(readRecords: ReadRecords, places: readonly Place[]): Promise<Entry[]> {
  return (await readRecords(places)).map((bytes) => JSON.parse(bytes.toString()) as Entry);
}

function keyOf({ method, path }: OperationSummary): string {
  return `${method} ${path}`;
}

function createFinder(operations: readonly OperationSummary[]): (operationId: string) => OperationSummary {
  const exact = Map.groupBy(operations, ({ operationId }) => operationId);
  const folded = Map.groupBy(operations, ({ operationId }) => operationId?.toLowerCase());
  return (given) => {
    const operationId = given.trim();
    const matches = operationId === "" ? [] : (exact.get(operationId) ?? folded.get(operationId.toLowerCase()) ?? []);
    const [only] = matches;
    const shown = JSON.stringify(cutText(operationId, 80));
    if (!only) {
      const known = [...exact.keys()].filter((name) => name !== undefined);
      const near = nearNames(operationId, known);
      const suggestion = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "";
      throw new HawserError("usage", `operationId ${shown} not found${suggestion}`, { facts: { near } });
    }
    if (matches.length === 1) return only;
    const list = matches.slice(0, 5).map((operation) => `${operation.operationId} (${keyOf(operation)})`);
    throw new HawserError("usage", `operationId ${shown} is ambiguous: ${list.join(", ")}; use the exact id, or method and path`);
  };
}
