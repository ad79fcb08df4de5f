// What the turns of conversations have changed, made from the records of a log: for each turn and path the first state and the last. A
// revert is such a turn as well, so that it can be taken back like any other.

import { ancestorsOf, isSame, unpackChange, type Change, type Entry } from "./entry.ts";
import type { LogRecord, RevertRecord, WatchRecord } from "./records.ts";

export interface PathChange {
  readonly key: string;
  readonly before: Entry | undefined;
  after: Entry | undefined;
  /** Something else changed the path between two changes of the turn. */
  isBroken: boolean;
  isReverted: boolean;
  /** Of a revert: the requests whose changes of the path it took back. */
  undoes?: readonly string[];
}

export interface TurnChanges {
  readonly turn: string;
  readonly requestId: string;
  readonly isRevert: boolean;
  /** When it began, by the clock; 0 where that was not noted. */
  readonly at: number;
  readonly paths: ReadonlyMap<string, PathChange>;
}

interface Turn extends TurnChanges {
  readonly paths: Map<string, PathChange>;
}

/** By conversation, each in the order in which they began. A forked conversation shares turns with the one that it goes on from. */
export function turnsByConversation(records: Iterable<LogRecord>): ReadonlyMap<string, ReadonlySet<TurnChanges>> {
  const turns = new Map<string, Turn>();
  const watches = new Map<string, WatchRecord>();
  const reverts = new Map<string, RevertRecord>();
  const owned = new Map<string, Set<Turn>>();

  function own(conversationId: string, turn: Turn): void {
    const all = owned.get(conversationId) ?? new Set();
    owned.set(conversationId, all.add(turn));
  }

  function turnOf(name: string, { conversationId, requestId, at = 0 }: WatchRecord | RevertRecord, isRevert: boolean): Turn {
    const known = turns.get(name);
    if (known) return known;
    const turn: Turn = { turn: name, requestId, isRevert, at, paths: new Map() };
    turns.set(name, turn);
    own(conversationId, turn);
    return turn;
  }

  /** Taking a revert back makes what it had taken back count again. */
  function mark(turn: string, key: string, isReverted: boolean): void {
    const path = turns.get(turn)?.paths.get(key);
    if (!path || path.isReverted === isReverted) return;
    path.isReverted = isReverted;
    for (const undone of undoneBy(reverts.get(turn), key)) mark(undone, key, !isReverted);
  }

  function takeReverted(revert: RevertRecord, changes: readonly Change[]): void {
    const turn = turnOf(revert.id, revert, true);
    addTo(turn, changes);
    for (const { key } of changes) {
      const undone = undoneBy(revert, key);
      const path = turn.paths.get(key);
      if (path) path.undoes = undone.flatMap((name) => turns.get(name)?.requestId ?? []);
      for (const each of undone) mark(each, key, true);
    }
  }

  function take(record: LogRecord): void {
    if (record.t === "watch") watches.set(record.id, record);
    else if (record.t === "revert") reverts.set(record.id, record);
    else if (record.t === "forget") owned.delete(record.conversationId);
    else if (record.t === "seen" && record.watch !== undefined) {
      const watch = watches.get(record.watch);
      if (watch) addTo(turnOf(watch.turn, watch, false), record.changes.map(unpackChange));
    } else if (record.t === "reverted") {
      const revert = reverts.get(record.id);
      if (revert) takeReverted(revert, record.changes.map(unpackChange));
    } else if (record.t === "fork") {
      const shared = new Set(record.requestIds);
      for (const turn of owned.get(record.from) ?? []) if (shared.has(turn.requestId)) own(record.conversationId, turn);
    }
  }

  for (const record of records) take(record);
  for (const turn of turns.values()) dropNothing(turn);
  return owned;
}

const undoneBy = (revert: RevertRecord | undefined, key: string): readonly string[] =>
  revert && Object.hasOwn(revert.undoes, key) ? (revert.undoes[key] ?? []) : [];

function addTo({ paths }: Turn, changes: readonly Change[]): void {
  for (const { key, before, after } of changes) {
    const known = paths.get(key);
    if (!known) paths.set(key, { key, before, after, isBroken: false, isReverted: false });
    else {
      known.isBroken ||= !isSame(known.after, before);
      known.after = after;
    }
  }
}

/** What was changed and changed back isn't a change. */
function dropNothing({ paths }: Turn): void {
  for (const [key, { before, after, isBroken }] of paths) if (!isBroken && isSame(before, after)) paths.delete(key);
}

/** Folders that came or went with something in them, which says more than the folder does. */
export function impliedFolders({ paths }: TurnChanges): ReadonlySet<string> {
  const above = new Set(Array.from(paths.keys(), ancestorsOf).flat());
  const isImplied = ({ key, before, after }: PathChange): boolean =>
    above.has(key) && (before === undefined || after === undefined) && (before ?? after)?.kind === "folder";
  return new Set(Array.from(paths.values()).flatMap((path) => (isImplied(path) ? [path.key] : [])));
}
