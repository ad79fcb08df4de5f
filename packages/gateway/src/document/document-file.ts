// The index of one document file: from the cache where that is of the same document, else built and put there. The
// cache is believed when the file's stamp is the same and settled, or when its content is.

import { isUtf8 } from "node:buffer";
import { HawserError } from "@hawser/protocol";
import type { Environment } from "../config/config-file.ts";
import { openFile, readUpTo, type OpenFile } from "../config/open-file.ts";
import { gatewayLimits } from "../limits.ts";
import { buildIndex, type BuiltIndex } from "../openapi/build-index.ts";
import { createOperationIndex, fromMemory, type ReadRecords } from "../openapi/operation-index.ts";
import type { OperationIndex } from "../openapi/operation.ts";
import { parseDocument } from "../openapi/parse-document.ts";
import {
  cacheFileOf,
  hashOf,
  type OpenedIndex,
  openingOf,
  readIndexFile,
  readIndexRecords,
  type Stamp,
  toIndexFile,
  writeCacheFile,
} from "./index-cache.ts";

// A file that changed twice within one tick of the file system's clock has one stamp for both contents.
const settledMs = 2_000;

/** Undefined if there is no such file. Throws `usage` if it isn't an OpenAPI document. `path` is absolute. */
export const loadIndexFile = (path: string, env: Environment): Promise<OperationIndex | undefined> =>
  withDocument(path, async ({ stamp, readBytes }) => {
    const cacheFile = cacheFileOf(env, "index", path);
    const cached = await readIndexFile(cacheFile);
    const toIndex = ({ head, opening }: OpenedIndex): OperationIndex =>
      createOperationIndex(head.index, readerOf(cacheFile, opening, { path, hash: head.hash }));
    const isSame = cached?.head.stamp.identity === stamp.identity;
    if (cached && isSame && cached.head.writtenMs - stamp.changedMs > settledMs) return toIndex(cached);
    const bytes = await readBytes();
    const hash = hashOf(bytes);
    if (cached?.head.hash === hash) return toIndex(cached);
    return storeIndex(await buildFrom(bytes, path), { path, hash, stamp }, cacheFile);
  });

/** What the cache has, without a look at the document, which may be newer by now. */
export async function loadCachedFile(path: string, env: Environment): Promise<OperationIndex | undefined> {
  const cacheFile = cacheFileOf(env, "index", path);
  const cached = await readIndexFile(cacheFile);
  if (!cached) return undefined;
  return createOperationIndex(cached.head.index, async (places) => {
    const records = await readIndexRecords(cacheFile, cached.opening, places);
    if (!records) throw new HawserError("usage", `the cached index of OpenAPI document ${path} changed since it was read`);
    return records;
  });
}

/** The checksum of a file's content; undefined where it can't be read. */
export const hashOfFile = (path: string): Promise<string | undefined> =>
  withDocument(path, async ({ readBytes }) => {
    const bytes = await readBytes();
    const hash = hashOf(bytes);
    release(bytes);
    return hash;
  }).catch(() => undefined);

/** Puts the index of a document that was just written into the cache. Undefined if the document can't be seen any more. */
export const keepIndex = (built: BuiltIndex, path: string, hash: string, env: Environment): Promise<OperationIndex | undefined> =>
  withDocument(path, ({ stamp }) => storeIndex(built, { path, hash, stamp }, cacheFileOf(env, "index", path)));

interface Source {
  readonly path: string;
  readonly hash: string;
}

async function storeIndex(built: BuiltIndex, source: Source & { readonly stamp: Stamp }, cacheFile: string): Promise<OperationIndex> {
  const { hash, stamp } = source;
  const pieces = toIndexFile(built, { stamp, hash, writtenMs: Date.now() });
  const isKept = await writeCacheFile(cacheFile, pieces);
  return createOperationIndex(built.head, isKept ? readerOf(cacheFile, openingOf(pieces), source) : fromMemory(built));
}

// Nothing holds bytes or text while the index is built: all of them together are more than a process may have.
function buildFrom(bytes: Buffer, path: string): Promise<BuiltIndex> {
  return parseDocument(takeText(bytes, path), path).then(buildIndex);
}

/** Reads from the cache while that is the same index; afterwards from the document, while that is the same. */
function readerOf(cacheFile: string, opening: string, { path, hash }: Source): ReadRecords {
  let rebuilt: Promise<ReadRecords> | undefined;
  async function rebuild(): Promise<ReadRecords> {
    const built = await withDocument(path, async ({ readBytes }) => {
      const bytes = await readBytes();
      return hashOf(bytes) === hash ? buildFrom(bytes, path) : undefined;
    });
    if (built) return fromMemory(built);
    throw new HawserError("usage", `OpenAPI document ${path} changed since it was read; reload the configuration, or start again`);
  }
  return async (places) => {
    const records = rebuilt ? undefined : await readIndexRecords(cacheFile, opening, places);
    if (records) return records;
    rebuilt ??= rebuild();
    return (await rebuilt)(places);
  };
}

interface OpenDocument {
  readonly stamp: Stamp;
  /** In memory of their own. */
  readBytes(): Promise<Buffer>;
}

/** Undefined if there is no such file. Throws `usage` if it can't be read. */
async function withDocument<Value>(path: string, use: (file: OpenDocument) => Promise<Value>): Promise<Value | undefined> {
  let handle: OpenFile | undefined;
  try {
    handle = await openFile(path);
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await handle.stat();
    const stamp = { identity: [dev, ino, size, mtimeNs, ctimeNs].join("."), changedMs: Number(ctimeMs) };
    return await use({ stamp, readBytes: readAll.bind(undefined, handle, path) });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (!handle && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    // Only what the file system says is about the file.
    throw typeof (cause as NodeJS.ErrnoException).errno === "number" ? unreadable(path, code ?? "it can't be read", cause) : cause;
  } finally {
    await handle?.close();
  }
}

/** Frees bytes in memory of their own, without waiting for the garbage collector; they are empty then. */
export function release(bytes: Buffer): void {
  (bytes.buffer as ArrayBuffer).transfer(0);
}

function takeText(bytes: Buffer, name: string): string {
  if (!isUtf8(bytes)) throw unreadable(name, "it is not UTF-8 text");
  const text = bytes.toString();
  release(bytes);
  return text;
}

async function readAll(handle: OpenFile, path: string): Promise<Buffer> {
  const { maxDocumentBytes } = gatewayLimits;
  const bytes = await readUpTo(handle, maxDocumentBytes);
  if (!bytes) throw unreadable(path, `it has more than ${maxDocumentBytes} bytes (maxDocumentBytes)`);
  return bytes;
}

function unreadable(path: string, reason: string, cause?: unknown): HawserError {
  return new HawserError("usage", `OpenAPI document ${path} can't be read: ${reason}`, { cause, facts: { document: path } });
}
