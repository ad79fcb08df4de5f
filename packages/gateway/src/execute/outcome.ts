// Outcomes of calls from what happened to them, and as the doors print them, in the members and the order that hosts of
// `igw` know: one place decides code, text, kind and whether the same call may be made again. Every text passes the redactor.

import { describeThrown, errorTable, HawserError, type CallStats } from "@hawser/protocol";
import type { CallErrorInfo, CallOutcome, CallResponse, FlagWords } from "../call.ts";
import { isIdempotent } from "../request/call-item.ts";
import type { ExchangeTimes } from "./exchange.ts";
import { describeNetworkError } from "./network-error.ts";
import type { Redactor } from "./redaction.ts";
import { authenticationHint } from "./proxy-routes.ts";

/** What is known of a call whatever its end. */
export interface OutcomeContext {
  readonly startedAt: number;
  readonly redactor: Redactor;
  readonly request?: { readonly method: string; readonly url: string } | undefined;
  readonly times?: ExchangeTimes | undefined;
}

export const isRetryableStatus = (status: number): boolean => status === 429 || status >= 500;

type Failure = Pick<CallOutcome, "code" | "error" | "asFlags"> & { readonly errorInfo: CallErrorInfo };

export function toResponseOutcome(context: OutcomeContext, response: CallResponse, refusedRedirect?: string): CallOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return finish(context, { ok: true, status, code: 0, response });
  return finish(context, { ok: false, status, ...statusFailure(status, refusedRedirect), response });
}

/** An outcome of something that was thrown before or during a call. */
export function toFailureOutcome(context: OutcomeContext, error: unknown, url?: string): CallOutcome {
  const isCancelled = HawserError.isInstance(error) && error.code === "cancelled";
  return finish(context, { ok: false, ...thrownFailure(context, error, url), ...(isCancelled && { cancelled: true as const }) });
}

function statusFailure(status: number, refusedRedirect: string | undefined): Failure {
  const error = (text: string | undefined): string => (text === undefined ? `http ${status}` : `http ${status}: ${text}`);
  if (status === 401) {
    const hint = "give a valid one: hawser config set --api-key-stdin, with --profile for that of a profile, or IGNITION_API_TOKEN";
    return { code: 6, error: error("token missing or invalid"), errorInfo: { kind: "auth", retryable: false, hint } };
  }
  if (status === 403) {
    const text = "token authenticated but lacks permissions or requires secure connections";
    return { code: 6, error: error(text), errorInfo: { kind: "auth", retryable: false, hint: "check what the token may do" } };
  }
  // Only a proxy answers so; what it wants is not the API's token.
  if (status === 407) {
    const text = error("the proxy wants a user name and password");
    return { code: 7, error: text, errorInfo: { kind: "network", retryable: false, hint: authenticationHint } };
  }
  if (refusedRedirect !== undefined) {
    const hint = "set the gateway's address to where it redirects, if that is yours";
    return { code: 7, error: error(refusedRedirect), errorInfo: { kind: "redirect", retryable: false, hint } };
  }
  return { code: 7, error: error(undefined), errorInfo: { kind: "http", retryable: status === 408 || isRetryableStatus(status) } };
}

function thrownFailure(context: OutcomeContext, error: unknown, url: string | undefined): Failure {
  // A request that may have arrived is not to be repeated unless its method allows it.
  const mayRepeat = context.times?.isSent !== true || isIdempotent(context.request?.method ?? "");
  if (HawserError.isInstance(error) && error.code !== "connection_lost") {
    const { code, message } = error;
    const hint = code === "timeout" ? 'give it more time, as in "timeout": "30s"' : error.facts["hint"];
    const asFlags = code === "timeout" ? { hint: "give it more time: --timeout 30s" } : (error.facts["asFlags"] as FlagWords | undefined);
    const errorInfo = { kind: kindOf(error), retryable: code === "timeout" && mayRepeat, ...(typeof hint === "string" && { hint }) };
    return { code: code === "too_large" ? 7 : errorTable[code].rpcCode, error: message, errorInfo, ...(asFlags && { asFlags }) };
  }
  if (url === undefined)
    return { code: 7, error: `internal error: ${describeThrown(error)}`, errorInfo: { kind: "internal", retryable: false } };
  const { text, retryable, hint } = describeNetworkError(error, new URL(url));
  return { code: 7, error: text, errorInfo: { kind: "network", retryable: retryable && mayRepeat, ...(hint !== undefined && { hint }) } };
}

function kindOf(error: HawserError): CallErrorInfo["kind"] {
  if (error.facts["kind"] === "config") return "config";
  const { code } = error;
  if (code === "timeout" || code === "cancelled" || code === "overloaded" || code === "too_large") return code;
  return errorTable[code].rpcCode === 2 ? "usage" : "internal";
}

/** `parts` is made for this, and becomes the outcome. */
function finish(context: OutcomeContext, parts: Omit<CallOutcome, "timingMs" | "stats" | "request">): CallOutcome {
  const { redactor, request, times } = context;
  const timingMs = Math.round(performance.now() - context.startedAt);
  const { response } = parts;
  const stats: CallStats = { version: 1, timingMs, bodyBytes: response?.bytes ?? 0 };
  if (times?.endMs !== undefined) stats.http = toHttpTimes(times, times.endMs);
  if (response?.truncated) stats.truncated = true;
  const outcome = parts as Writable<CallOutcome>;
  outcome.timingMs = timingMs;
  outcome.stats = stats;
  if (request) outcome.request = { method: request.method, url: redactor.text(request.url) };
  if (parts.error !== undefined) outcome.error = redactor.text(parts.error);
  if (parts.asFlags?.message !== undefined) outcome.asFlags = { ...parts.asFlags, message: redactor.text(parts.asFlags.message) };
  return outcome;
}

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Whole milliseconds, as hosts know them. */
function toHttpTimes(times: ExchangeTimes, endMs: number): NonNullable<CallStats["http"]> {
  const { connection, writtenMs, firstByteMs } = times;
  const http: NonNullable<CallStats["http"]> = { totalMs: Math.round(endMs) };
  if (connection?.dnsMs !== undefined) http.dnsMs = Math.round(connection.dnsMs);
  if (connection?.connectMs !== undefined) http.connectMs = Math.round(connection.connectMs);
  if (connection?.tlsHandshakeMs !== undefined) http.tlsHandshakeMs = Math.round(connection.tlsHandshakeMs);
  if (writtenMs !== undefined) http.requestWriteDoneMs = Math.round(writtenMs);
  if (firstByteMs === undefined) return http;
  http.firstByteMs = Math.round(firstByteMs);
  http.bodyReadMs = Math.round(endMs - firstByteMs);
  return http;
}

/** What `call --json` prints. */
export interface CallJson extends Partial<Pick<CallOutcome, "code" | "error" | "request" | "response" | "stats">> {
  readonly ok: boolean;
  readonly details?: Partial<CallErrorInfo> & { readonly status?: number; readonly timeout?: true; readonly cancelled?: true };
}

/** One line of `call --batch`; `errorInfo` is beyond what `igw` prints. */
export interface BatchLine extends Omit<CallOutcome, "cancelled" | "asFlags"> {
  readonly id?: unknown;
}

/** `code` and `error` only of a failure; `stats` only where asked for. */
export function toCallJson(outcome: CallOutcome, { includeStats = false }: { readonly includeStats?: boolean } = {}): CallJson {
  const { ok, code, status, error, errorInfo, cancelled, request, response, stats } = outcome;
  const details = {
    ...(status !== undefined && { status }),
    ...(errorInfo?.hint !== undefined && { hint: errorInfo.hint }),
    ...(errorInfo?.kind === "timeout" && { timeout: true as const }),
    ...(cancelled && { cancelled }),
    ...(errorInfo && { kind: errorInfo.kind, retryable: errorInfo.retryable }),
  };
  return {
    ok,
    ...(!ok && { code, error: error ?? "failed", details }),
    ...(request && { request }),
    ...(response && { response }),
    ...(includeStats && { stats }),
  };
}

/** Without the id, which goes before it as its source says. */
export function toBatchLine(outcome: CallOutcome): BatchLine {
  const { ok, code, status, error, timingMs, request, response, stats, errorInfo } = outcome;
  return {
    ok,
    code,
    ...(status !== undefined && { status }),
    ...(!ok && { error: error ?? "failed" }),
    timingMs,
    ...(request && { request }),
    ...(response && { response }),
    stats,
    ...(errorInfo && { errorInfo }),
  };
}
