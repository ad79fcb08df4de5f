// The schemas of a document, each taken once: references become `#/$defs/<name>`, and every schema knows which others it
// names, so that an operation gets exactly those it reaches. Circles are harmless, since nothing is written out in place.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { isLocal, type JsonObject, type References } from "./references.ts";

export interface SchemaEntry {
  readonly name: string;
  readonly schema: unknown;
  /** Positions in the table of the schemas it names. */
  readonly uses: readonly number[];
}

export interface SchemaTable {
  /** A schema of an operation; adds the positions of what it names to `uses`. */
  take(schema: unknown, uses: Set<number>): JsonObject;
  /** All that were named so far, in order of their position. Complete once everything was taken. */
  entries(): readonly SchemaEntry[];
}

// Data, in which `$ref` is a member like any other.
const dataKeywords = new Set(["const", "default", "enum", "example", "examples"]);
const mapKeywords = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);
// Useless for building or reading a request, and often the larger part.
const droppedKeywords = new Set(["$id", "$schema", "discriminator", "externalDocs", "xml"]);

export function createSchemaTable(references: References): SchemaTable {
  const positions = new Map<string, number>();
  const names = new Map<string, number>();
  const pointers: { readonly pointer: string; readonly name: string }[] = [];
  const taken: SchemaEntry[] = [];

  function walkSchema(schema: unknown, uses: Set<number>): unknown {
    if (Array.isArray(schema)) return schema.map((item) => walkSchema(item, uses));
    if (!isRecord(schema)) return schema;
    const { $ref: reference } = schema;
    if (typeof reference === "string" && !isLocal(reference)) return note(`remote reference ${cutText(reference, 200)} was not followed`);
    const members: [string, unknown][] = [];
    for (const [key, value] of Object.entries(schema)) {
      if (droppedKeywords.has(key) || key.startsWith("x-")) continue;
      if (key === "$ref" && typeof value === "string") members.push([key, toDefinition(value, uses)]);
      else if (dataKeywords.has(key)) members.push([key, value]);
      else if (mapKeywords.has(key) && isRecord(value)) members.push([key, walkMap(value, uses)]);
      else members.push([key, walkSchema(value, uses)]);
    }
    return Object.fromEntries(members);
  }

  const walkMap = (map: JsonObject, uses: Set<number>): JsonObject =>
    Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, walkSchema(schema, uses)]));

  function toDefinition(pointer: string, uses: Set<number>): string {
    const position = positions.get(pointer) ?? pointers.push({ pointer, name: uniqueName(pointer, names) }) - 1;
    positions.set(pointer, position);
    uses.add(position);
    return `#/$defs/${pointers[position]?.name}`;
  }

  return {
    take: (schema, uses) => {
      const walked = walkSchema(schema, uses);
      return isRecord(walked) ? walked : {};
    },
    entries: () => {
      // Taking one may name further ones, which are then at the end of the list.
      while (taken.length < pointers.length) {
        const { pointer, name } = pointers[taken.length] as { pointer: string; name: string };
        const target = pointer === "#" || pointer === "#/" ? undefined : references.lookUp(pointer);
        const uses = new Set<number>();
        const schema = target === undefined ? note(`reference ${cutText(pointer, 200)} leads nowhere`) : walkSchema(target, uses);
        taken.push({ name, schema, uses: [...uses] });
      }
      return taken;
    },
  };
}

/** A schema that takes anything, and says why. */
export function note(text: string): JsonObject {
  return { $comment: cutText(text, 300) };
}

// Only characters that need no escape in a pointer.
function uniqueName(pointer: string, names: Map<string, number>): string {
  const last = pointer.split("/").at(-1) ?? "";
  const name = last.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 100) || "schema";
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  if (count === 1) return name;
  return uniqueName(`${name}_${count}`, names);
}
