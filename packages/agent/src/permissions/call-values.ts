// A call's input as rules see it. Paths are seen by the name that the file tools will use and by where
// links lead now, so that `src/../secret` is not taken for something in `src`, nor a link for its place.

import { realpathSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { isRecord } from "@hawser/wire";
import type { Roots } from "../tools/files/roots.ts";
import type { ToolCall } from "./policy.ts";
import type { ValuesOf } from "./rules.ts";

const toolsWithDefaultPath: ReadonlySet<string> = new Set(["list_files", "search_files"]);

export function valuesOfCall(call: ToolCall, roots: Roots | undefined): ValuesOf {
  const input = isRecord(call.input) ? call.input : {};
  return (member) => {
    const value = Object.hasOwn(input, member) ? input[member] : undefined;
    if (member === "path") {
      const path = value ?? (toolsWithDefaultPath.has(call.toolName) ? "." : undefined);
      if (typeof path === "string") return pathNames(path, roots);
    }
    if (value === undefined) return member === "args" && call.toolName === "run_command" ? [] : undefined;
    return Array.isArray(value) ? value.map(toText) : [toText(value)];
  };
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)) ?? "";

/** The name by its text and the real one, if they differ. */
export function pathNames(path: string, roots: Roots | undefined): string[] {
  if (!roots) return [posix.normalize(path)];
  try {
    const wanted = roots.locate(path);
    return [...new Set([roots.show(wanted), roots.show(realNow(wanted))])];
  } catch {
    // Outside or no path at all: the tool will refuse it, or knows other paths than ours.
    return [posix.normalize(path)];
  }
}

function realNow(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realNow(above), basename(path));
  }
}
