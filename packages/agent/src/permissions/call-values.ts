// A call's input as rules see it. Paths are seen by the name that the file tools will use and by where links lead now,
// so that `src/../secret` is not taken for something in `src`, nor a link for its place. A path is looked at once for
// all that is decided about a call.

import { join, posix, resolve, sep } from "node:path";
import { isRecord } from "@hawser/protocol/internal";
import { targetOf, type CommandRun, type Target } from "../tools/files/permit.ts";
import type { Roots } from "../tools/files/roots.ts";
import { factsOf, toolNames } from "../tools/tool-table.ts";
import type { ToolCall } from "./policy.ts";
import type { ValuesOf } from "./rules.ts";

/** A path as it was when it was looked at. */
export interface SeenPath {
  /** The name by its text and the real one, if they differ. */
  readonly names: readonly string[];
  /** Undefined for a text that isn't a path, lies outside, or can't be looked at. */
  readonly target: Target | undefined;
}

/** The path that a call is about; undefined when its input has none. */
export function pathOfCall({ toolName, input }: ToolCall): unknown {
  const given = isRecord(input) && Object.hasOwn(input, "path") ? input["path"] : undefined;
  return given ?? factsOf(toolName).defaultPath;
}

export function seePath(path: string, roots: Roots | undefined): SeenPath {
  const byText = { names: [posix.normalize(path)], target: undefined };
  if (!roots) return byText;
  try {
    const wanted = roots.locate(path);
    const target = targetOf(wanted);
    const real = target ? join(target.existing, ...target.missing) : wanted;
    return { names: [...new Set([roots.show(wanted), roots.show(real)])], target };
  } catch {
    // Outside or no path at all: the tool will refuse it, or knows other paths than ours.
    return byText;
  }
}

interface CallFacts {
  /** What its path was seen as, if it has one. */
  readonly seen: Pick<SeenPath, "names"> | undefined;
  readonly roots: Roots | undefined;
  /** How it would run, if it is a command. */
  readonly runs?: CommandRun | undefined;
}

/** A command's sandbox as rules see it, under `sandbox`. */
export const sandboxWord = (runs: CommandRun | undefined): string => (runs?.sandboxed ? (runs.network ? "network" : "on") : "off");

/** A pattern that is an absolute path is compared with absolute names. */
export function valuesOfCall(call: ToolCall, { seen, roots, runs }: CallFacts): ValuesOf {
  const input = isRecord(call.input) ? call.input : {};
  return (member, isAbsolute) => {
    if (member === "path" && seen) return valuesOfPath(seen.names, isAbsolute, roots);
    // Not what the model says of it.
    if (member === "sandbox" && call.toolName === toolNames.runCommand) return [[sandboxWord(runs)]];
    if (member === "title" && call.agent) return [[call.agent.title]];
    const value = Object.hasOwn(input, member) ? input[member] : undefined;
    if (value === undefined) return member === "args" && call.toolName === toolNames.runCommand ? [[]] : undefined;
    return [Array.isArray(value) ? value.map(toText) : [toText(value)]];
  };
}

/** Names as rules see them: relative, or from the top of the file system. */
export const valuesOfPath = (names: readonly string[], isAbsolute: boolean, roots: Roots | undefined): readonly [string][] =>
  names.map((name) => [isAbsolute && roots ? resolve(roots.paths[0], name).replaceAll(sep, "/") : name]);

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)) ?? "";
