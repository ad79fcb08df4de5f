// The lines of a root's log: a header, the tree as it was when the file was written, which contents lie where, and then one record
// for each thing that happened. A record that a later version wrote is passed over.

import type { PackRecord } from "./contents.ts";
import type { PackedChange, PackedEntry } from "./entry.ts";

export const LOG_VERSION = 1;

export interface Header {
  readonly hawser: "changes";
  readonly version: number;
  readonly root: string;
}

/** Somebody may change files from now on: a turn of this conversation. */
export interface WatchRecord {
  readonly t: "watch";
  readonly id: string;
  /** Of the turn: requests of a conversation may have the same id one after the other. */
  readonly turn: string;
  readonly conversationId: string;
  readonly requestId: string;
  /** When it was noted, by the clock: it puts the turns of several roots in one order. Older logs have none. */
  readonly at?: number;
  /** The process, as `createHolderName` names it. */
  readonly holder: string;
  /** Only these; all files without it. */
  readonly keys?: readonly string[];
}

/** Differences that a look has found; without a watch it isn't known whose they are. */
export interface SeenRecord {
  readonly t: "seen";
  readonly watch?: string;
  readonly changes: readonly PackedChange[];
}

export interface EndRecord {
  readonly t: "end";
  readonly watch: string;
}

/** What a revert is about to do. */
export interface RevertRecord {
  readonly t: "revert";
  readonly id: string;
  /** As in a watch. */
  readonly at?: number;
  readonly conversationId: string;
  readonly requestId: string;
  readonly holder: string;
  /** What becomes what. */
  readonly plan: readonly PackedChange[];
  /** By key: the turns, or reverts, whose change of it is taken back. */
  readonly undoes: Readonly<Record<string, readonly string[]>>;
}

/** What it has done. */
export interface RevertedRecord {
  readonly t: "reverted";
  readonly id: string;
  readonly changes: readonly PackedChange[];
}

/** A conversation goes on from another one: what these requests of that one have changed is also its own. */
export interface ForkRecord {
  readonly t: "fork";
  readonly from: string;
  readonly conversationId: string;
  readonly requestIds: readonly string[];
}

/** What the last walk did not look into or keep. */
export interface UntrackedRecord {
  readonly t: "untracked";
  readonly entries: readonly { readonly key: string; readonly reason: string }[];
}

export type LogRecord =
  | WatchRecord
  | SeenRecord
  | EndRecord
  | RevertRecord
  | RevertedRecord
  | ForkRecord
  | UntrackedRecord
  | { readonly t: "forget"; readonly conversationId: string }
  | { readonly t: "entry"; readonly key: string; readonly entry: PackedEntry }
  | ({ readonly t: "pack" } & PackRecord);
