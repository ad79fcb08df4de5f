// The index of a document: a head with what listings show and where everything else lies, and a body of records, one per
// operation and one per schema that an operation reaches. Of the body only what a call needs is read later.

import { crc32 } from "node:zlib";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { gatewayLimits } from "../limits.ts";
import { describeOperation, type OperationRecord } from "./describe-operation.ts";
import type { OperationSummary, SecurityScheme } from "./operation.ts";
import { createReferences, type JsonObject, type References } from "./references.ts";
import { createSchemaTable, note, type SchemaEntry } from "./schema-table.ts";

/** Where a record lies in the body, and its checksum. */
export type Place = readonly [offset: number, length: number, checksum: number];

export interface IndexHead {
  readonly title: string;
  readonly operations: readonly OperationSummary[];
  /** Of the operations, in the same order. */
  readonly operationPlaces: readonly Place[];
  readonly schemaPlaces: readonly Place[];
  readonly securitySchemes: readonly SecurityScheme[];
}

export interface BuiltIndex {
  readonly head: IndexHead;
  readonly body: Buffer;
}

// What an empty operation costs, in values.
const operationSteps = 50;

const tooLong = `the operations of the OpenAPI document have more than ${gatewayLimits.maxIndexBytes} bytes (maxIndexBytes)`;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "QUERY"];

export function buildIndex(document: JsonObject): BuiltIndex {
  const references = createReferences(document);
  const schemas = createSchemaTable(references);
  const body = createBody();
  const found = findOperations(document, references, body);
  const operationPlaces = found.map(({ summary, pathItem, operation }) =>
    body.add(boundOperation(describeOperation(summary, { document, pathItem, operation, references }, schemas))),
  );
  const schemaPlaces = schemas.entries().map((entry) => body.add(boundSchema(entry)));
  const { info } = document;
  const title = isRecord(info) && typeof info.title === "string" ? info.title : "";
  const operations = found.map(({ summary }) => summary);
  const securitySchemes = schemesOf(document, references);
  for (const scheme of securitySchemes) body.count(scheme);
  return { head: { title, operations, operationPlaces, schemaPlaces, securitySchemes }, body: body.whole() };
}

/** The records. Throws `usage` where they and what was counted become too long. */
interface Body {
  add(record: unknown): Place;
  /** What goes into the head. */
  count(value: unknown): void;
  whole(): Buffer;
}

function createBody(): Body {
  const records: Buffer[] = [];
  let offset = 0;
  let total = 0;
  function toBytes(value: unknown): Buffer {
    const bytes = Buffer.from(JSON.stringify(value));
    total += bytes.length;
    if (total > gatewayLimits.maxIndexBytes) throw new HawserError("usage", tooLong);
    return bytes;
  }
  return {
    add: (record) => {
      const bytes = toBytes(record);
      const place: Place = [offset, bytes.length, crc32(bytes)];
      offset += bytes.length;
      records.push(bytes);
      return place;
    },
    count(value) {
      // Before a copy of it is made: one text may be as long as the whole document.
      if (charsOf(value) > gatewayLimits.maxIndexBytes) throw new HawserError("usage", tooLong);
      toBytes(value);
    },
    whole: () => (records.length === 1 ? (records[0] as Buffer) : Buffer.concat(records)),
  };
}

// One text may be as long as the whole document; such an operation or schema would be copied whenever it is used.
const isTooLong = (record: unknown): boolean => charsOf(record) > gatewayLimits.maxOperationBytes;

const boundOperation = (record: OperationRecord): OperationRecord =>
  isTooLong(record) ? { problem: `it has more than ${gatewayLimits.maxOperationBytes} bytes (maxOperationBytes)`, uses: [] } : record;

const boundSchema = (entry: SchemaEntry): SchemaEntry =>
  isTooLong(entry)
    ? { name: entry.name, schema: note(`left out: it has more than ${gatewayLimits.maxOperationBytes} bytes`), uses: [] }
    : entry;

/** Of all its texts; as JSON it is longer. */
function charsOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let chars = 0;
  for (const key in value) chars += charsOf((value as JsonObject)[key]);
  return chars;
}

interface FoundOperation {
  readonly summary: OperationSummary;
  readonly pathItem: JsonObject;
  readonly operation: JsonObject;
}

/** In the order of paths, then methods. A path item behind a remote reference has no operations. */
function findOperations(document: JsonObject, references: References, body: Body): FoundOperation[] {
  const paths = isRecord(document.paths) ? document.paths : {};
  const found: FoundOperation[] = [];
  for (const [path, given] of Object.entries(paths)) {
    // A longer path could not be called.
    const isPath = path.startsWith("/") && path.length <= gatewayLimits.maxParameterBytes;
    const pathItem = isPath ? references.resolve(given).value : undefined;
    if (!pathItem) continue;
    for (const [method, operation] of operationsOf(pathItem, references)) {
      // Each of its operations goes through them.
      references.spend(operationSteps, pathItem.parameters);
      const summary = summaryOf(method, path, operation);
      body.count(summary);
      found.push({ summary, pathItem, operation });
    }
  }
  return found.sort(({ summary: one }, { summary: other }) => compare(one.path, other.path) || compare(one.method, other.method));
}

/** Also those that OpenAPI 3.2 names by any other method. One in lower case could not be sent: here methods have capitals. */
function operationsOf(pathItem: JsonObject, references: References): [method: string, operation: JsonObject][] {
  const fixed = methods.map((method): [string, unknown] => [method, pathItem[method.toLowerCase()]]);
  const additional = Object.entries(isRecord(pathItem.additionalOperations) ? pathItem.additionalOperations : {});
  // Many paths may share them, and those that are left out leave no other trace.
  references.spend(additional.length);
  const others = additional.filter(([name]) => !methods.includes(name) && name !== "CONNECT" && /^[A-Z][A-Z0-9_-]{0,63}$/.test(name));
  return [...fixed, ...others].flatMap(([method, operation]) => (isRecord(operation) ? [[method, operation]] : []));
}

function summaryOf(method: string, path: string, { operationId, summary, tags }: JsonObject): OperationSummary {
  return {
    method,
    path,
    ...(typeof operationId === "string" && operationId.trim() !== "" ? { operationId: operationId.trim() } : {}),
    ...(typeof summary === "string" && summary.trim() !== "" ? { summary: summary.trim() } : {}),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function schemesOf({ components }: JsonObject, references: References): SecurityScheme[] {
  const schemes = isRecord(components) && isRecord(components.securitySchemes) ? components.securitySchemes : {};
  return Object.entries(schemes).flatMap(([name, given]) => toScheme(name, references.resolve(given).value ?? {}) ?? []);
}

function toScheme(name: string, { type, in: place, name: field, scheme }: JsonObject): SecurityScheme | undefined {
  if (type === "apiKey" && typeof field === "string" && (place === "header" || place === "query" || place === "cookie")) {
    return { name, in: place, field, prefix: "" };
  }
  if (type === "oauth2" || type === "openIdConnect") return { name, in: "header", field: "Authorization", prefix: "Bearer " };
  if (type !== "http" || typeof scheme !== "string") return undefined;
  const known = ({ basic: "Basic", bearer: "Bearer" } as Record<string, string>)[scheme.toLowerCase()] ?? scheme;
  return { name, in: "header", field: "Authorization", prefix: `${known} ` };
}
