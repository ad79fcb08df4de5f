// The one core behind every door: an item becomes a request, the request an outcome. Configuration and
// API document are read when they are first needed and kept until `reload`; a reload that fails leaves
// the old ones in place, and a running call keeps those it began with.

import { createByteBudget, HawserError, limits, startDeadline, untilAborted, type CallItem, type CancelSignal } from "@hawser/wire";
import type { CallCore, CallOptions, CallOutcome, GatewayOptions } from "./call.ts";
import { openCallSession, type CallSession } from "./call-session.ts";
import { openBodyRoom } from "./execute/body-room.ts";
import { createConnectionPool } from "./execute/connection-pool.ts";
import type { Credential } from "./execute/credential.ts";
import { execute } from "./execute/execute.ts";
import { toFailureOutcome } from "./execute/outcome.ts";
import { createRedactor } from "./execute/redaction.ts";
import { createRunningCalls } from "./execute/running-calls.ts";
import { createGatewaySource } from "./gateway-source.ts";
import type { CopyUse } from "./openapi/fetch-document.ts";
import { buildRequest } from "./request/build-request.ts";
import { operationIdOf } from "./request/check-item.ts";
import { parseDuration } from "./request/duration.ts";
import type { HttpRequest } from "./request/http-request.ts";

/** Makes calls as the options, the environment and the configuration file say. Opens and reads nothing until it is used. */
export function createCallCore(options: GatewayOptions = {}): CallCore {
  const { includeHeaders, maxBodyBytes } = options;
  const pool = createConnectionPool(options.maxConnections, options.env);
  const running = createRunningCalls();
  const bodies = createByteBudget(limits.maxHeldBodyBytes);
  let isClosed = false;
  let session: CallSession | undefined;
  let opening: Promise<CallSession> | undefined;
  let reloads = 0;

  const open = (copyUse: () => CopyUse = () => "while-fresh"): Promise<CallSession> =>
    openCallSession(options, async (shared) => {
      const { loadIndex } = await import("./openapi/load-index.ts");
      const { cwd, env, aroundDocument = (read) => read() } = options;
      const { specFile } = shared.target;
      const gateway = createGatewaySource({ ...shared, pool, running });
      return aroundDocument(() => loadIndex({ specFile, cwd, env, gateway, copyUse: copyUse() }));
    });

  async function firstSession(): Promise<CallSession> {
    opening ??= open().finally(() => (opening = undefined));
    const opened = await opening;
    session ??= opened;
    return session;
  }

  async function call(item: CallItem, callOptions: CallOptions = {}): Promise<CallOutcome> {
    const startedAt = performance.now();
    const { signal, onBody, untilWritten } = callOptions;
    const room = openBodyRoom(bodies);
    let used: CallSession | undefined;
    try {
      if (isClosed || signal?.aborted) throw new HawserError("cancelled", "cancelled");
      used = session ?? (await firstSession());
      const { timeoutMs, retryBackoffMs } = durationsOf(item, options);
      const preparing = prepare(item, used, { timeoutMs, signal });
      const { request, credential, loadedMs: spentMs } = preparing instanceof Promise ? await preparing : preparing;
      const { origin, redactor } = used;
      const { retry } = item;
      const sending = { pool, origin, credential, retry, retryBackoffMs, timeoutMs, spentMs, signal, running };
      return await execute(request, { ...sending, redactor, includeHeaders, maxBodyBytes, onBody, room });
    } catch (error) {
      return toFailureOutcome({ startedAt, redactor: used?.redactor ?? earlyRedactor(options) }, asCancelled(error, signal));
    } finally {
      if (untilWritten) void untilWritten.then(room.leave);
      else room.leave();
    }
  }

  return {
    call,
    async reload() {
      const turn = ++reloads;
      // The document is fetched anew. While the reload runs, an old copy would make its answer a lie; later it is better than none.
      let copyUse: CopyUse = "never";
      const next = await open(() => copyUse);
      if (session?.hasIndex) await next.index();
      copyUse = "without-answer";
      // Of several reloads at once the one that was asked for last counts.
      if (turn === reloads) session = next;
    },
    async close() {
      isClosed = true;
      running.cancelAll();
      await pool.close();
    },
  };
}

interface Patience {
  readonly timeoutMs: number;
  readonly signal: CancelSignal | undefined;
}

interface Prepared {
  readonly request: HttpRequest;
  readonly credential: Credential | undefined;
  /** What the document took, which may have to be fetched first: the call's own time covers it. */
  readonly loadedMs: number;
}

/** A promise only where the document is needed. */
function prepare(item: CallItem, session: CallSession, patience: Patience): Prepared | Promise<Prepared> {
  const operationId = operationIdOf(item);
  const { target, fixed } = session;
  if (operationId !== undefined || !fixed) return prepareWithDocument(item, operationId, session, patience);
  return { request: buildRequest(item, undefined, target), credential: fixed.credential, loadedMs: 0 };
}

async function prepareWithDocument(item: CallItem, operationId: string | undefined, session: CallSession, patience: Patience) {
  const startedAt = performance.now();
  const load = operationId === undefined ? undefined : session.index().then((index) => index.describe(index.find(operationId)));
  const operation = load && (await whileWanted(load, patience));
  const request = buildRequest(item, operation, session.target);
  const credential = session.fixed ? session.fixed.credential : await whileWanted(session.documentCredential(), patience);
  return { request, credential, loadedMs: Math.round(performance.now() - startedAt) };
}

function whileWanted<Value>(load: Promise<Value>, { timeoutMs, signal }: Patience): Promise<Value> {
  const expiry = new AbortController();
  const why = new HawserError("timeout", `network timeout: the API document did not come within ${timeoutMs} ms`);
  const deadline = startDeadline({ totalMs: timeoutMs, onExpire: () => expiry.abort(why) });
  return untilAborted(expiry.signal, signal ? untilAborted(signal, load) : load)
    .catch((error: unknown) => {
      throw expiry.signal.aborted ? why : error;
    })
    .finally(deadline.clear);
}

function durationsOf(item: CallItem, options: GatewayOptions): { timeoutMs: number; retryBackoffMs: number | undefined } {
  return {
    timeoutMs: hasText(item.timeout) ? parseDuration(item.timeout) : (options.timeoutMs ?? limits.callTimeoutMs),
    retryBackoffMs: hasText(item.retryBackoff) ? parseDuration(item.retryBackoff, "retryBackoff") : undefined,
  };
}

// Hosts of igw send an empty text where they mean the default.
const hasText = (duration: string | undefined): duration is string => duration !== undefined && duration.trim() !== "";

const asCancelled = (error: unknown, signal: CancelSignal | undefined): unknown =>
  signal?.aborted ? new HawserError("cancelled", "cancelled") : error;

/** Before there is a target: for a token that is known without it. */
const earlyRedactor = ({ apiKey, env = process.env }: GatewayOptions) =>
  createRedactor(apiKey?.trim() || env["IGNITION_API_TOKEN"]?.trim());
