// The parts of a schema that others refer to: by `$id`, by `$anchor`, or by the way to them (`#/$defs/boat`). Nothing is
// fetched: a reference that leads out of the schema is a fault. The schema itself is not touched.

import { quoteShort } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { schemaFault, type References, type SchemaObject, type Scope } from "./checking.ts";

const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
const schemaKeywords = new Set([...single, "unevaluatedItems", "unevaluatedProperties"]);
const listKeywords = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

const rootBase = "schema:///";

export function createReferences(root: SchemaObject): References {
  const bases = new Map<object, string>();
  const documents = new Map<string, SchemaObject>();
  const anchors = new Map<string, SchemaObject>();
  const dynamicAnchors = new Map<string, SchemaObject>();
  const resolved = new Map<SchemaObject, unknown>();

  function visit(schema: unknown, outerBase: string): void {
    if (!isRecord(schema) || bases.has(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const base = typeof $id === "string" ? toAddress($id, outerBase).base : outerBase;
    bases.set(schema, base);
    if (base !== outerBase) documents.set(base, schema);
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") anchors.set(`${base}#${name}`, schema);
    if (typeof $dynamicAnchor === "string") dynamicAnchors.set(`${base}#${$dynamicAnchor}`, schema);
    for (const [keyword, value] of Object.entries(schema)) {
      if (Array.isArray(value)) {
        if (listKeywords.has(keyword)) for (const one of value) visit(one, base);
      } else if (schemaKeywords.has(keyword)) visit(value, base);
      else if (mapKeywords.has(keyword) && isRecord(value)) for (const one of Object.values(value)) visit(one, base);
    }
  }

  function find(schema: SchemaObject, reference: string): unknown {
    const { base, fragment } = toAddress(reference, bases.get(schema) ?? rootBase);
    const document = documents.get(base);
    if (document === undefined)
      throw schemaFault(`the reference ${quoteShort(reference, 200)} leads out of the schema, and nothing is fetched`);
    const target = fragment === "" || fragment.startsWith("/") ? follow(document, fragment) : anchors.get(`${base}#${fragment}`);
    if (target === undefined) throw schemaFault(`the reference ${quoteShort(reference, 200)} leads nowhere`);
    // It may stand where no keyword is known.
    visit(target, base);
    return target;
  }

  function resolve(schema: SchemaObject, reference: string): unknown {
    const target = resolved.get(schema) ?? find(schema, reference);
    resolved.set(schema, target);
    return target;
  }

  documents.set(rootBase, root);
  visit(root, rootBase);
  return {
    enter(schema, scope) {
      const base = bases.get(schema) ?? scope?.base ?? rootBase;
      return scope?.base === base ? scope : { base, outer: scope };
    },
    resolve,
    resolveDynamic(schema, reference, scope) {
      const { base, fragment } = toAddress(reference, bases.get(schema) ?? rootBase);
      if (!dynamicAnchors.has(`${base}#${fragment}`)) return find(schema, reference);
      // The outermost document that has such an anchor.
      let target: unknown;
      for (let at: Scope | undefined = scope; at; at = at.outer) target = dynamicAnchors.get(`${at.base}#${fragment}`) ?? target;
      return target ?? find(schema, reference);
    },
  };
}

function toAddress(reference: string, base: string): { readonly base: string; readonly fragment: string } {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return { base: url.href, fragment };
  } catch (cause) {
    throw schemaFault(`${quoteShort(reference, 200)} is no address`, cause);
  }
}

function follow(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}
