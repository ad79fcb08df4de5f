// Where the API document is fetched from, the gateway or an address of its own: with the token only where that is
// the gateway's origin, bounded, and with the token taken out of what comes back, since it is kept in a cache.

import { isUtf8 } from "node:buffer";
import { HawserError, limits } from "@hawser/wire";
import type { CallOutcome, GatewayOptions } from "./call.ts";
import { findTarget, resolveTarget } from "./config/resolve-target.ts";
import { toDocumentUrl } from "./config/target-values.ts";
import type { Target } from "./config/target.ts";
import { createConnectionPool, type ConnectionPool } from "./execute/connection-pool.ts";
import { toCredential } from "./execute/credential.ts";
import { execute } from "./execute/execute.ts";
import { createRedactor, type Redactor } from "./execute/redaction.ts";
import type { RunningCalls } from "./execute/running-calls.ts";
import { release } from "./openapi/document-file.ts";
import type { GatewaySource } from "./openapi/fetch-document.ts";
import { buildRequest } from "./request/build-request.ts";
import type { HttpRequest } from "./request/http-request.ts";

interface SourceParts {
  readonly target: Target;
  readonly redactor: Redactor;
  readonly pool: ConnectionPool;
  /** Where its requests can be cancelled while they run. */
  readonly running?: RunningCalls | undefined;
  readonly timeoutMs?: number | undefined;
}

/** For one search for the document of a target: its time begins now. */
export function createGatewaySource({ target, ...parts }: SourceParts): GatewaySource {
  const { baseUrl } = target;
  const documentUrl = toDocumentUrl(target.specFile);
  if (documentUrl) return createDocumentSource(documentUrl, { ...parts, target });
  const fetchBytes = createFetcher({ ...parts, target, origin: baseUrl.origin });
  return { baseUrl, fetchText: (path, { maxBytes }) => fetchBytes(buildRequest({ path }, undefined, target), maxBytes) };
}

/** For a document with an address of its own, which needs no target. */
function createDocumentSource(
  documentUrl: URL,
  parts: Omit<SourceParts, "target"> & { readonly target: Target | undefined },
): GatewaySource {
  const fetchBytes = createFetcher({ ...parts, origin: documentUrl.origin });
  const request: HttpRequest = { method: "GET", url: documentUrl.href, headers: [] };
  return {
    baseUrl: parts.target?.baseUrl ?? documentUrl,
    documentUrl,
    fetchText: (_address, { maxBytes }) => fetchBytes(request, maxBytes),
  };
}

type FetcherParts = Omit<SourceParts, "target"> & { readonly target: Target | undefined; readonly origin: string };

function createFetcher({ target, origin, timeoutMs = limits.documentTimeoutMs, ...parts }: FetcherParts) {
  // A scheme of a document that is still to be read can't carry the token yet. It goes to the target's origin only, whatever is asked.
  const credential = target?.auth.kind === "header" ? toCredential(target, []) : undefined;
  // One deadline for all paths that are asked: a slow answer to each must not add up.
  const endsAt = performance.now() + timeoutMs;
  return async (request: HttpRequest, maxBytes: number): Promise<string> => {
    // In one piece from the start: the chunks and the whole together would be twice as much.
    const body = Buffer.allocUnsafeSlow(maxBytes);
    let length = 0;
    const onBody = (chunk: Buffer): Promise<void> => Promise.resolve(void (length += chunk.copy(body, length)));
    const leftMs = Math.max(1, Math.round(endsAt - performance.now()));
    const outcome = await execute(request, { ...parts, origin, credential, onBody, maxBodyBytes: maxBytes, timeoutMs: leftMs });
    if (!outcome.ok) throw toError(outcome);
    if (outcome.response?.truncated) throw new HawserError("too_large", `document of more than ${maxBytes} bytes`);
    if (!isUtf8(body.subarray(0, length))) throw new HawserError("usage", "document is not UTF-8 text");
    const text = body.toString("utf8", 0, length);
    release(body);
    return text;
  };
}

type OpenSource = GatewaySource & { close(): Promise<void> };

/** A source with a connection of its own, as the options, the environment and the configuration file say. */
export async function openGatewaySource(options: GatewayOptions = {}): Promise<OpenSource> {
  const { source } = await openDocumentPlace(options);
  // Says what is missing.
  return source ?? openSource(await resolveTarget(options), options.env);
}

export interface DocumentPlace {
  /** The file or address that is named for it. */
  readonly specFile: string | undefined;
  /** Undefined where neither a gateway nor an address of the document is configured. */
  readonly source: OpenSource | undefined;
}

/** Where the document is looked for. A gateway's address is not needed. */
export async function openDocumentPlace(options: GatewayOptions): Promise<DocumentPlace> {
  const { target, specFile } = await findTarget(options);
  return { specFile, source: target ? openSource(target, options.env) : openAddress(toDocumentUrl(specFile), options.env) };
}

function openSource(target: Target, env: GatewayOptions["env"]): OpenSource {
  const pool = createConnectionPool(1, env);
  return { ...createGatewaySource({ target, redactor: createRedactor(target.token), pool }), close: pool.close };
}

function openAddress(documentUrl: URL | undefined, env: GatewayOptions["env"]): OpenSource | undefined {
  if (!documentUrl) return undefined;
  const pool = createConnectionPool(1, env);
  const source = createDocumentSource(documentUrl, { target: undefined, redactor: createRedactor(undefined), pool });
  return { ...source, close: pool.close };
}

/** A gateway that can't be reached is not asked again under another path. */
function toError({ error = "failed", errorInfo }: CallOutcome): HawserError {
  const kind = errorInfo?.kind;
  const code = kind === "network" ? "connection_failed" : kind === "timeout" || kind === "cancelled" ? kind : "usage";
  return new HawserError(code, error);
}
