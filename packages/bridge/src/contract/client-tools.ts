// The tools as MCP clients can take them, in pages that they can read. Each fault that some client chokes on is repaired here. What
// can't be repaired is left out with a reason, and never hides the other tools.

import { bridgeLimits } from "../limits.ts";
import { toJsonText, wireLimits } from "@hawser/wire/internal";
import { cutText, describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import type { ToolSchema } from "./contract.ts";
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

export function toClientTools(schemas: readonly ToolSchema[], maxPageBytes: number = bridgeLimits.maxResultBytes): ClientTools {
  const pages: ClientTool[][] = [[]];
  const originals = new Map<string, { name: string; isStructured: boolean }>();
  const omissions: string[] = [];
  const nameFor = createNaming(schemas);
  let pageBytes = 0;
  for (const schema of schemas) {
    try {
      const tool = toClientTool(schema, nameFor);
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

function toClientTool(schema: ToolSchema, nameFor: (original: string) => string): ClientTool {
  const inputSchema = toClientSchema(schema.input_schema);
  if (!inputSchema) throw new HawserError("invalid_message", "its input_schema does not describe an object");
  const outputSchema = isRecord(schema.output_schema) ? toClientSchema(schema.output_schema) : undefined;
  const annotations = isRecord(schema.annotations) ? toClientAnnotations(schema.annotations) : undefined;
  return {
    name: nameFor(schema.name),
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

// The levels around a tool in its line: the message, its result, the list.
const levelsAround = 3;

function bytesOf(tool: ClientTool, maxBytes: number): number {
  const bytes = Buffer.byteLength(toJsonText(tool, wireLimits.maxWriteDepth - levelsAround));
  if (bytes > maxBytes)
    throw new HawserError("too_large", `it has ${bytes} bytes, more than the ${maxBytes} that clients read in one line`);
  return bytes;
}

// --- names

/** Names that every client takes, for tools and servers alike: letters, digits, `_` and `-`, at most 64. */
export const isClientName = (name: string): boolean => name.length <= maxNameLength && /^[A-Za-z0-9_-]+$/.test(name);

export const maxNameLength = 64;

/** Gives each tool a name that clients take. */
function createNaming(schemas: readonly ToolSchema[]): (original: string) => string {
  // A name that needs no repair is kept, wherever it stands in the list; a repaired one gives way.
  const taken = new Set(schemas.map(({ name }) => name).filter(isClientName));
  const nextNumbers = new Map<string, number>();
  return (original) => {
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
  };
}
