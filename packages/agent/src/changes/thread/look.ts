// Looks at one entry of a tree: unchanged by its signs (size, times, inode number), or read, hashed and kept. Nothing is followed or
// waited for: a link is its target's text, and what is neither file, link nor folder is left alone.

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import type { Contents } from "./contents.ts";
import type { Meter } from "./effort.ts";
import { isSame, toUnkeptId, type Entry } from "./entry.ts";

export interface LookOptions {
  readonly contents: Contents;
  /** A larger file is known, but its content is not kept. */
  readonly maxFileBytes: number;
  readonly meter?: Meter | undefined;
}

// The clocks of file systems go in steps, and another machine's may be late.
const freshMs = 1_000;
const carefulFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Whether it is as it is known, by its signs alone. A path of names is good enough for this, and takes half the time of a surer one. */
export function isStill(path: string | Buffer, known: Entry): boolean {
  const stats = statsOf(path);
  return stats !== undefined && isUnchanged(known, stats);
}

/** The state now: `known` itself when nothing has changed; undefined when there is none, or nothing that can be kept up. */
export function lookAt(path: string | Buffer, known: Entry | undefined, options: LookOptions): Entry | undefined {
  const stats = statsOf(path);
  if (!stats) return undefined;
  if (known && isUnchanged(known, stats)) return known;
  const entry = read(path, stats, options);
  // What is no longer fresh is known by its signs from now on: it would be read again by every look.
  const isKnown = known && entry && isSame(known, entry) && hasSameSigns(known, entry) && known.isFresh === entry.isFresh;
  return isKnown ? known : entry;
}

/** Undefined also where a part of the path is no folder any more, or may not be entered. */
function statsOf(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isUnchanged(known: Entry, stats: Stats): boolean {
  if (known.kind === "folder") return stats.isDirectory() && known.mode === modeOf(stats);
  const isSameKind = known.kind === "file" ? stats.isFile() && known.mode === modeOf(stats) : stats.isSymbolicLink();
  return isSameKind && !known.isFresh && hasSameSigns(known, stats) && known.size === stats.size;
}

const hasSameSigns = (one: Pick<Entry, "mtimeMs" | "ctimeMs" | "ino">, other: Pick<Entry, "mtimeMs" | "ctimeMs" | "ino">): boolean =>
  one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.ino === other.ino;

const modeOf = ({ mode }: Pick<Stats, "mode">): number => mode & 0o7777;

function read(path: string | Buffer, stats: Stats, options: LookOptions): Entry | undefined {
  if (stats.isDirectory()) return toEntry("folder", stats, "");
  if (stats.isSymbolicLink()) return readTarget(path, stats, options);
  return stats.isFile() ? readContent(path, stats, options) : undefined;
}

function toEntry(kind: Entry["kind"], stats: Stats, id: string): Entry {
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const isFresh = Math.max(mtimeMs, ctimeMs) > Date.now() - freshMs;
  return { kind, mode: kind === "link" ? 0 : modeOf(stats), id, size: kind === "folder" ? 0 : size, mtimeMs, ctimeMs, ino, isFresh };
}

function readTarget(path: string | Buffer, stats: Stats, { contents }: LookOptions): Entry | undefined {
  try {
    const target = readlinkSync(path, "buffer");
    return toEntry("link", stats, contents.put(target) ?? toUnkeptId("room", stats));
  } catch {
    return undefined;
  }
}

function readContent(path: string | Buffer, listed: Stats, { contents, maxFileBytes, meter }: LookOptions): Entry | undefined {
  meter?.spend(Math.min(listed.size, maxFileBytes));
  let file: number | undefined;
  try {
    file = openSync(path, carefulFlags);
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const bytes = stats.size > maxFileBytes ? undefined : readUpTo(file, stats.size, maxFileBytes);
    if (!bytes) return toEntry("file", stats, toUnkeptId("large", stats));
    return toEntry("file", stats, contents.put(bytes) ?? toUnkeptId("room", stats));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : toEntry("file", listed, toUnkeptId("unreadable", listed));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Undefined for a file that has grown beyond the bound. */
function readUpTo(file: number, size: number, maxBytes: number): Buffer | undefined {
  // One byte more than it should have, to see whether it has grown.
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const more = readSync(file, buffer, length, buffer.length - length, null);
    length += more;
    if (length > maxBytes) return undefined;
    if (more === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}
