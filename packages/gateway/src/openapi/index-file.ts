// An index on disk: one line with lengths and checksum, the head as JSON, then the records. Whatever is
// not exactly as it was written reads as nothing, and the index is built again.

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { limits } from "@hawser/wire";
import type { BuiltIndex, IndexHead, Place } from "./build-index.ts";
import type { Stamp } from "./document-file.ts";
import { isIntact } from "./operation-index.ts";

// Raised whenever head or records change, so that older files are not read as newer ones.
const format = "hawser-openapi-2";
const openingBytes = 64;

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

/** The first line of such a file. */
export function openingOf([opening]: readonly Buffer[]): string {
  return opening?.toString("latin1") ?? "";
}

/** Opening and head of an index, or nothing. */
export async function readIndexFile(path: string): Promise<OpenedIndex | undefined> {
  return withFile(path, async (handle) => {
    const opening = await readOpening(handle);
    if (!opening) return undefined;
    const head = await readAt(handle, openingBytes, opening.headBytes);
    const { size } = await handle.stat();
    if (!isIntact(head, [0, opening.headBytes, opening.headChecksum])) return undefined;
    if (size !== openingBytes + opening.headBytes + opening.bodyBytes) return undefined;
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

async function readOpening(
  handle: FileHandle,
): Promise<{ text: string; headBytes: number; headChecksum: number; bodyBytes: number } | undefined> {
  const text = (await readAt(handle, 0, openingBytes)).toString("latin1");
  const match = /^(\S+) (\d{1,12}) (\d{1,12}) (\d{1,12}) *\n$/.exec(text);
  if (match?.[1] !== format) return undefined;
  const [headBytes, headChecksum, bodyBytes] = match.slice(2).map(Number) as [number, number, number];
  return headBytes > limits.maxCacheBytes ? undefined : { text, headBytes, headChecksum, bodyBytes };
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function withFile<Value>(path: string, read: (handle: FileHandle) => Promise<Value>): Promise<Value | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    return await read(handle);
  } catch {
    // A cache that can't be read is none; the reason interests nobody.
    return undefined;
  } finally {
    await handle?.close();
  }
}
