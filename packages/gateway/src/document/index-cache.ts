// The cache of indexes and fetched documents, for its owner alone: files appear whole or not at all, and old ones go. An
// index is one line with lengths and checksum, the head as JSON, then the records. A file that is not exactly as it was
// written reads as missing; everything works without a cache, only slower.

import { chmod, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { makeFolder, userFolder } from "@hawser/wire/internal/node";
import type { Environment } from "../config/config-file.ts";
import { lstat, openFile, type OpenFile } from "../config/open-file.ts";
import { gatewayLimits } from "../limits.ts";
import type { BuiltIndex, IndexHead, Place } from "../openapi/build-index.ts";

const staleTemporaryMs = 3_600_000;
const ownName = /^[0-9a-f]{32}\.(?:index|document)(?:\.\d+-[0-9a-z]+\.new)?$/;

export function cacheFileOf(env: Environment, kind: "index" | "document", key: string): string {
  return join(userFolder("cache", env), "hawser", "openapi", `${hashOf(key).slice(0, 32)}.${kind}`);
}

/** Whether the file may be believed: it and its folder are ours, and only we can write to them. */
export async function isPrivate(path: string): Promise<boolean> {
  if (process.getuid === undefined) return true;
  const owner = process.getuid();
  try {
    const both = await Promise.all([lstat(path), lstat(join(path, ".."))]);
    return both.every((found) => found.uid === owner && (found.mode & 0o022) === 0 && !found.isSymbolicLink());
  } catch {
    return false;
  }
}

/** Writes a file of the cache whole. False where it can't. */
export async function writeCacheFile(path: string, content: readonly Buffer[]): Promise<boolean> {
  const folder = join(path, "..");
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`;
  try {
    await makeFolder(folder);
    await chmod(folder, 0o700);
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
    return false;
  }
  await removeOld(folder, path).catch(() => undefined);
  return true;
}

async function removeOld(folder: string, kept: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ownName.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      return { path, isTemporary: name.endsWith(".new"), bytes: found?.size ?? 0, changedMs: found?.mtimeMs ?? 0 };
    }),
  );
  let count = 0;
  let bytes = 0;
  for (const file of files.sort((one, other) => other.changedMs - one.changedMs)) {
    if (file.isTemporary) {
      if (Date.now() - file.changedMs > staleTemporaryMs) await rm(file.path, { force: true });
      continue;
    }
    count += 1;
    bytes += file.bytes;
    const isOver = count > gatewayLimits.maxCachedEntries || bytes > gatewayLimits.maxCacheBytes;
    if (isOver && file.path !== kept) await rm(file.path, { force: true });
  }
}

// Raised whenever head or records change, so that older files are not read as newer ones.
const format = "hawser-openapi-2";
const openingBytes = 64;

/** Size, times and number of a file, as text: equal stamps are the same file with the same content. */
export interface Stamp {
  readonly identity: string;
  /** When the file was last changed in any way. */
  readonly changedMs: number;
}

export interface IndexFileHead {
  readonly stamp: Stamp;
  /** SHA-256 of the document. */
  readonly hash: string;
  readonly writtenMs: number;
  readonly index: IndexHead;
}

export interface OpenedIndex {
  /** The first line: differs between any two indexes. */
  readonly opening: string;
  readonly head: IndexFileHead;
}

/** In pieces, since a copy of all of them would be as long again. */
export function toIndexFile(built: BuiltIndex, source: Omit<IndexFileHead, "index">): readonly Buffer[] {
  const head = Buffer.from(JSON.stringify({ ...source, index: built.head } satisfies IndexFileHead));
  const opening = `${format} ${head.length} ${crc32(head)} ${built.body.length}`.padEnd(openingBytes - 1);
  return [Buffer.from(`${opening}\n`), head, built.body];
}

export function openingOf([opening]: readonly Buffer[]): string {
  return opening?.toString("latin1") ?? "";
}

/** Opening and head of an index; undefined if there is none, or one that others could have written. */
export async function readIndexFile(path: string): Promise<OpenedIndex | undefined> {
  if (!(await isPrivate(path))) return undefined;
  return withFile(path, async (handle) => {
    const opening = await readOpening(handle);
    if (!opening) return undefined;
    const head = await readAt(handle, openingBytes, opening.headBytes);
    const { size } = await handle.stat();
    if (!isIntact(head, [0, opening.headBytes, opening.headChecksum])) return undefined;
    if (Number(size) !== openingBytes + opening.headBytes + opening.bodyBytes) return undefined;
    return { opening: opening.text, head: JSON.parse(head.toString()) as IndexFileHead };
  });
}

/** The records at some places, or nothing if the file is another one by now, or damaged. */
export async function readIndexRecords(path: string, expected: string, places: readonly Place[]): Promise<Buffer[] | undefined> {
  return withFile(path, async (handle) => {
    const opening = await readOpening(handle);
    if (opening?.text !== expected) return undefined;
    const records: Buffer[] = [];
    for (const place of places) {
      const bytes = await readAt(handle, openingBytes + opening.headBytes + place[0], place[1]);
      if (!isIntact(bytes, place)) return undefined;
      records.push(bytes);
    }
    return records;
  });
}

async function readOpening(handle: OpenFile) {
  const text = (await readAt(handle, 0, openingBytes)).toString("latin1");
  const match = /^(\S+) (\d{1,12}) (\d{1,12}) (\d{1,12}) *\n$/.exec(text);
  if (match?.[1] !== format) return undefined;
  const [headBytes, headChecksum, bodyBytes] = match.slice(2).map(Number) as [number, number, number];
  return headBytes > gatewayLimits.maxCacheBytes ? undefined : { text, headBytes, headChecksum, bodyBytes };
}

async function readAt(handle: OpenFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, await handle.read(bytes, 0, length, position));
}

/** Whether the bytes are those that were written there. */
function isIntact(bytes: Buffer, [, length, checksum]: Place): boolean {
  return bytes.length === length && crc32(bytes) === checksum;
}

export function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function withFile<Value>(path: string, read: (handle: OpenFile) => Promise<Value>): Promise<Value | undefined> {
  let handle: OpenFile | undefined;
  try {
    handle = await openFile(path);
    return await read(handle);
  } catch {
    // The same as no cache, whatever the reason.
    return undefined;
  } finally {
    await handle?.close();
  }
}
