// The changes of a conversation as an answer lists them: by turn and path, with how many lines came and went, and on request as a unified
// diff. Bounded in entries and in text: the latest ones are kept, since they are the first to be taken back; what was left out is counted.

import { isUtf8 } from "node:buffer";
import type { Contents } from "./contents.ts";
import { isKept, type Entry } from "./entry.ts";
import { impliedFolders, type PathChange, type TurnChanges } from "./turn-changes.ts";
import { diffLines } from "./unified-diff.ts";
import { describeUnkept } from "./walk.ts";

export interface ListedChange {
  readonly key: string;
  readonly isFolder: boolean;
  readonly change: "created" | "modified" | "deleted";
  readonly requestId: string;
  /** When its turn began; never before that of the change above it, even if the clock was set back. */
  readonly at: number;
  readonly additions: number;
  readonly deletions: number;
  /** Without its head, which names the file. */
  readonly diff?: string;
  readonly isBinary?: true;
  readonly isReverted?: true;
  readonly isRevert?: true;
  readonly undoes?: readonly string[];
  readonly note?: string;
}

export interface ListLimits {
  readonly maxChanges: number;
  readonly maxDiffChars: number;
  readonly maxFileBytes: number;
}

export interface ListedChanges {
  readonly changes: ListedChange[];
  /** Changes and diffs that did not fit. */
  readonly leftOut: number;
}

export function listChanges(turns: readonly TurnChanges[], contents: Contents, hasDiffs: boolean, limits: ListLimits): ListedChanges {
  const changes: ListedChange[] = [];
  let leftOut = 0;
  let room = limits.maxDiffChars;
  for (const turn of inOrderOfTime(turns).toReversed()) {
    const implied = impliedFolders(turn);
    for (const path of [...turn.paths.values()].toSorted((one, other) => (one.key < other.key ? 1 : -1))) {
      if (implied.has(path.key)) continue;
      if (changes.length >= limits.maxChanges) {
        leftOut++;
        continue;
      }
      const { diff = "", ...listed } = toListed(turn, path, { contents, hasDiffs, maxFileBytes: limits.maxFileBytes });
      const fits = diff.length <= room;
      if (fits) room -= diff.length;
      else leftOut++;
      changes.push(fits && diff !== "" ? { ...listed, diff } : listed);
    }
  }
  return { changes: changes.toReversed(), leftOut };
}

function inOrderOfTime(turns: readonly TurnChanges[]): TurnChanges[] {
  let latest = 0;
  return turns.map((turn) => ({ ...turn, at: (latest = Math.max(latest, turn.at)) }));
}

interface Showing {
  readonly contents: Contents;
  readonly hasDiffs: boolean;
  readonly maxFileBytes: number;
}

function toListed({ requestId, isRevert, at }: TurnChanges, path: PathChange, showing: Showing): ListedChange {
  const { key, before, after } = path;
  const text = textDiff(before, after, showing);
  const note = noteOf(path, showing.maxFileBytes);
  return {
    key,
    isFolder: (after ?? before)?.kind === "folder",
    change: before ? (after ? "modified" : "deleted") : "created",
    requestId,
    at,
    ...text,
    ...(path.isReverted && { isReverted: true }),
    ...(isRevert && { isRevert: true }),
    ...(path.undoes && { undoes: path.undoes }),
    ...(note !== undefined && { note }),
  };
}

/** Why it can't be reverted, where that is known already. */
function noteOf({ before, after, isBroken }: PathChange, maxFileBytes: number): string | undefined {
  if (isBroken) return "something else changed it between two changes of this turn; it can't be reverted";
  if (before && !isKept(before) && before.id !== after?.id)
    return `its earlier content was not kept (${describeUnkept(before, maxFileBytes)}); it can't be reverted`;
  if (after && !isKept(after)) return `its content now is not kept: ${describeUnkept(after, maxFileBytes)}`;
  return undefined;
}

type TextDiff = Pick<ListedChange, "additions" | "deletions" | "diff" | "isBinary">;

function textDiff(before: Entry | undefined, after: Entry | undefined, { contents, hasDiffs }: Showing): TextDiff {
  const modes = before && after && before.mode !== after.mode ? `old mode ${octal(before)}\nnew mode ${octal(after)}\n` : "";
  const none = { additions: 0, deletions: 0, ...(hasDiffs && modes !== "" && { diff: modes }) };
  if (before?.id === after?.id) return none;
  const [old, fresh] = [bytesOf(before, contents), bytesOf(after, contents)];
  if (!old || !fresh) return none;
  if (isBinary(old) || isBinary(fresh)) return { ...none, isBinary: true };
  const { additions, deletions, text } = diffLines(old.toString(), fresh.toString(), hasDiffs);
  return { additions, deletions, ...(hasDiffs && { diff: modes + text }) };
}

const kindBits = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const;
const octal = ({ kind, mode }: Entry): string => (kindBits[kind] | mode).toString(8).padStart(6, "0");

const isBinary = (bytes: Buffer): boolean => bytes.includes(0) || !isUtf8(bytes);

/** Empty for what has no content of its own; undefined for what is not kept. */
function bytesOf(entry: Entry | undefined, contents: Contents): Buffer | undefined {
  return entry === undefined || entry.kind === "folder" ? Buffer.alloc(0) : contents.get(entry.id);
}
