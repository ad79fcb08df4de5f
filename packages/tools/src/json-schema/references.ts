// The parts of a schema that others refer to: by `$id`, by `$anchor`, or by the way to them (`#/$defs/boat`). Nothing is
// fetched: a reference that leads out of the schema is a fault. The schema itself is not touched.

import { isRecord, quoteShort } from "@hawser/protocol/internal";
import {
  LargeMap,
  schemaFault,
  type Check,
  type Keyword,
  type Prepared,
  type References,
  type SchemaObject,
  type Scope,
} from "./checking.ts";
import { createPace } from "./slices.ts";

const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
const schemaKeywords = new Set([...single, "unevaluatedItems", "unevaluatedProperties"]);
const listKeywords = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

const rootBase = "schema:///";

/** Where no keyword leads; a reference that does is visited. */
const unknownSchema: Prepared = { base: rootBase, keywords: [], asksForUnseen: false };

const maxReferenceChars = 100_000;

// What it takes to pass over a keyword, in steps.
const stepsPerKeyword = 1 / 8;

/** What stands in the schema, with the keywords of this table; others assert nothing. */
export function* createReferences(root: SchemaObject, table: ReadonlyMap<string, Keyword>): Check<References> {
  const isPauseDue = createPace();
  const prepared = new LargeMap<object, Prepared>();
  const names = new LargeMap<object, readonly string[]>();
  const documents = new LargeMap<string, SchemaObject>();
  const anchors = new LargeMap<string, SchemaObject>();
  const dynamicAnchors = new LargeMap<string, SchemaObject>();
  const resolved = new LargeMap<SchemaObject, unknown>();

  /** All schemas below this one. Not by recursion, since a schema may be nested deeper than the stack is. */
  function* visit(first: unknown, firstBase: string): Check<void> {
    const open: { schema: unknown; outerBase: string }[] = [{ schema: first, outerBase: firstBase }];
    for (let next = open.pop(); next; next = open.pop()) {
      if (isPauseDue(1)) yield undefined;
      const { schema } = next;
      if (!isRecord(schema) || prepared.get(schema)) continue;
      const base = enroll(schema, next.outerBase);
      const keywords = new Set<Keyword>();
      for (const name of Object.keys(schema)) {
        if (isPauseDue(stepsPerKeyword)) yield undefined;
        const keyword = table.get(name);
        if (keyword) keywords.add(keyword);
        for (const one of yield* partsOf(name, schema[name])) open.push({ schema: one, outerBase: base });
      }
      const asksForUnseen = Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems");
      prepared.set(schema, { base, keywords: [...keywords], asksForUnseen });
    }
  }

  /** Notes the names that the schema has; returns its base. */
  function enroll(schema: SchemaObject, outerBase: string): string {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const base = typeof $id === "string" ? toAddress($id, outerBase).base : outerBase;
    if (base !== outerBase) documents.set(base, schema);
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") anchors.set(`${base}#${name}`, schema);
    if (typeof $dynamicAnchor === "string") dynamicAnchors.set(`${base}#${$dynamicAnchor}`, schema);
    return base;
  }

  /** The schemas in a keyword. */
  function* partsOf(keyword: string, value: unknown): Check<readonly unknown[]> {
    if (Array.isArray(value)) return listKeywords.has(keyword) ? value : [];
    if (schemaKeywords.has(keyword)) return [value];
    if (!mapKeywords.has(keyword) || !isRecord(value)) return [];
    const keys = Object.keys(value);
    names.set(value, keys);
    const parts: unknown[] = [];
    for (const key of keys) {
      if (isPauseDue(stepsPerKeyword)) yield undefined;
      parts.push(value[key]);
    }
    return parts;
  }

  function* find(schema: SchemaObject, reference: string): Check<unknown> {
    const { base, fragment } = toAddress(reference, prepared.get(schema)?.base ?? rootBase);
    const document = documents.get(base);
    if (document === undefined)
      throw schemaFault(`the reference ${quoteShort(reference, 200)} leads out of the schema, and nothing is fetched`);
    const target = fragment === "" || fragment.startsWith("/") ? follow(document, fragment) : anchors.get(`${base}#${fragment}`);
    if (target === undefined) throw schemaFault(`the reference ${quoteShort(reference, 200)} leads nowhere`);
    // It may stand where no keyword is known.
    yield* visit(target, base);
    return target;
  }

  function* resolve(schema: SchemaObject, reference: string): Check<unknown> {
    const target = resolved.get(schema) ?? (yield* find(schema, reference));
    resolved.set(schema, target);
    return target;
  }

  documents.set(rootBase, root);
  yield* visit(root, rootBase);
  return {
    rootScope: { base: rootBase, outer: undefined },
    prepared: (schema) => prepared.get(schema) ?? unknownSchema,
    known: (schema) => resolved.get(schema),
    namesOf: (map) => names.get(map),
    resolve,
    *resolveDynamic(schema, reference, scope) {
      const { base, fragment } = toAddress(reference, prepared.get(schema)?.base ?? rootBase);
      if (!dynamicAnchors.get(`${base}#${fragment}`)) return yield* find(schema, reference);
      // The outermost document that has such an anchor.
      let target: unknown;
      for (let at: Scope | undefined = scope; at; at = at.outer) {
        target = dynamicAnchors.get(`${at.base}#${fragment}`) ?? target;
        if (isPauseDue(1)) yield undefined;
      }
      return target ?? (yield* find(schema, reference));
    },
  };
}

function toAddress(reference: string, base: string): { readonly base: string; readonly fragment: string } {
  // Parsing is done in one go.
  if (reference.length > maxReferenceChars) throw schemaFault(`the reference ${quoteShort(reference, 200)} is too long`);
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return { base: url.href, fragment };
  } catch (cause) {
    throw schemaFault(`${quoteShort(reference, 200)} is not an address`, cause);
  }
}

function follow(document: unknown, pointer: string): unknown {
  let found = document;
  // Not split, since nothing says that it isn't far longer than the schema is deep.
  for (let at = 0, end = 0; at < pointer.length; at = end) {
    end = pointer.indexOf("/", at + 1);
    if (end < 0) end = pointer.length;
    const key = pointer
      .slice(at + 1, end)
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}
