// The index of one document file: from the cache where that is of the same document, else built and
// put there. The cache is believed when the file's stamp is the same and settled, or when its content is.

import { HawserError } from "@hawser/wire";
import { buildIndex, type BuiltIndex } from "./build-index.ts";
import type { Environment } from "../config/config-file.ts";
import { cacheFileOf, isPrivate, writeCacheFile } from "./cache-folder.ts";
import { type DocumentFile, hashOf, openDocumentFile, release, type Stamp, textOf } from "./document-file.ts";
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
  const content = await readContent(file);
  if (cached?.head.hash === content.hash) return toIndex(cached, cacheFile, path);
  return storeIndex(await buildFrom(content, path), { path, hash: content.hash, stamp: file.stamp }, cacheFile);
}

/** Puts the index of a document that was just written into the cache. Nothing if the document can't be seen any more. */
export async function keepIndex(built: BuiltIndex, path: string, hash: string, env: Environment): Promise<OperationIndex | undefined> {
  const file = await openDocumentFile(path);
  if (!file) return undefined;
  await file.close();
  return storeIndex(built, { path, hash, stamp: file.stamp }, cacheFileOf(env, "index", path));
}

interface Source {
  readonly path: string;
  readonly hash: string;
}

async function storeIndex(built: BuiltIndex, source: Source & { readonly stamp: Stamp }, cacheFile: string): Promise<OperationIndex> {
  const { hash, stamp } = source;
  const pieces = toIndexFile(built, { stamp, hash, writtenMs: Date.now() });
  if (!(await writeCacheFile(cacheFile, pieces))) return createOperationIndex(built.head, fromMemory(built));
  return createOperationIndex(built.head, readerOf(cacheFile, openingOf(pieces), source));
}

function isSettled({ stamp, writtenMs }: IndexFileHead, now: Stamp): boolean {
  return stamp.identity === now.identity && writtenMs - now.changedMs > settledMs;
}

function toIndex({ head, opening }: OpenedIndex, cacheFile: string, path: string): OperationIndex {
  return createOperationIndex(head.index, readerOf(cacheFile, opening, { path, hash: head.hash }));
}

interface Content {
  readonly hash: string;
  /** Once: afterwards the bytes are gone. */
  takeText(path: string): string;
}

async function readContent(file: DocumentFile): Promise<Content> {
  const bytes = await file.readBytes();
  function takeText(path: string): string {
    const text = textOf(bytes, path);
    // Bytes, text, values and index together are more than a process may have.
    release(bytes);
    return text;
  }
  return { hash: hashOf(bytes), takeText };
}

// Nothing holds the text while the index is built.
function buildFrom(content: Content, path: string): Promise<BuiltIndex> {
  return parseDocument(content.takeText(path), path).then(buildIndex);
}

/** Reads from the cache while that is the same index; afterwards from the document, while that is the same. */
function readerOf(cacheFile: string, opening: string, source: Source): ReadRecords {
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
    const content = file && (await readContent(file));
    if (content?.hash !== hash) {
      throw new HawserError("usage", `OpenAPI document ${path} changed since it was read; reload the configuration, or start again`);
    }
    return fromMemory(await buildFrom(content, path));
  } finally {
    await file?.close();
  }
}
