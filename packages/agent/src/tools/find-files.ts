// Names of files for a user who types one: paths that contain a text, the best first. Bounded in time and in names, and what the rules
// keep back from `list_files` is kept back here too. Nothing is opened but folders.

import { agentLimits } from "../limits.ts";
import { createLeftOut } from "./files/left-out.ts";
import { openFolderInside } from "./files/open-inside.ts";
import type { Permit } from "./files/permit.ts";
import type { Roots } from "./files/roots.ts";
import { createWalk } from "./files/walk-tree.ts";
import { toolNames } from "./tool-table.ts";

export interface FoundFiles {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

export type FindFiles = (query: string, signal: AbortSignal) => Promise<FoundFiles>;

export interface FindFilesOptions {
  readonly roots: Roots;
  /** What decides about the tool `list_files`. */
  readonly policy: { decide(call: typeof listing): { readonly decision: string; readonly permit?: Permit | undefined } };
}

/** A call of the tool that lists all of them. */
const listing = { conversationId: "", toolId: "", toolName: toolNames.listFiles, input: { path: "." }, isReadOnly: true };

export function createFindFiles({ roots, policy }: FindFilesOptions): FindFiles {
  return async (query, signal) => {
    const { decision, permit } = policy.decide(listing);
    if (decision === "deny") return { files: [], isCut: false };
    const wanted = query.toLowerCase();
    const until = performance.now() + agentLimits.foundFilesMs;
    await using folder = await openFolderInside(roots, ".", permit);
    const walk = createWalk(roots, folder, { recursive: wanted !== "", signal, permit, leftOut: createLeftOut() });
    const found: Ranked[] = [];
    let isCut = false;
    for await (const { way, kind } of walk.entries()) {
      const rank = kind === "other" ? undefined : rankOf(way, wanted);
      if (rank !== undefined) found.push({ way, rank });
      isCut = found.length >= agentLimits.foundFileEntries * keptBeforeSorting || performance.now() > until;
      if (isCut) break;
    }
    const sorted = found.toSorted((one, other) => one.rank - other.rank || one.way.length - other.way.length);
    const files = sorted.slice(0, agentLimits.foundFileEntries).map(({ way }) => way);
    return { files, isCut: isCut || walk.isCut || files.length < found.length };
  };
}

// The best one may come late.
const keptBeforeSorting = 20;

interface Ranked {
  readonly way: string;
  readonly rank: number;
}

/** By where the text is: at the beginning of the name, in the name, in the path; undefined where it is not. */
function rankOf(way: string, wanted: string): number | undefined {
  const path = way.toLowerCase();
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  return path.includes(wanted) ? 2 : undefined;
}
