// The document that a gateway serves at the first of the usual paths, or one with an address of its own. It is asked for
// with the token only at the gateway's origin, and kept in the cache folder without the token until it is a day old.

import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { cutText, describeThrown, HawserError, protocolLimits } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Environment } from "../config/config-file.ts";
import type { FoundTarget } from "../config/resolve-target.ts";
import { toDocumentUrl, type Target } from "../config/target.ts";
import type { Connections } from "../execute/connections.ts";
import { toCredential } from "../execute/credential.ts";
import { execute } from "../execute/execute.ts";
import type { Redactor } from "../execute/redaction.ts";
import type { RunningCalls } from "../execute/interruption.ts";
import { gatewayLimits } from "../limits.ts";
import { buildIndex } from "../openapi/build-index.ts";
import { createOperationIndex, fromMemory } from "../openapi/operation-index.ts";
import type { OperationIndex } from "../openapi/operation.ts";
import { parseDocument } from "../openapi/parse-document.ts";
import { buildRequest } from "../request/build-request.ts";
import { hashOfFile, keepIndex, loadIndexFile, release } from "./document-file.ts";
import { cacheFileOf, hashOf, isPrivate, writeCacheFile } from "./index-cache.ts";

export interface GatewaySource {
  /** Of the gateway. */
  readonly baseUrl: URL;
  /** Where the document has an address of its own: asked for instead of the gateway's paths. */
  readonly documentUrl?: URL | undefined;
  /** The body of a successful answer; rejects otherwise. A path below the base address, or the document's address. */
  fetchText(place: string): Promise<string>;
}

export interface SyncedDocument {
  /** The path that answered, or the document's own address. */
  readonly path: string;
  /** The whole address that answered. */
  readonly sourceURL: string;
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
  if (copy && use === "while-fresh" && Math.abs(Date.now() - copy.mtimeMs) < gatewayLimits.documentMaxAgeMs) {
    const index = await loadIndexFile(file, env).catch(() => undefined);
    if (index) return index;
  }
  try {
    return (await refresh(source, env)).index;
  } catch (error) {
    const stale = copy && (await loadIndexFile(file, env).catch(() => undefined));
    if (!stale) throw error;
    // What a server said may be part of it, in lines of its own.
    const why = describeThrown(error).replaceAll(/\s+/g, " ");
    logLine(`[hawser] the API document can't be fetched: ${why}; the copy of ${copy.mtime.toISOString()} is used`);
    return stale;
  }
}

/** Asks the gateway whether or not there is a copy. Throws `usage` if it serves no document. */
export async function syncDocument(source: GatewaySource, env: Environment = process.env): Promise<SyncedDocument> {
  return (await refresh(source, env)).synced;
}

async function refresh(source: GatewaySource, env: Environment): Promise<{ synced: SyncedDocument; index: OperationIndex }> {
  const file = copyOf(source, env);
  const { path, text, attemptedPaths, built } = await fetchDocument(source);
  const content = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  content.write(text);
  const bytes = content.length;
  const hash = hashOf(content);
  const changed = (await hashOfFile(file)) !== hash;
  const isKept = await writeCacheFile(file, [content]);
  release(content);
  const kept = isKept ? await keepIndex(built, file, hash, env).catch(() => undefined) : undefined;
  const index = kept ?? createOperationIndex(built.head, fromMemory(built));
  const operationCount = index.operations.length;
  const sourceURL = source.documentUrl?.href ?? `${source.baseUrl.href.replace(/\/$/, "")}${path}`;
  return { synced: { path, sourceURL, bytes, operationCount, changed, ...(isKept ? { file } : {}), attemptedPaths }, index };
}

async function fetchDocument({ baseUrl, documentUrl, fetchText }: GatewaySource) {
  const attemptedPaths: string[] = [];
  const places = documentUrl ? [documentUrl.href] : documentPaths;
  let lastProblem = "";
  for (const path of places) {
    attemptedPaths.push(path);
    try {
      const text = await fetchText(path);
      const built = buildIndex(await parseDocument(text, documentUrl?.href ?? `${baseUrl.origin}${path}`));
      return { path, text, attemptedPaths, built };
    } catch (error) {
      if (HawserError.isInstance(error) && finalCodes.has(error.code)) throw error;
      lastProblem = describeThrown(error);
    }
  }
  const asked = documentUrl ? "" : ` at ${baseUrl.origin}`;
  const text = `no OpenAPI document${asked} (asked for ${places.join(", ")}; the last answer: ${lastProblem}); name another with --spec-file`;
  throw new HawserError("usage", cutText(text, protocolLimits.maxErrorTextChars), { facts: { attemptedPaths } });
}

/** Where the document of a gateway, or of an address of its own, is kept. */
export function copyOf({ baseUrl, documentUrl }: Pick<GatewaySource, "baseUrl" | "documentUrl">, env: Environment): string {
  const key = documentUrl ? `document ${documentUrl.href}` : `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`;
  return cacheFileOf(env, "document", key);
}

export interface SourceParts {
  readonly redactor: Redactor;
  readonly connections: Connections;
  /** Where its requests can be cancelled while they run. */
  readonly running?: RunningCalls | undefined;
  readonly timeoutMs?: number | undefined;
}

/** For one search for the document: its time begins now. Undefined where neither a gateway nor an address of the document is configured. */
export function createGatewaySource({ target, specFile }: FoundTarget, parts: SourceParts): GatewaySource | undefined {
  const { timeoutMs = gatewayLimits.documentTimeoutMs, ...sending } = parts;
  const documentUrl = toDocumentUrl(specFile);
  const baseUrl = target?.baseUrl ?? documentUrl;
  if (!baseUrl) return undefined;
  const { origin } = documentUrl ?? baseUrl;
  // A scheme of a document that is still to be read can't carry the token yet. It goes to the target's origin only, whatever is asked.
  const credential = target?.auth.kind === "header" ? toCredential(target, []) : undefined;
  // One deadline for all paths that are asked: a slow answer to each must not add up.
  const endsAt = performance.now() + timeoutMs;
  async function fetchText(path: string): Promise<string> {
    const maxBytes = gatewayLimits.maxDocumentBytes;
    const ownRequest = documentUrl && { method: "GET", url: documentUrl.href, headers: [] };
    const request = ownRequest ?? buildRequest({ path }, undefined, target as Target);
    // In one piece from the start: the chunks and the whole together would be twice as much.
    const body = Buffer.allocUnsafeSlow(maxBytes);
    let length = 0;
    const onBody = (chunk: Buffer): Promise<void> => Promise.resolve(void (length += chunk.copy(body, length)));
    const leftMs = Math.max(1, Math.round(endsAt - performance.now()));
    const outcome = await execute(request, { ...sending, origin, credential, onBody, maxBodyBytes: maxBytes, timeoutMs: leftMs });
    // A gateway that can't be reached is not asked again under another path.
    const kind = outcome.errorInfo?.kind;
    const code = kind === "network" ? "connection_failed" : kind === "timeout" || kind === "cancelled" ? kind : "usage";
    if (!outcome.ok) throw new HawserError(code, outcome.error ?? "failed");
    if (outcome.response?.truncated) throw new HawserError("too_large", `document of more than ${maxBytes} bytes`);
    if (!isUtf8(body.subarray(0, length))) throw new HawserError("usage", "document is not UTF-8 text");
    const text = body.toString("utf8", 0, length);
    release(body);
    return text;
  }
  return { baseUrl, documentUrl, fetchText };
}
