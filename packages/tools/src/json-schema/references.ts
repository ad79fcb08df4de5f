// The parts of a schema that others refer to: by `$id`, by `$anchor`, or by the way to them (`#/$defs/boat`). Nothing is
// fetched: a reference that leads out of the schema is a fault. The schema itself is not touched.

import { isRecord, quoteShort } from "@hawser/protocol/internal";
import { LargeMap, schemaFault, type Check, type References, type SchemaObject, type Scope } from "./checking.ts";
import { createPace } from "./slices.ts";

const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
const schemaKeywords = new Set([...single, "unevaluatedItems", "unevaluatedProperties"]);
const listKeywords = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

const rootBase = "schema:///";

const maxReferenceChars = 100_000;

// What it takes to pass over a keyword, in steps.
const stepsPerKeyword = 1 / 8;

export function* createReferences(root: SchemaObject): Check<References> {
  const isPauseDue = createPace();
  const bases = new LargeMap<object, string>();
  const documents = new LargeMap<string, SchemaObject>();
  const anchors = new LargeMap<string, SchemaObject>();
  const dynamicAnchors = new LargeMap<string, SchemaObject>();
  const resolved = new LargeMap<SchemaObject, unknown>();

  function* visit(schema: unknown, outerBase: string): Check<void> {
    if (isPauseDue(1)) yield undefined;
    if (!isRecord(schema) || bases.get(schema) !== undefined) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const base = typeof $id === "string" ? toAddress($id, outerBase).base : outerBase;
    bases.set(schema, base);
    if (base !== outerBase) documents.set(base, schema);
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") anchors.set(`${base}#${name}`, schema);
    if (typeof $dynamicAnchor === "string") dynamicAnchors.set(`${base}#${$dynamicAnchor}`, schema);
    for (const keyword of Object.keys(schema)) {
      if (isPauseDue(stepsPerKeyword)) yield undefined;
      const value = schema[keyword];
      if (Array.isArray(value)) {
        if (listKeywords.has(keyword)) for (const one of value) yield* visit(one, base);
      } else if (schemaKeywords.has(keyword)) yield* visit(value, base);
      else if (mapKeywords.has(keyword) && isRecord(value)) for (const name of Object.keys(value)) yield* visit(value[name], base);
    }
  }

  function* find(schema: SchemaObject, reference: string): Check<unknown> {
    const { base, fragment } = toAddress(reference, bases.get(schema) ?? rootBase);
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
    enter(schema, scope) {
      const base = bases.get(schema) ?? scope?.base ?? rootBase;
      return scope?.base === base ? scope : { base, outer: scope };
    },
    resolve,
    *resolveDynamic(schema, reference, scope) {
      const { base, fragment } = toAddress(reference, bases.get(schema) ?? rootBase);
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
