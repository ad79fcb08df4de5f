// Reads the schema file once, at start. A file that breaks the contract ends the process with the
// reason and the entry's index; it never starts half a server.

import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { BridgeStartupError, describeThrown, isRecord } from "@hawser/wire";
import { isTrustedOwner } from "@hawser/wire/node";
import type { ToolSchema } from "../contract.ts";

export function readSchemaFile(path: string): ToolSchema[] {
  let entries: unknown;
  try {
    entries = JSON.parse(readText(path));
  } catch (cause) {
    throw new BridgeStartupError(`can't read the schema file ${path}: ${describeThrown(cause)}`, { cause });
  }
  if (!Array.isArray(entries)) throw new BridgeStartupError(`the schema file ${path} must hold a JSON array of tools`);
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) checkEntry(path, index, entry, seen);
  return entries as ToolSchema[];
}

function readText(path: string): string {
  const stat = statSync(path);
  // A pipe or a device could keep us waiting for ever.
  if (!stat.isFile()) throw new BridgeStartupError("it is no regular file");
  // Models follow what descriptions say; a stranger must not write them in the place of a program that has ended.
  if (!isTrustedOwner(stat.uid)) throw new BridgeStartupError(`it belongs to another user (${stat.uid})`);
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new BridgeStartupError("it is not valid UTF-8");
  return bytes.toString("utf8");
}

function checkEntry(path: string, index: number, entry: unknown, seen: Map<string, number>): void {
  const fail = (reason: string): never => {
    throw new BridgeStartupError(`the schema file ${path}, tool ${index}: ${reason}`, { facts: { index } });
  };
  const { name, description, input_schema: schema } = (isRecord(entry) ? entry : {}) as Partial<Record<keyof ToolSchema, unknown>>;
  if (typeof name !== "string") return fail("`name` must be a string");
  if (typeof description !== "string") return fail(`\`description\` of "${name}" must be a string`);
  if (!isRecord(schema)) return fail(`\`input_schema\` of "${name}" must be an object`);
  if (seen.has(name)) return fail(`"${name}" is also the name of tool ${seen.get(name)}`);
  seen.set(name, index);
}
