// The document that a gateway serves, or one with an address of its own. Of a gateway, the first of the usual
// paths whose answer is an OpenAPI document wins. It is kept in the cache folder, one per address, and asked
// for again when it is a day old.

import { stat } from "node:fs/promises";
import { cutText, describeThrown, HawserError, limits } from "@hawser/wire";
import type { Environment } from "../config/config-file.ts";
import { cacheFileOf, isPrivate, writeCacheFile } from "./cache-folder.ts";
import { buildIndex } from "./build-index.ts";
import { hashOf, openDocumentFile, release } from "./document-file.ts";
import { keepIndex, loadIndexFile } from "./load-file.ts";
import { createOperationIndex, fromMemory } from "./operation-index.ts";
import type { OperationIndex } from "./operation.ts";
import { parseDocument } from "./parse-document.ts";

export interface GatewaySource {
  /** Of the gateway. */
  readonly baseUrl: URL;
  /** Where the document has an address of its own: asked for instead of the gateway's paths. */
  readonly documentUrl?: URL | undefined;
  /** The body of a successful answer, at most `maxBytes`; rejects otherwise. A path below the base address, or the document's address. */
  fetchText(place: string, options: { readonly maxBytes: number }): Promise<string>;
}

export interface SyncedDocument {
  /** The path that answered, or the document's own address. */
  readonly path: string;
  readonly bytes: number;
  readonly operationCount: number;
  /** Whether it differs from the copy that was there. */
  readonly changed: boolean;
  /** The copy, if the cache folder can be used. */
  readonly file?: string | undefined;
  readonly attemptedPaths: readonly string[];
}

export const documentPaths: readonly string[] = ["", "/data", "/system"].flatMap((folder) => [
  `${folder}/openapi`,
  `${folder}/openapi.json`,
]);

// Another path will not help against these.
const finalCodes = new Set(["connection_failed", "connection_lost", "timeout", "cancelled", "closed"]);

/** When the kept copy serves: while it is fresh and whenever the gateway can't be asked; only then; or never. */
export type CopyUse = "while-fresh" | "without-answer" | "never";

/** The gateway's document, or the kept copy of it. */
export async function loadFetched(source: GatewaySource, env: Environment, use: CopyUse = "while-fresh"): Promise<OperationIndex> {
  if (use === "never") return (await refresh(source, env)).index;
  const file = copyOf(source, env);
  const copy = (await isPrivate(file)) ? await stat(file).catch(() => undefined) : undefined;
  if (copy && use === "while-fresh" && Math.abs(Date.now() - copy.mtimeMs) < limits.documentMaxAgeMs) {
    const index = await loadIndexFile(file, env).catch(() => undefined);
    if (index) return index;
  }
  try {
    return (await refresh(source, env)).index;
  } catch (error) {
    const stale = copy && (await loadIndexFile(file, env).catch(() => undefined));
    if (stale) return stale;
    throw error;
  }
}

/** Asks the gateway whether or not there is a copy. Throws `usage` if it serves no document. */
export async function syncDocument(source: GatewaySource, env: Environment = process.env): Promise<SyncedDocument> {
  return (await refresh(source, env)).synced;
}

async function refresh(source: GatewaySource, env: Environment): Promise<{ synced: SyncedDocument; index: OperationIndex }> {
  const file = copyOf(source, env);
  const { path, text, attemptedPaths, built } = await fetchDocument(source);
  const copy = await writeCopy(file, text);
  const kept = copy.isKept ? await keepIndex(built, file, copy.hash, env).catch(() => undefined) : undefined;
  const index = kept ?? createOperationIndex(built.head, fromMemory(built));
  const { bytes, changed, isKept } = copy;
  const synced = { path, bytes, operationCount: index.operations.length, changed, ...(isKept ? { file } : {}), attemptedPaths };
  return { synced, index };
}

interface Copy {
  readonly bytes: number;
  readonly hash: string;
  readonly changed: boolean;
  readonly isKept: boolean;
}

async function writeCopy(file: string, text: string): Promise<Copy> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  const { length } = bytes;
  const hash = hashOf(bytes);
  const changed = (await hashOfFile(file)) !== hash;
  const isKept = await writeCacheFile(file, [bytes]);
  release(bytes);
  return { bytes: length, hash, changed, isKept };
}

async function fetchDocument({ baseUrl, documentUrl, fetchText }: GatewaySource) {
  const attemptedPaths: string[] = [];
  const places = documentUrl ? [documentUrl.href] : documentPaths;
  let lastProblem = "";
  for (const path of places) {
    attemptedPaths.push(path);
    try {
      const text = await fetchText(path, { maxBytes: limits.maxDocumentBytes });
      const built = buildIndex(await parseDocument(text, documentUrl?.href ?? `${baseUrl.origin}${path}`));
      return { path, text, attemptedPaths, built };
    } catch (error) {
      if (HawserError.isInstance(error) && finalCodes.has(error.code)) throw error;
      lastProblem = describeThrown(error);
    }
  }
  const asked = documentUrl ? "" : ` at ${baseUrl.origin}`;
  const text = `no OpenAPI document${asked} (asked for ${places.join(", ")}; the last answer: ${lastProblem}); name another with --spec-file`;
  throw new HawserError("usage", cutText(text, limits.maxErrorTextChars), { facts: { attemptedPaths } });
}

/** Where the document of a gateway, or of an address of its own, is kept. */
export function copyOf({ baseUrl, documentUrl }: Pick<GatewaySource, "baseUrl" | "documentUrl">, env: Environment): string {
  const key = documentUrl ? `document ${documentUrl.href}` : `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`;
  return cacheFileOf(env, "document", key);
}

async function hashOfFile(path: string): Promise<string | undefined> {
  const file = await openDocumentFile(path).catch(() => undefined);
  try {
    const bytes = await file?.readBytes();
    const hash = bytes && hashOf(bytes);
    if (bytes) release(bytes);
    return hash;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
