// Ties a tool to what was decided about its call. A decision names a path; by the time the tool opens it, a link or
// a rename may have put something else there. So the decision keeps what the path stood for (its real path and the
// identity of what is there), and the tool compares that with what it has opened. Whatever differs is refused, and
// the next try is decided anew. For a file that does not exist yet the folder above it counts, and the names below.

import { lstatSync, realpathSync, type BigIntStats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ToolContext } from "@hawser/tools";
import { fileError } from "./file-errors.ts";
import type { Roots } from "./roots.ts";

/** What the file system knows a file or a folder by, whatever its name is. */
export type Identity = Pick<BigIntStats, "dev" | "ino">;

/** What a path stands for at one moment. */
export interface Target {
  /** The real path of as much of it as exists. */
  readonly existing: string;
  readonly identity: Identity;
  /** The names below it that don't exist yet. */
  readonly missing: readonly string[];
}

export type Ruling = "allow" | "ask" | "deny";

/** What the rules hold against a file. */
export interface FileRuling {
  readonly decision: Exclude<Ruling, "allow">;
  readonly reason: string;
}

/** How and where a command runs, as its question says. */
export interface CommandRun {
  readonly folder: string;
  readonly sandboxed: boolean;
  readonly network: boolean;
}

export interface Permit {
  /** Of a command. */
  readonly runs?: CommandRun | undefined;
  /** Undefined when the path could not be looked at: then nothing may be opened. */
  readonly target: Target | undefined;
  /** What the rules say about a file or a folder that is found below the target. */
  judge(real: string, kind: "file" | "folder"): Ruling;
}

const permitKey = Symbol("permit");

interface PermittedContext extends ToolContext {
  readonly [permitKey]?: Permit | undefined;
}

export const withPermit = (context: ToolContext, permit: Permit | undefined): ToolContext =>
  ({ ...context, [permitKey]: permit }) as PermittedContext;

/** Undefined where calls are not decided about: in a program that runs these tools by itself. */
export const permitOf = (context: ToolContext): Permit | undefined => (context as PermittedContext)[permitKey];

/** Undefined when it can't be known, such as in a folder that may not be entered. */
export function targetOf(path: string): Target | undefined {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const existing = realpathSync.native(at);
      return { existing, identity: lstatSync(existing, { bigint: true }), missing };
    } catch {
      if (dirname(at) === at) return undefined;
      missing.unshift(basename(at));
    }
  }
}

/** Where links lead now, as far as it exists. */
export function realPathOf(path: string): string {
  const target = targetOf(path);
  return target ? join(target.existing, ...target.missing) : path;
}

/** Throws unless what was found is what was decided about. */
export function holdToPermit(roots: Roots, permit: Permit | undefined, found: Target): void {
  if (permit && !(permit.target && isSameTarget(permit.target, found))) {
    throw fileError(
      roots.show(join(found.existing, ...found.missing)),
      "is not what was decided about: something was moved, replaced or made meanwhile, or a link leads elsewhere now. Nothing was done; try again",
    );
  }
}

function isSameTarget(one: Target, other: Target): boolean {
  const isSame = one.existing === other.existing && one.identity.dev === other.identity.dev && one.identity.ino === other.identity.ino;
  return isSame && one.missing.length === other.missing.length && one.missing.every((name, at) => name === other.missing[at]);
}
