// The gateway as a place to fetch its API document from: with the token, within its origin, bounded,
// and with the token taken out of what comes back, since the document is kept in a cache.

import { isUtf8 } from "node:buffer";
import { HawserError, limits } from "@hawser/wire";
import type { CallOutcome, GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import type { Target } from "./config/target.ts";
import { createConnectionPool, type ConnectionPool } from "./execute/connection-pool.ts";
import { toCredential } from "./execute/credential.ts";
import { execute } from "./execute/execute.ts";
import { createRedactor, type Redactor } from "./execute/redaction.ts";
import type { RunningCalls } from "./execute/running-calls.ts";
import { release } from "./openapi/document-file.ts";
import type { GatewaySource } from "./openapi/fetch-document.ts";
import { buildRequest } from "./request/build-request.ts";

interface SourceParts {
  readonly target: Target;
  readonly redactor: Redactor;
  readonly pool: ConnectionPool;
  /** Where its requests can be cancelled while they run. */
  readonly running?: RunningCalls | undefined;
  readonly timeoutMs?: number | undefined;
}

/** For one search for the document: its time begins now. */
export function createGatewaySource({ target, redactor, pool, running, timeoutMs = limits.documentTimeoutMs }: SourceParts): GatewaySource {
  // A scheme of a document that is still to be read can't carry the token yet.
  const credential = target.auth.kind === "header" ? toCredential(target, []) : undefined;
  const sending = { pool, origin: target.baseUrl.origin, credential, redactor, running };
  // One deadline for all paths that are asked: a slow answer to each must not add up.
  const endsAt = performance.now() + timeoutMs;
  return {
    baseUrl: target.baseUrl,
    async fetchText(path, { maxBytes }) {
      // In one piece from the start: the chunks and the whole together would be twice as much.
      const body = Buffer.allocUnsafeSlow(maxBytes);
      let length = 0;
      const onBody = (chunk: Buffer): Promise<void> => Promise.resolve(void (length += chunk.copy(body, length)));
      const request = buildRequest({ path }, undefined, target);
      const leftMs = Math.max(1, Math.round(endsAt - performance.now()));
      const outcome = await execute(request, { ...sending, onBody, maxBodyBytes: maxBytes, timeoutMs: leftMs });
      if (!outcome.ok) throw toError(outcome);
      if (outcome.response?.truncated) throw new HawserError("too_large", `document of more than ${maxBytes} bytes`);
      if (!isUtf8(body.subarray(0, length))) throw new HawserError("usage", "document is not UTF-8 text");
      const text = body.toString("utf8", 0, length);
      release(body);
      return text;
    },
  };
}

/** A source with a connection of its own, as the options, the environment and the configuration file say. */
export async function openGatewaySource(options: GatewayOptions = {}): Promise<GatewaySource & { close(): Promise<void> }> {
  const target = await resolveTarget(options);
  const pool = createConnectionPool(1);
  return { ...createGatewaySource({ target, redactor: createRedactor(target.token), pool }), close: pool.close };
}

/** A gateway that can't be reached is not asked again under another path. */
function toError({ error = "failed", errorInfo }: CallOutcome): HawserError {
  const kind = errorInfo?.kind;
  const code = kind === "network" ? "connection_failed" : kind === "timeout" || kind === "cancelled" ? kind : "usage";
  return new HawserError(code, error);
}
