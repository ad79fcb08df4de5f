// What the list of changes means for a person who reviews them: which are in force, what takes one back, and what brings it back again.
// Reverts are not shown as changes of their own: each change says whether it was taken back.

import type { FileChange } from "@hawser/protocol";

/** One request to the runtime: a revert of a turn, or of an earlier revert. */
export interface Revert {
  readonly requestId?: string;
  readonly paths?: readonly string[];
}

export interface ReviewGroup {
  readonly key: string;
  readonly changes: readonly FileChange[];
}

export const changesOfTurns = (all: readonly FileChange[]): readonly FileChange[] => all.filter(({ revert }) => !revert);

/** The latest turn first; within one, and by file, in the order of the list. */
export function groupChanges(all: readonly FileChange[], by: "turn" | "file"): readonly ReviewGroup[] {
  const groups = Map.groupBy(changesOfTurns(all), ({ requestId, path }) => (by === "turn" ? requestId : path));
  const listed = [...groups].map(([key, changes]) => ({ key, changes }));
  return by === "turn" ? listed.toReversed() : listed.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

export const isInForce = ({ reverted }: FileChange): boolean => !reverted;

/** What takes those of them back that are in force. */
export function takeBack(changes: readonly FileChange[]): readonly Revert[] {
  const byTurn = Map.groupBy(changes.filter(isInForce), ({ requestId }) => requestId);
  // The latest first: an earlier change of a file lies below a later one.
  return [...byTurn].toReversed().map(([requestId, members]) => ({ requestId, paths: members.map(({ path }) => path) }));
}

/** What brings those of them back that were taken back: the reverts that took them, taken back themselves, the latest first. */
export function bringBack(all: readonly FileChange[], changes: readonly FileChange[]): readonly Revert[] {
  const wanted = changesOfTurns(changes).filter(({ reverted }) => reverted);
  const isMeant = ({ path, undoes = [] }: FileChange): boolean =>
    wanted.some((change) => change.path === path && undoes.includes(change.requestId));
  const reverts = all.filter((change) => change.revert && isInForce(change) && isMeant(change));
  const byRevert = Map.groupBy(reverts, ({ requestId }) => requestId);
  return [...byRevert].toReversed().map(([requestId, members]) => ({ requestId, paths: members.map(({ path }) => path) }));
}

/** Reverts that are in force now and were not there before: what has just been done, for the way back. */
export function newReverts(before: readonly FileChange[], after: readonly FileChange[]): readonly Revert[] {
  const known = new Set(before.map(({ requestId }) => requestId));
  const fresh = after.filter((change) => change.revert && isInForce(change) && !known.has(change.requestId));
  return [...new Set(fresh.map(({ requestId }) => requestId))].toReversed().map((requestId) => ({ requestId }));
}
