// Everything that is asked of one root, one thing after the other: look before and after something that may change files, list, plan
// a revert and note what it did. What a look finds belongs to the turn that it was made for; what is found before a turn belongs
// to another turn that is under way in the root, the latest, or else to the user.

import { lstatSync, rmSync } from "node:fs";
import { isDraft, toDraftName } from "../../tools/files/draft-name.ts";
import { createMeter } from "./effort.ts";
import { ancestorsOf, isMeantBy, isSame, packChange, parentOf, toPath, unpackChange, type Change } from "./entry.ts";
import { listChanges, type ListedChanges, type ListLimits } from "./list-changes.ts";
import { lookAt } from "./look.ts";
import type { LogRecord, RevertRecord, WatchRecord } from "./records.ts";
import { planRevert, selectSteps, type RevertPlan } from "./revert-plan.ts";
import { openRootLog, type KeepLimits, type RootPlace } from "./root-log.ts";
import { walkRoot, type Seen, type Untracked } from "./walk.ts";

export interface RootOptions extends RootPlace {
  readonly limits: RootLimits;
  /** Keys of our own files and folders, the empty one for the root itself. They are never looked at. */
  readonly settings: readonly string[];
}

export interface RootLimits extends KeepLimits, ListLimits {
  readonly maxUntracked: number;
}

export interface BeginOptions extends Omit<WatchRecord, "t" | "at"> {
  readonly busy: readonly string[];
}

export interface RevertOptions extends Pick<RevertRecord, "id" | "conversationId" | "requestId" | "holder"> {
  /** Only what this request did. */
  readonly target?: string | undefined;
  /** Only these, and what lies in them. */
  readonly keys?: readonly string[] | undefined;
  readonly busy: readonly string[];
}

export interface Pending {
  readonly id: string;
  readonly holder: string;
}

/** `mostBytes`: what one question may read; without it as much as it needs. */
export function createRootChanges(options: RootOptions, mostBytes?: number) {
  const { root, limits } = options;
  const meter = createMeter(mostBytes);
  const log = openRootLog(options, limits, meter);
  const settings = new Set(options.settings);
  const isOwn = (key: string): boolean => options.settings.some((own) => isMeantBy(key, own));
  let forgotten = 0;

  function look(keys: readonly string[] | undefined, busy: readonly string[]): readonly Change[] {
    forgotten += log.makeRoom();
    const found = keys
      ? lookAtKeys(keys)
      : walkRoot({ ...limits, root, tree: log.tree, settings, busy: new Set(busy), contents: log.contents, meter });
    log.touch(found.touched);
    if (!keys) log.add(log.toUntracked(someOf(found.untracked, limits.maxUntracked)));
    return found.changes;
  }

  function lookAtKeys(keys: readonly string[]): Seen {
    const seen: Seen = { changes: [], touched: new Map(), untracked: [] };
    for (const key of keys) {
      if (isOwn(key)) continue;
      const before = log.tree.get(key);
      const after = lookAt(toPath(root, key), before, { contents: log.contents, maxFileBytes: limits.maxFileBytes, meter });
      if (after && isSame(before, after)) seen.touched.set(key, after);
      else if (before !== after) seen.changes.push({ key, before, after });
    }
    return seen;
  }

  const toSeen = (changes: readonly Change[], watch: string | undefined): LogRecord[] =>
    changes.length === 0 ? [] : [{ t: "seen", ...(watch !== undefined && { watch }), changes: changes.map(packChange) }];

  /** The watch that what is found now belongs to, unless a particular one is meant. */
  const ownerNow = (): string | undefined => [...log.watches.values()].findLast(({ keys }) => keys === undefined)?.id;

  function endWatch(id: string, busy: readonly string[]): void {
    const watch = log.watches.get(id);
    if (!watch) return;
    log.add([...toSeen(look(watch.keys, busy), id), { t: "end", watch: id }]);
  }

  /** What was done of it is what can be seen of it. */
  function endRevert(revert: RevertRecord): Change[] {
    const planned = revert.plan.map(unpackChange);
    removeDrafts(revert.id, planned);
    const now = new Map(
      look(
        planned.map(({ key }) => key),
        [],
      ).map(({ key, after }) => [key, after]),
    );
    const done = planned.filter(({ key, after }) => isSame(now.has(key) ? now.get(key) : log.tree.get(key), after));
    const isDone = new Set(done.map(({ key }) => key));
    const others = [...now].filter(([key]) => !isDone.has(key)).map(([key, after]): Change => ({ key, before: log.tree.get(key), after }));
    const changes = done.map(({ key, before, after }): Change => ({ key, before, after: now.get(key) ?? after }));
    log.add([...toSeen(others, ownerNow()), { t: "reverted", id: revert.id, changes: changes.map(packChange) }], true);
    return changes;
  }

  function removeDrafts(id: string, planned: readonly Change[]): void {
    const name = toDraftName(id);
    if (!isDraft(name)) return;
    for (const folder of new Set(planned.map(({ key }) => parentOf(key)))) {
      const path = toPath(root, folder === "" ? name : `${folder}/${name}`);
      try {
        if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { force: true });
      } catch {
        // Its folder is gone.
      }
    }
  }

  return {
    /** What is under way in the log, and whose. */
    pending(): Pending[] {
      log.catchUp();
      return [...log.watches.values(), ...log.reverts.values()].map(({ id, holder }) => ({ id, holder }));
    },
    /** Their processes are gone: what can be seen now is what they did. */
    recover(ids: readonly string[]): void {
      log.catchUp();
      for (const id of ids) {
        const revert = log.reverts.get(id);
        if (revert) endRevert(revert);
      }
      // The first look gives what it finds to the turn that began last.
      for (const id of ids.toReversed()) endWatch(id, []);
    },
    begin({ busy, keys, ...watch }: BeginOptions): void {
      log.catchUp();
      // Folders that are there already are not this call's to make.
      const missing = keys?.flatMap((key) => [...ancestorsOf(key).filter((above) => !isThere(root, above)), key]);
      const found = toSeen(look(missing, busy), ownerNow());
      log.add([...found, { t: "watch", at: Date.now(), ...watch, ...(missing && { keys: missing }) }]);
    },
    end(id: string, busy: readonly string[]): void {
      log.catchUp();
      endWatch(id, busy);
    },
    list(conversationId: string, requestId: string | undefined, hasDiffs: boolean): ListedChanges & { untracked: readonly Untracked[] } {
      log.catchUp();
      const turns = log.turnsOf(conversationId).filter((turn) => requestId === undefined || turn.requestId === requestId);
      const old = forgotten > 0 ? [{ key: "", reason: `the changes of ${forgotten} older turns, for want of room` }] : [];
      const shown = turns.map((turn) => ({ ...turn, paths: new Map([...turn.paths].filter(([key]) => !isOwn(key))) }));
      return { ...listChanges(shown, log.contents, hasDiffs, limits), untracked: [...old, ...log.untracked] };
    },
    /** Notes what will be done before it is. */
    plan({ id, conversationId, requestId, holder, target, keys, busy }: RevertOptions): RevertPlan {
      log.catchUp();
      const isWanted = (key: string): boolean => keys?.some((wanted) => isMeantBy(key, wanted)) ?? true;
      const steps = selectSteps({ turns: log.turnsOf(conversationId), requestId: target, isWanted });
      const active = new Set(busy);
      log.add(
        toSeen(
          look(
            [...steps.keys()].filter((key) => !active.has(key)),
            [],
          ),
          ownerNow(),
        ),
      );
      const plan = planRevert(steps, log.tree, { contents: log.contents, maxFileBytes: limits.maxFileBytes });
      if (plan.changes.length === 0) return plan;
      const undoes = Object.fromEntries(plan.changes.map(({ key, undoes: turns }) => [key, turns]));
      log.add([{ t: "revert", id, at: Date.now(), conversationId, requestId, holder, plan: plan.changes.map(packChange), undoes }], true);
      return plan;
    },
    content: (id: string): Buffer | undefined => log.contents.get(id),
    /** Returns the keys of what was done. */
    settle(id: string): string[] {
      const revert = log.reverts.get(id);
      return revert ? endRevert(revert).map(({ key }) => key) : [];
    },
    fork(from: string, conversationId: string, requestIds: readonly string[]): void {
      log.catchUp();
      log.add([{ t: "fork", from, conversationId, requestIds }]);
    },
    /** Whether anything is left that a conversation needs. */
    forget(conversationId: string): boolean {
      log.catchUp();
      log.add([{ t: "forget", conversationId }]);
      log.collect();
      return log.isNeeded();
    },
  };
}

/** The first ones, and how many more there are. */
function someOf(entries: readonly Untracked[], max: number): readonly Untracked[] {
  const left = entries.length - max;
  return left > 0 ? [...entries.slice(0, max), { key: "", reason: `${left} more` }] : entries;
}

function isThere(root: string, key: string): boolean {
  try {
    return lstatSync(toPath(root, key), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

export type RootChanges = ReturnType<typeof createRootChanges>;
