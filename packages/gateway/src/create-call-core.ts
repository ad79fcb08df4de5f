// The one core behind every door: an item becomes a request, the request an outcome. Configuration and
// API document are read when they are first needed and kept until `reload`; a reload that fails leaves
// the old ones in place, and a running call keeps those it began with.

import { gatewayLimits } from "./limits.ts";
import { createByteBudget, startDeadline, untilAborted, type CancelSignal } from "@hawser/wire/internal";
import { HawserError, type CallItem } from "@hawser/protocol";
import type { CallCore, CallOptions, CallOutcome, GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import type { Target } from "./config/target.ts";
import type { CopyUse } from "./document/fetch-document.ts";
import { createConnectionPool } from "./execute/connection-pool.ts";
import { toCredential, type Credential } from "./execute/credential.ts";
import { execute } from "./execute/execute.ts";
import { toFailureOutcome } from "./execute/outcome.ts";
import { createRedactor, type Redactor } from "./execute/redaction.ts";
import { createRunningCalls } from "./execute/interruption.ts";
import type { OperationIndex } from "./openapi/operation.ts";
import { buildRequest, type HttpRequest } from "./request/build-request.ts";
import { operationIdOf } from "./request/call-item.ts";
import { parseDuration } from "./request/duration.ts";

/** Makes calls as the options, the environment and the configuration file say. Opens and reads nothing until it is used. */
export function createCallCore(options: GatewayOptions = {}): CallCore {
  const { includeHeaders, maxBodyBytes } = options;
  const pool = createConnectionPool(options.maxConnections, options.env);
  const running = createRunningCalls();
  const bodies = createByteBudget(gatewayLimits.maxHeldBodyBytes);
  let isClosed = false;
  let session: CallSession | undefined;
  let opening: Promise<CallSession> | undefined;
  let reloads = 0;

  const open = (copyUse: CopyUse): Promise<CallSession> =>
    openSession(options, copyUse, async (target, redactor, use) => {
      const { loadTargetIndex } = await import("./document/load-index.ts");
      const { cwd, env, aroundDocument = (read) => read() } = options;
      return aroundDocument(() => loadTargetIndex(target, { redactor, pool, running }, { cwd, env, copyUse: use }));
    });

  async function firstSession(): Promise<CallSession> {
    opening ??= open("while-fresh").finally(() => (opening = undefined));
    const opened = await opening;
    session ??= opened;
    return session;
  }

  async function call(item: CallItem, callOptions: CallOptions = {}): Promise<CallOutcome> {
    const startedAt = performance.now();
    const { signal, onBody, untilWritten } = callOptions;
    const share = bodies.openShare();
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
      return await execute(request, { ...sending, redactor, includeHeaders, maxBodyBytes, onBody, share });
    } catch (error) {
      return toFailureOutcome({ startedAt, redactor: used?.redactor ?? earlyRedactor(options) }, asCancelled(error, signal));
    } finally {
      if (untilWritten) void untilWritten.then(() => share.set(0));
      else share.set(0);
    }
  }

  return {
    call,
    async reload() {
      const turn = ++reloads;
      const next = await open("without-answer");
      // An old copy would make the answer to the reload a lie; for a call that needs the document later it is better than none.
      if (session?.isIndexWanted()) await next.index("never");
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

type LoadIndex = (target: Target, redactor: Redactor, copyUse: CopyUse) => Promise<OperationIndex>;

async function openSession(options: GatewayOptions, usualCopyUse: CopyUse, loadIndex: LoadIndex): Promise<CallSession> {
  const target = await resolveTarget(options);
  const redactor = createRedactor(target.token);
  let loading: Promise<OperationIndex> | undefined;
  function index(copyUse = usualCopyUse): Promise<OperationIndex> {
    loading ??= loadIndex(target, redactor, copyUse).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  const fixed = target.auth.kind === "header" ? { credential: toCredential(target, []) } : undefined;
  return { target, origin: target.baseUrl.origin, redactor, isIndexWanted: () => loading !== undefined, index, fixed };
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
  const byScheme = session.fixed ? undefined : session.index().then(({ securitySchemes }) => toCredential(session.target, securitySchemes));
  const credential = byScheme ? await whileWanted(byScheme, patience) : session.fixed?.credential;
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
    timeoutMs: hasText(item.timeout) ? parseDuration(item.timeout) : (options.timeoutMs ?? gatewayLimits.callTimeoutMs),
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
