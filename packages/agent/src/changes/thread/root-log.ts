// What is known of one root: its tree as it was last seen, the contents that are kept, and what happened. All of it is in a folder of its
// own; the caller sees to it that one process at a time uses it.

import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createContents, type Contents, type PackRecord } from "./contents.ts";
import type { Meter } from "./effort.ts";
import { isKept, packEntry, unpackChange, unpackEntry, type Change, type Entry } from "./entry.ts";
import { createLogFile } from "./log-file.ts";
import { LOG_VERSION, type Header, type LogRecord, type RevertRecord, type UntrackedRecord, type WatchRecord } from "./records.ts";
import { createTree } from "./tree.ts";
import { turnsByConversation, type TurnChanges } from "./turn-changes.ts";

export interface RootPlace {
  /** The root itself. */
  readonly root: string;
  /** Where all about it is kept. */
  readonly folder: string;
}

export interface KeepLimits {
  readonly maxFileBytes: number;
  readonly maxRootBytes: number;
  readonly maxEntries: number;
  readonly maxDepth: number;
}

const minSlackBytes = 4_194_304;

export function openRootLog({ root, folder }: RootPlace, limits: KeepLimits, meter: Meter) {
  const path = join(folder, "log.jsonl");
  const header: Header = { hawser: "changes", version: LOG_VERSION, root };
  const tree = createTree();
  const watches = new Map<string, WatchRecord>();
  const reverts = new Map<string, RevertRecord>();
  let records: LogRecord[] = [];
  let untracked: UntrackedRecord = { t: "untracked", entries: [] };
  let contents: Contents = createContents(folder, limits.maxRootBytes);
  let writtenBytes = 0;
  let isSwept = false;
  let isUsable = true;

  function reset(): void {
    tree.clear();
    watches.clear();
    reverts.clear();
    records = [];
    untracked = { t: "untracked", entries: [] };
    contents = createContents(folder, limits.maxRootBytes);
    isUsable = true;
  }

  function change({ key, after }: Change): void {
    if (after) tree.set(key, after);
    else tree.delete(key);
  }

  function apply(record: LogRecord): void {
    if (record.t === "entry") return tree.set(record.key, unpackEntry(record.entry));
    if (record.t === "pack") return contents.know(record);
    if (record.t === "untracked") return void (untracked = record);
    records.push(record);
    if (record.t === "watch") watches.set(record.id, record);
    else if (record.t === "end") watches.delete(record.watch);
    else if (record.t === "revert") reverts.set(record.id, record);
    else if (record.t === "reverted") reverts.delete(record.id);
    if (record.t === "seen" || record.t === "reverted") for (const packed of record.changes) change(unpackChange(packed));
  }

  function onLine(value: unknown): void {
    const line = value as Partial<Header> | LogRecord | undefined;
    if (line && "t" in line && typeof line.t === "string") return apply(line);
    isUsable &&= line !== undefined && "version" in line && line.version === LOG_VERSION && line.root === root;
  }

  const file = createLogFile(path, { onStart: reset, onLine, onRead: meter.spend });

  /** What stays of the records: those of turns that a conversation still has, and what is under way. */
  function keptRecords(): LogRecord[] {
    const turns = new Set(Array.from(turnsByConversation(records).values(), (all) => Array.from(all, ({ turn }) => turn)).flat());
    const turnOf = new Map(records.flatMap((record) => (record.t === "watch" ? [[record.id, record.turn] as const] : [])));
    const isWatchKept = (watch = ""): boolean => watches.has(watch) || turns.has(turnOf.get(watch) ?? "");
    return records.filter((record) => {
      if (record.t === "watch") return isWatchKept(record.id);
      if (record.t === "seen" || record.t === "end") return isWatchKept(record.watch);
      if (record.t === "revert" || record.t === "reverted") return turns.has(record.id) || reverts.has(record.id);
      return true;
    });
  }

  function rewrite(packs: readonly PackRecord[]): void {
    records = keptRecords();
    const entries = Array.from(tree.entries(), ([key, entry]): LogRecord => ({ t: "entry", key, entry: packEntry(entry) }));
    file.replace([header, ...entries, ...packs.map((pack) => ({ t: "pack" as const, ...pack })), untracked, ...records]);
    writtenBytes = file.bytes;
  }

  /** What the tree and the turns are made of. */
  function wantedIds(): ReadonlySet<string> {
    const paths = Array.from(turnsByConversation(records).values(), (turns) => Array.from(turns, (turn) => [...turn.paths.values()]));
    const plans = Array.from(reverts.values(), ({ plan }) => plan.map(unpackChange)).flat();
    const states = [...tree.values(), ...[...paths.flat(2), ...plans].flatMap(({ before, after }) => [before, after])];
    return new Set(states.flatMap((state) => (state && isKept(state) ? [state.id] : [])));
  }

  function collect(): void {
    const wanted = wantedIds();
    const { records: packs, unused } = contents.collect((id) => wanted.has(id));
    rewrite(packs);
    contents.remove(unused);
  }

  /** The oldest turns whose contents make up so many bytes that nothing else needs. */
  function oldestTurns(bytes: number): Set<string> {
    const counted = new Set(tree.values().map(({ id }) => id));
    const dropped = new Set<string>();
    let left = bytes;
    for (const { turn, paths } of new Set(Array.from(turnsByConversation(records).values(), (turns) => [...turns]).flat())) {
      if (left <= 0) break;
      dropped.add(turn);
      for (const { before, after } of paths.values())
        for (const state of [before, after])
          if (state && isKept(state) && !counted.has(state.id)) {
            counted.add(state.id);
            left -= state.size;
          }
    }
    return dropped;
  }

  return {
    root,
    tree,
    watches,
    reverts,
    get contents(): Contents {
      return contents;
    },
    turnsOf: (conversationId: string): readonly TurnChanges[] => [...(turnsByConversation(records).get(conversationId) ?? [])],
    /** Whether anything is left that a conversation needs. */
    isNeeded: (): boolean => turnsByConversation(records).size > 0 || watches.size > 0 || reverts.size > 0,
    get untracked(): UntrackedRecord["entries"] {
      return untracked.entries;
    },
    /** As a record, if it is news. */
    toUntracked(entries: UntrackedRecord["entries"]): UntrackedRecord[] {
      return JSON.stringify(entries) === JSON.stringify(untracked.entries) ? [] : [{ t: "untracked", entries }];
    },
    /** Reads what other processes have added; a log that can't be understood is set aside. */
    catchUp(): void {
      meter.begin();
      let isThere = file.catchUp();
      if (isThere && !isUsable) {
        renameSync(path, `${path}.damaged`);
        isThere = false;
      }
      if (!isThere) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        reset();
        file.add([header]);
      }
      if (!isSwept) contents.sweep();
      isSwept = true;
      writtenBytes ||= file.bytes;
    },
    /** Adds them after the contents that they speak of. */
    add(added: readonly LogRecord[], isDurable = false): void {
      const pack = contents.flush();
      const all = pack ? [{ t: "pack" as const, ...pack }, ...added] : added;
      file.add(all, isDurable);
      for (const record of added) apply(record);
      if (file.bytes > 2 * writtenBytes + minSlackBytes) collect();
    },
    /** Signs of unchanged content are only remembered: another process finds out by itself. */
    touch(entries: ReadonlyMap<string, Entry>): void {
      for (const [key, entry] of entries) tree.set(key, entry);
    },
    /** Lets go of what no conversation needs any more. */
    collect,
    /** Before much is added: where room runs out, the oldest turns are forgotten. Returns how many. */
    makeRoom(): number {
      const { maxRootBytes } = limits;
      if (contents.heldBytes <= 0.9 * maxRootBytes) return 0;
      meter.spendAll();
      collect();
      const dropped = oldestTurns(contents.heldBytes - 0.75 * maxRootBytes);
      if (dropped.size === 0) return 0;
      const gone = new Set(records.flatMap((record) => (record.t === "watch" && dropped.has(record.turn) ? [record.id] : [])));
      records = records.filter((record) => {
        if (record.t === "seen") return record.watch === undefined || !gone.has(record.watch);
        return record.t !== "reverted" || !dropped.has(record.id);
      });
      collect();
      return dropped.size;
    },
  };
}
