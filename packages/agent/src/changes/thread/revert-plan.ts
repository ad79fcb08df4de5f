// What a revert has to do: for each path the state that it has now and the one that it gets back. A path is reverted as a whole or not at
// all: one that something else has changed in between, or since, is a conflict.

import type { Contents } from "./contents.ts";
import { ancestorsOf, isKept, isSame, type Change, type Entry } from "./entry.ts";
import type { Tree } from "./tree.ts";
import { impliedFolders, type PathChange, type TurnChanges } from "./turn-changes.ts";
import { describeUnkept } from "./walk.ts";

export interface PlannedChange extends Change {
  /** This folder wasn't asked for by name: it goes when it is empty, and comes when something in it does. */
  readonly isImplied: boolean;
  /** The turns whose change is taken back. */
  readonly undoes: readonly string[];
}

export interface Conflict {
  readonly key: string;
  readonly reason: string;
}

export interface RevertPlan {
  readonly changes: readonly PlannedChange[];
  readonly conflicts: readonly Conflict[];
}

interface Step {
  readonly turn: TurnChanges;
  readonly path: PathChange;
  readonly isImplied: boolean;
}

export interface PlanOptions {
  readonly turns: readonly TurnChanges[];
  /** Of one request, which may be a revert; of all turns that count without it. */
  readonly requestId?: string | undefined;
  isWanted(key: string): boolean;
}

/** The paths that are meant, each with its changes in order. */
export function selectSteps({ turns, requestId, isWanted }: PlanOptions): Map<string, Step[]> {
  const steps = new Map<string, Step[]>();
  for (const turn of turns) {
    if (requestId === undefined ? turn.isRevert : turn.requestId !== requestId) continue;
    const implied = impliedFolders(turn);
    for (const path of turn.paths.values()) {
      if (path.isReverted) continue;
      if (!implied.has(path.key) && !isWanted(path.key)) continue;
      const all = steps.get(path.key) ?? [];
      all.push({ turn, path, isImplied: implied.has(path.key) });
      steps.set(path.key, all);
    }
  }
  dropUnneeded(steps);
  return steps;
}

/** A folder that only came along is left alone unless something in it is meant. */
function dropUnneeded(steps: Map<string, Step[]>): void {
  const needed = new Set(Array.from(steps, ([key, all]) => (all.some(({ isImplied }) => !isImplied) ? ancestorsOf(key) : [])).flat());
  for (const [key, all] of steps) if (all.every(({ isImplied }) => isImplied) && !needed.has(key)) steps.delete(key);
}

/** `tree`: as it is now. */
export function planRevert(steps: ReadonlyMap<string, readonly Step[]>, tree: Pick<Tree, "get">, options: PlanContents): RevertPlan {
  const changes: PlannedChange[] = [];
  const conflicts: Conflict[] = [];
  for (const [key, all] of steps) {
    const isImplied = all.every((step) => step.isImplied);
    const [before, after] = [tree.get(key), all[0]?.path.before];
    if (isSame(before, after)) continue;
    const reason = whyNot(all, before, options);
    if (reason === undefined) changes.push({ key, before, after, isImplied, undoes: all.map(({ turn }) => turn.turn) });
    else if (!isImplied) conflicts.push({ key, reason });
  }
  return { changes, conflicts };
}

export interface PlanContents {
  readonly contents: Contents;
  readonly maxFileBytes: number;
}

function whyNot(all: readonly Step[], now: Entry | undefined, { contents, maxFileBytes }: PlanContents): string | undefined {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return "there is nothing to revert";
  for (const [at, { turn, path }] of all.entries()) {
    const next = all[at + 1];
    if (path.isBroken || (next && !isSame(path.after, next.path.before)))
      return `something else changed it ${next ? `between the requests ${turn.requestId} and ${next.turn.requestId}` : `during the request ${turn.requestId}`}`;
  }
  if (!isSame(now, last.path.after)) return `it was changed again since the request ${last.turn.requestId}`;
  const { before } = first.path;
  if (!before || before.kind === "folder") return undefined;
  if (!isKept(before))
    return before.id === now?.id ? undefined : `its earlier content was not kept: ${describeUnkept(before, maxFileBytes)}`;
  return contents.has(before.id) ? undefined : "its earlier content is no longer kept";
}
