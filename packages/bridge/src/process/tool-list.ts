// The tools that the client sees. Usually they are read once, at start. Behind a fixed name the program may be restarted with
// other tools: then the file is looked at once a second, and before each list and call, and read again when it is another one. While the
// program is away the list stays as it was.

import { statSync } from "node:fs";
import { describeThrown, limits } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { ToolSchema } from "../contract.ts";
import { toClientTools, type ClientTools } from "./client-tools.ts";
import { readSchemaFile } from "./schema-file.ts";

export interface ToolList {
  readonly current: ClientTools;
  /** Reads the file again if it is another one by now. */
  refresh(): void;
  /** Calls back when the tools have changed; the returned function ends it. */
  watch(onChange: () => void): () => void;
}

export interface ToolListOptions {
  readonly schemaPath: string;
  readonly follow: boolean;
}

/** Throws when the file can't be used; only one that is to be followed may be missing. */
export function createToolList({ schemaPath, follow }: ToolListOptions): ToolList {
  let seen = follow ? fingerprintOf(schemaPath) : undefined;
  let schemas = readFirst();
  let current = toTools(schemas);
  let onChange = (): void => {};

  function readSchemas(): string {
    return JSON.stringify(readSchemaFile(schemaPath));
  }

  function readFirst(): string {
    try {
      return readSchemas();
    } catch (error) {
      if (!follow || fingerprintOf(schemaPath) !== undefined) throw error;
      logLine(`[hawser] the program behind ${schemaPath} isn't running; its tools appear when it does`);
      return "[]";
    }
  }

  function refresh(): void {
    const found = follow ? fingerprintOf(schemaPath) : undefined;
    if (found === undefined || found === seen) return;
    seen = found;
    try {
      const fresh = readSchemas();
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
    watch(listener) {
      if (!follow) return () => {};
      onChange = listener;
      // By asking again and again: a watched folder may be removed and made anew, and not every file system tells.
      const timer = setInterval(refresh, limits.bridgeFollowMs);
      return () => clearInterval(timer);
    },
  };
}

function toTools(schemas: string): ClientTools {
  const tools = toClientTools(JSON.parse(schemas) as ToolSchema[]);
  for (const omission of tools.omissions) logLine(`[hawser] ${omission}`);
  return tools;
}

/** Undefined when there is no such file. An inode alone may be given to the next file. */
function fingerprintOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(":");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "unreadable";
  }
}
