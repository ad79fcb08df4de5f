// The tools that the client sees, from the schema file. Usually it is read once, at start; one that breaks the contract ends the
// process with the reason and the entry's index. Behind a fixed name the program may be restarted with other tools: then the
// file is read again when it has changed. While the program is away the list stays as it was.

import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { BridgeStartupError, describeThrown, isRecord } from "@hawser/protocol/internal";
import { isTrustedOwner, logLine } from "@hawser/wire/internal/node";
import type { BridgeOptions } from "../contract/bridge-options.ts";
import { toClientTools, type ClientTools } from "../contract/client-tools.ts";
import type { ToolSchema } from "../contract/contract.ts";
import { bridgeLimits } from "../limits.ts";

export type ToolList = ReturnType<typeof createToolList>;

/** Throws when the file can't be used; only with `follow` may it be missing. */
export function createToolList({ schemaPath, follow }: Pick<BridgeOptions, "schemaPath" | "follow">) {
  let seen = follow ? fingerprintOf(schemaPath) : undefined;
  let schemas = readFirst();
  let current = toTools(schemas);
  let onChange = (): void => {};
  let timer: NodeJS.Timeout | undefined;

  function readFirst(): string {
    try {
      return readSchemaFile(schemaPath);
    } catch (error) {
      if (!follow || fingerprintOf(schemaPath) !== undefined) throw error;
      logLine(`[hawser] the program behind ${schemaPath} isn't running; its tools appear when it does`);
      return "[]";
    }
  }

  /** Reads the file again if it has changed. */
  function refresh(): void {
    const found = follow ? fingerprintOf(schemaPath) : undefined;
    if (found === undefined || found === seen) return;
    seen = found;
    try {
      const fresh = readSchemaFile(schemaPath);
      if (fresh === schemas) return;
      schemas = fresh;
    } catch (error) {
      logLine(`[hawser] the tools stay as they were: ${describeThrown(error)}`);
      return;
    }
    current = toTools(schemas);
    onChange();
  }

  return {
    get current() {
      return current;
    },
    refresh,
    /** Looks at the file from now on, and calls back when the tools have changed. A second callback replaces the first. */
    watch(listener: () => void): void {
      onChange = listener;
      // Polled: a watched folder may be removed and made anew, and not every file system reports changes.
      if (follow) timer ??= setInterval(refresh, bridgeLimits.bridgeFollowMs);
    },
    close: () => clearInterval(timer),
  };
}

function toTools(schemas: string): ClientTools {
  const tools = toClientTools(JSON.parse(schemas) as ToolSchema[]);
  for (const omission of tools.omissions) logLine(`[hawser] ${omission}`);
  return tools;
}

/** Undefined when there is no such file. Not the inode alone, which the next file may get. */
function fingerprintOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(":");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "unreadable";
  }
}

// --- the schema file

/** Its tools as JSON text. */
function readSchemaFile(path: string): string {
  let entries: unknown;
  try {
    entries = JSON.parse(readText(path));
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file; is the program running?" : describeThrown(cause);
    throw new BridgeStartupError(`can't read the schema file ${path}: ${reason}`, { cause });
  }
  if (!Array.isArray(entries)) throw new BridgeStartupError(`the schema file ${path} must hold a JSON array of tools`);
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) checkEntry(path, index, entry, seen);
  return JSON.stringify(entries);
}

function readText(path: string): string {
  const stat = statSync(path);
  // A pipe or a device could keep us waiting forever.
  if (!stat.isFile()) throw new BridgeStartupError("it isn't a regular file");
  // Models follow what descriptions say; another user must not write them in the place of a program that has ended.
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
