// The one core behind every door: an item becomes a request, the request an outcome. Configuration and API document are read
// when they are first needed and kept until `reload`; a reload that fails leaves the old ones in place.

import { gatewayLimits } from "./limits.ts";
import { createByteBudget, startDeadline, untilAborted, type CancelSignal } from "@hawser/wire/internal";
import { HawserError, type CallItem } from "@hawser/protocol";
import type { CallCore, CallOptions, CallOutcome, GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import type { Target } from "./config/target.ts";
import type { CopyUse } from "./document/fetch-document.ts";
import { createConnectionPool } from "./execute/connection-pool.ts";
import type { Connections, OpenConnections } from "./execute/connections.ts";
import { toCredential, type Credential } from "./execute/credential.ts";
import { execute } from "./execute/execute.ts";
import { toFailureOutcome } from "./execute/outcome.ts";
import { createRedactor, type Redactor } from "./execute/redaction.ts";
import { createRunningCalls, type RunningCalls } from "./execute/interruption.ts";
import type { OperationIndex } from "./openapi/operation.ts";
import { buildRequest, type HttpRequest } from "./request/build-request.ts";
import { operationIdOf } from "./request/call-item.ts";
import { parseDuration } from "./request/duration.ts";

/**
 * Makes calls as the options, the environment and the configuration file say. Opens and reads nothing until it is used.
 * `openConnections` is for doors that don't make many calls.
 */
export function createCallCore(options: GatewayOptions = {}, openConnections: OpenConnections = createConnectionPool): CallCore {
  const { includeHeaders, maxBodyBytes } = options;
  const connections = openConnections(options.maxConnections, options.env);
  const running = createRunningCalls();
  const bodies = createByteBudget(gatewayLimits.maxHeldBodyBytes);
  let isClosed = false;
  let session: CallSession | undefined;
  let opening: Promise<CallSession> | undefined;
  let reloads = 0;

  async function firstSession(): Promise<CallSession> {
    opening ??= openSession(options, "while-fresh", { connections, running }).finally(() => (opening = undefined));
    const opened = await opening;
    session ??= opened;
    return session;
  }

  function call(item: CallItem, callOptions: CallOptions = {}): Promise<CallOutcome> {
    if (session) return callIn(session, item, callOptions, performance.now());
    return callFirst(item, callOptions, performance.now());
  }

  async function callFirst(item: CallItem, callOptions: CallOptions, startedAt: number): Promise<CallOutcome> {
    let used: CallSession;
    try {
      refuseIfOver(callOptions);
      used = await firstSession();
    } catch (error) {
      const reason = callOptions.signal?.aborted ? cancelled() : error;
      return toFailureOutcome({ startedAt, redactor: earlyRedactor(options) }, reason);
    }
    return callIn(used, item, callOptions, startedAt);
  }

  function refuseIfOver({ signal }: CallOptions): void {
    if (isClosed || signal?.aborted) throw cancelled();
  }

  // Nearly every call needs no document: then it has one promise, that of `execute`.
  function callIn(used: CallSession, item: CallItem, callOptions: CallOptions, startedAt: number): Promise<CallOutcome> {
    const { signal, onBody } = callOptions;
    const { origin, redactor } = used;
    const fail = (error: unknown): CallOutcome => toFailureOutcome({ startedAt, redactor }, signal?.aborted ? cancelled() : error);
    try {
      refuseIfOver(callOptions);
      const timeoutMs = durationOf(item.timeout, "timeout") ?? options.timeoutMs ?? gatewayLimits.callTimeoutMs;
      const retryBackoffMs = durationOf(item.retryBackoff, "retryBackoff");
      // In one piece: to spread an object into another takes longer than to make it.
      const send = ({ request, credential, spentMs }: Prepared): Promise<CallOutcome> =>
        execute(request, {
          connections,
          running,
          origin,
          redactor,
          includeHeaders,
          maxBodyBytes,
          onBody,
          signal,
          keeper: callOptions,
          credential,
          spentMs,
          timeoutMs,
          retryBackoffMs,
          retry: item.retry,
          share: bodies.openShare(),
        });
      const prepared = prepare(item, used, timeoutMs, signal);
      return prepared instanceof Promise ? prepared.then(send).catch(fail) : send(prepared);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  return {
    call,
    async reload() {
      const turn = ++reloads;
      const next = await openSession(options, "without-answer", { connections, running });
      // An old copy would make the answer to the reload a lie; for a call that needs the document later it is better than none.
      if (session?.isIndexWanted()) await next.index("never");
      // Of several reloads at once the one that was asked for last counts.
      if (turn === reloads) session = next;
    },
    async close() {
      isClosed = true;
      running.cancelAll();
      await connections.close();
    },
  };
}

/** What calls share between two reloads. A call that began with one session ends with it, whatever is loaded meanwhile. */
interface CallSession {
  readonly target: Target;
  /** Of the target's address. */
  readonly origin: string;
  readonly redactor: Redactor;
  /** Whether a call has asked for the document. */
  isIndexWanted(): boolean;
  /** The document, read when it is first asked for. A failure is not kept: the next call tries again. */
  index(copyUse?: CopyUse): Promise<OperationIndex>;
  /** How the token travels; undefined where one of the document's schemes says it. */
  readonly fixed: { readonly credential: Credential | undefined } | undefined;
}

async function openSession(
  options: GatewayOptions,
  usualCopyUse: CopyUse,
  sending: { readonly connections: Connections; readonly running: RunningCalls },
): Promise<CallSession> {
  const target = await resolveTarget(options);
  const redactor = createRedactor(target.token);
  const { cwd, env, aroundDocument = (read) => read() } = options;
  let loading: Promise<OperationIndex> | undefined;

  async function load(copyUse: CopyUse): Promise<OperationIndex> {
    const { loadTargetIndex } = await import("./document/load-index.ts");
    return aroundDocument(() => loadTargetIndex(target, { ...sending, redactor }, { cwd, env, copyUse }));
  }
  function index(copyUse = usualCopyUse): Promise<OperationIndex> {
    loading ??= load(copyUse).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  const fixed = target.auth.kind === "header" ? { credential: toCredential(target, []) } : undefined;
  return { target, origin: target.baseUrl.origin, redactor, isIndexWanted: () => loading !== undefined, index, fixed };
}

interface Prepared {
  readonly request: HttpRequest;
  readonly credential: Credential | undefined;
  /** What the document took, which may have to be fetched first: the call's own time covers it. */
  readonly spentMs: number;
}

/** A promise only where the document is needed. */
function prepare(item: CallItem, session: CallSession, timeoutMs: number, signal?: CancelSignal): Prepared | Promise<Prepared> {
  const operationId = operationIdOf(item);
  const { target, fixed } = session;
  if (operationId === undefined && fixed) {
    return { request: buildRequest(item, undefined, target), credential: fixed.credential, spentMs: 0 };
  }
  const startedAt = performance.now();
  const load = async (): Promise<Prepared> => {
    // What is refused without a look at the document needs none.
    const byPath = operationId === undefined ? buildRequest(item, undefined, target) : undefined;
    const index = await session.index();
    const request = byPath ?? buildRequest(item, await index.describe(index.find(operationId ?? "")), target);
    const credential = fixed ? fixed.credential : toCredential(target, index.securitySchemes);
    return { request, credential, spentMs: Math.round(performance.now() - startedAt) };
  };
  return whileWanted(load(), timeoutMs, signal);
}

function whileWanted<Value>(load: Promise<Value>, timeoutMs: number, signal: CancelSignal | undefined): Promise<Value> {
  const expiry = new AbortController();
  const why = new HawserError("timeout", `network timeout: the API document did not come within ${timeoutMs} ms`);
  const deadline = startDeadline({ totalMs: timeoutMs, onExpire: () => expiry.abort(why) });
  return untilAborted(expiry.signal, signal ? untilAborted(signal, load) : load)
    .catch((error: unknown) => {
      throw expiry.signal.aborted ? why : error;
    })
    .finally(deadline.clear);
}

/** Hosts of igw send an empty text where they mean the default. */
const durationOf = (text: string | undefined, name: string): number | undefined =>
  text === undefined || text.trim() === "" ? undefined : parseDuration(text, name);

const cancelled = (): HawserError => new HawserError("cancelled", "cancelled");

/** Before there is a target: for a token that is known without it. */
const earlyRedactor = ({ apiKey, env = process.env }: GatewayOptions) =>
  createRedactor(apiKey?.trim() || env["IGNITION_API_TOKEN"]?.trim());
