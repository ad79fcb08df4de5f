// The changes in the folders of a workspace: what turns have changed there, listed with their diffs, and taken back.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { FileChange } from "@hawser/protocol";
import { isInside, type Roots } from "../tools/files/roots.ts";
import type { ChangeLog, Store } from "./change-log.ts";
import { revertFiles } from "./revert-files.ts";
import type { RootAccess } from "./root-access.ts";
import { keyIn, showKey, toKey } from "./shown-path.ts";
import { isMeantBy } from "./thread/entry.ts";
import type { ListedChange } from "./thread/list-changes.ts";
import type { Conflict } from "./thread/revert-plan.ts";
import type { RevertOptions } from "./thread/root-changes.ts";
import { openTurn, type TurnName, type TurnWatch } from "./turn-watch.ts";

export interface ListQuery {
  readonly conversationId: string;
  readonly requestId?: string | undefined;
  readonly diff?: boolean | undefined;
}

export interface RevertQuery {
  readonly conversationId: string;
  /** Of what is to be reverted. */
  readonly target?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  /** Of the revert itself. */
  readonly requestId: string;
}

export interface PathReason {
  readonly path: string;
  readonly reason: string;
}

export type WorkspaceChanges = ReturnType<typeof createWorkspaceChanges>;

export function createWorkspaceChanges(log: ChangeLog, roots: Roots) {
  // A root that lies in another one is a part of it.
  const outer = roots.paths.filter(
    (path, at) => !roots.paths.some((other, index) => index !== at && other !== path && isInside(other, path)),
  );
  const stores = [...new Set(outer)].map(log.storeOf);
  const storeAt = (real: string): Store | undefined => stores.find(({ root }) => isInside(root, real));

  return {
    openTurn: (name: TurnName): TurnWatch => openTurn(name, roots, stores),
    async list({ conversationId, requestId, diff = false }: ListQuery) {
      const changes: { readonly at: number; readonly entry: FileChange }[] = [];
      const untracked: PathReason[] = [];
      let leftOut = 0;
      for (const store of stores) {
        const found = await store.use((ask) => ask("list", conversationId, requestId, diff), true);
        leftOut += found.leftOut;
        for (const { at, ...change } of found.changes)
          changes.push({ at, entry: toEntry(change, (key) => showKey(roots, store.root, key)) });
        untracked.push(...found.untracked.map(({ key, reason }) => ({ path: showKey(roots, store.root, key), reason })));
      }
      // Each root has its own in order; the sort keeps it where the times are the same.
      const inOrder = changes.toSorted((one, other) => one.at - other.at).map(({ entry }) => entry);
      return { changes: inOrder, untracked, leftOut };
    },
    /** Nothing that was changed since is touched. */
    async revert({ conversationId, target, paths, requestId }: RevertQuery) {
      const wanted = paths?.map((path) => ({ path, place: placeOf(path) }));
      const reverted: string[] = [];
      const conflicts: PathReason[] = [];
      const found = new Map<Store, readonly string[]>();
      for (const store of stores) {
        const keys = wanted?.flatMap(({ place }) => (place?.store === store ? [place.key] : []));
        if (keys?.length === 0) continue;
        const show = (key: string): string => showKey(roots, store.root, key);
        const query = { id: randomUUID(), conversationId, requestId, target, keys, busy: store.busyKeys(), holder: store.holder };
        const outcome = await store.use((ask) => revertIn(store, ask, query, roots), true);
        await store.mark(conversationId);
        reverted.push(...outcome.reverted.map(show));
        conflicts.push(...outcome.conflicts.map(({ key, reason }) => ({ path: show(key), reason })));
        found.set(store, [...outcome.reverted, ...outcome.conflicts.map(({ key }) => key)]);
      }
      for (const { path, place } of wanted ?? []) {
        const isFound = place && found.get(place.store)?.some((key) => isMeantBy(key, place.key));
        if (!isFound) conflicts.push({ path, reason: "there is no change of it that could be reverted" });
      }
      return { reverted, conflicts };
    },
  };

  function placeOf(path: string): { readonly store: Store; readonly key: string } | undefined {
    const found = toKey(roots, path);
    const store = found && storeAt(join(found.root, found.key));
    if (!found || !store) return undefined;
    return { store, key: keyIn(store.root, join(found.root, found.key)) + (found.key.endsWith("/") ? "/" : "") };
  }
}

function toEntry(
  { key, isFolder, isBinary, isReverted, isRevert, undoes, diff, ...rest }: Omit<ListedChange, "at">,
  show: (key: string) => string,
): FileChange {
  const path = show(isFolder ? `${key}/` : key);
  const head = `--- ${rest.change === "created" ? "/dev/null" : `a/${path}`}\n+++ ${rest.change === "deleted" ? "/dev/null" : `b/${path}`}\n`;
  return {
    path,
    ...rest,
    ...(diff !== undefined && { diff: head + diff }),
    ...(isBinary && { binary: true }),
    ...(isReverted && { reverted: true }),
    ...(isRevert && { revert: true }),
    ...(undoes && { undoes: [...undoes] }),
  };
}

async function revertIn(
  store: Store,
  ask: RootAccess,
  query: RevertOptions,
  roots: Roots,
): Promise<{ readonly reverted: readonly string[]; readonly conflicts: readonly Conflict[] }> {
  const { id } = query;
  store.active.add(id);
  try {
    const plan = await ask("plan", query);
    const failed = await revertFiles(plan.changes, { roots, root: store.root, id, content: (content) => ask("content", content) });
    const done = new Set(plan.changes.length > 0 ? await ask("settle", id) : []);
    const isFolder = new Map(plan.changes.map(({ key, before, after }) => [key, (after ?? before)?.kind === "folder"]));
    const label = (key: string): string => (isFolder.get(key) ? `${key}/` : key);
    return {
      reverted: plan.changes
        .filter(({ key, isImplied }) => done.has(key) && !isImplied)
        .map(({ key }) => label(key))
        .toSorted(),
      conflicts: [...plan.conflicts, ...failed.filter(({ key }) => !done.has(key)).map(({ key, reason }) => ({ key: label(key), reason }))],
    };
  } finally {
    store.active.delete(id);
  }
}
