// The index of one document file: from the cache where that is of the same document, else built and
// put there. The cache is believed when the file's stamp is the same and settled, or when its content is.

import { HawserError } from "@hawser/wire";
import { buildIndex, type BuiltIndex } from "./build-index.ts";
import type { Environment } from "../config/config-file.ts";
import { cacheFileOf, isPrivate, writeCacheFile } from "./cache-folder.ts";
import { type DocumentFile, hashOf, openDocumentFile, type Stamp, textOf } from "./document-file.ts";
import { type IndexFileHead, type OpenedIndex, readIndexFile, openingOf, readIndexRecords, toIndexFile } from "./index-file.ts";
import { createOperationIndex, fromMemory, type ReadRecords } from "./operation-index.ts";
import type { OperationIndex } from "./operation.ts";
import { parseDocument } from "./parse-document.ts";

// A file that changed twice within one tick of the file system's clock has one stamp for both contents.
const settledMs = 2_000;

/** Nothing if there is no such file. Throws `usage` if it is no OpenAPI document. `path` is absolute. */
export async function loadIndexFile(path: string, env: Environment): Promise<OperationIndex | undefined> {
  const file = await openDocumentFile(path);
  if (!file) return undefined;
  try {
    return await loadOpened(path, file, env);
  } finally {
    await file.close();
  }
}

async function loadOpened(path: string, file: DocumentFile, env: Environment): Promise<OperationIndex> {
  const cacheFile = cacheFileOf(env, "index", path);
  const cached = (await isPrivate(cacheFile)) ? await readIndexFile(cacheFile) : undefined;
  if (cached && isSettled(cached.head, file.stamp)) return toIndex(cached, cacheFile, path);
  const bytes = await file.readBytes();
  const hash = hashOf(bytes);
  if (cached?.head.hash === hash) return toIndex(cached, cacheFile, path);
  const built = await buildFrom(bytes, path);
  const content = toIndexFile(built, { stamp: file.stamp, hash, writtenMs: Date.now() });
  if (!(await writeCacheFile(cacheFile, content))) return createOperationIndex(built.head, fromMemory(built));
  return createOperationIndex(built.head, readerOf(cacheFile, openingOf(content), { path, hash }));
}

function isSettled({ stamp, writtenMs }: IndexFileHead, now: Stamp): boolean {
  return stamp.identity === now.identity && writtenMs - now.changedMs > settledMs;
}

function toIndex({ head, opening }: OpenedIndex, cacheFile: string, path: string): OperationIndex {
  return createOperationIndex(head.index, readerOf(cacheFile, opening, { path, hash: head.hash }));
}

async function buildFrom(bytes: Buffer, path: string): Promise<BuiltIndex> {
  return buildIndex(await parseDocument(textOf(bytes, path), path));
}

/** Reads from the cache while that is the same index; afterwards from the document, while that is the same. */
function readerOf(cacheFile: string, opening: string, source: { readonly path: string; readonly hash: string }): ReadRecords {
  let rebuilt: Promise<ReadRecords> | undefined;
  return async (places) => {
    const records = rebuilt ? undefined : await readIndexRecords(cacheFile, opening, places);
    if (records) return records;
    rebuilt ??= rebuild(source.path, source.hash);
    return (await rebuilt)(places);
  };
}

async function rebuild(path: string, hash: string): Promise<ReadRecords> {
  const file = await openDocumentFile(path);
  try {
    const bytes = await file?.readBytes();
    if (!bytes || hashOf(bytes) !== hash) {
      throw new HawserError("usage", `OpenAPI document ${path} changed since it was read; reload the configuration, or start again`);
    }
    return fromMemory(await buildFrom(bytes, path));
  } finally {
    await file?.close();
  }
}
