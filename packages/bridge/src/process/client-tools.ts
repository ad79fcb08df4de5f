// The tools as MCP clients can take them, in pages that they can read. Clients differ in what they
// choke on; each fault is repaired here, so that every parent profits. What can't be repaired is left
// out with a reason, and never hides the other tools.

import { cutText, describeThrown, HawserError, isRecord, limits, toJsonText } from "@hawser/wire";
import { isClientName, maxNameLength } from "../client-name.ts";
import type { ToolSchema } from "../contract.ts";
import { toClientSchema, type ObjectSchema } from "./client-schema.ts";

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
}

export interface ClientTools {
  readonly count: number;
  /** Each page fits into one line; nearly always there is one. */
  readonly pages: readonly (readonly ClientTool[])[];
  /** The parent's tool, by the name the client knows. */
  readonly originals: ReadonlyMap<string, { readonly name: string; readonly isStructured: boolean }>;
  /** One line for each tool that was left out. */
  readonly omissions: readonly string[];
}

export function toClientTools(schemas: readonly ToolSchema[], maxPageBytes: number = limits.maxResultBytes): ClientTools {
  const pages: ClientTool[][] = [[]];
  const originals = new Map<string, { name: string; isStructured: boolean }>();
  const omissions: string[] = [];
  const names = createNames(schemas);
  let pageBytes = 0;
  for (const schema of schemas) {
    try {
      const tool = toClientTool(schema, names);
      const bytes = bytesOf(tool, maxPageBytes);
      if (pageBytes + bytes > maxPageBytes) {
        pages.push([]);
        pageBytes = 0;
      }
      pageBytes += bytes;
      pages.at(-1)?.push(tool);
      originals.set(tool.name, { name: schema.name, isStructured: tool.outputSchema !== undefined });
    } catch (error) {
      omissions.push(`tool "${cutText(schema.name, 200)}" is left out: ${describeThrown(error)}`);
    }
  }
  return { count: originals.size, pages, originals, omissions };
}

function toClientTool(schema: ToolSchema, names: Names): ClientTool {
  const inputSchema = toClientSchema(schema.input_schema);
  if (!inputSchema) throw new HawserError("invalid_message", "its input_schema does not describe an object");
  const outputSchema = isRecord(schema.output_schema) ? toClientSchema(schema.output_schema) : undefined;
  const annotations = isRecord(schema.annotations) ? toClientAnnotations(schema.annotations) : undefined;
  return {
    name: names.take(schema.name),
    description: schema.description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    ...(isRecord(schema._meta) && { _meta: schema._meta }),
  };
}

/** Hints of a wrong type would cost the client all tools; without them it loses a hint. */
function toClientAnnotations(annotations: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isFit = (name: string, value: unknown): boolean =>
    name === "title" ? typeof value === "string" : !name.endsWith("Hint") || typeof value === "boolean";
  return Object.fromEntries(Object.entries(annotations).filter(([name, value]) => isFit(name, value)));
}

// What stands around a tool in its line: the message, its result, the list.
const levelsAround = 3;

function bytesOf(tool: ClientTool, maxBytes: number): number {
  const bytes = Buffer.byteLength(toJsonText(tool, limits.maxWriteDepth - levelsAround));
  if (bytes > maxBytes)
    throw new HawserError("too_large", `it has ${bytes} bytes, more than the ${maxBytes} that clients read in one line`);
  return bytes;
}

// --- names

interface Names {
  take(original: string): string;
}

function createNames(schemas: readonly ToolSchema[]): Names {
  // Names that need no repair keep themselves, wherever they stand; only others give way.
  const taken = new Set(schemas.map(({ name }) => name).filter(isClientName));
  const nextNumbers = new Map<string, number>();
  return {
    take(original) {
      if (isClientName(original)) return original;
      const base = original.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameLength) || "tool";
      for (let number = nextNumbers.get(base) ?? 1; ; number++) {
        const suffix = number === 1 ? "" : `_${number}`;
        const name = base.slice(0, maxNameLength - suffix.length) + suffix;
        if (taken.has(name)) continue;
        taken.add(name);
        nextNumbers.set(base, number + 1);
        return name;
      }
    },
  };
}
