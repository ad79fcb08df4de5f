// One prepared request becomes one outcome: sent with the token, tried again where that is safe, ended by its deadline or by
// its caller. Redirects of GET and HEAD are followed within the gateway's own origin; any other one ends the call, so that
// no header of ours reaches a place that was not configured. Never rejects. A method that may not be repeated is sent at
// most once, whatever happens to its connection.

import { HawserError } from "@hawser/protocol";
import { parseRetryAfter, retryPauseMs } from "@hawser/wire/internal";
import type { CallOutcome, CallResponse, OnBody } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import type { HttpRequest } from "../request/build-request.ts";
import { isIdempotent } from "../request/call-item.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { acceptedEncodings } from "./content-decoder.ts";
import { toWireRequest, type Credential } from "./credential.ts";
import { exchange, type BodySink, type ExchangeRequest, type ExchangeTimes, type ResponseHeaders } from "./exchange.ts";
import { startInterruption, type Cancellers, type Interruption } from "./interruption.ts";
import { isRetryableStatus, toFailureOutcome, toResponseOutcome, type OutcomeContext } from "./outcome.ts";
import { hasHandedOn, receiveResponse, toResponse, type ReceivedResponse, type ResponseOptions } from "./received-response.ts";

export interface ExecuteOptions extends Cancellers, ResponseOptions {
  readonly pool: ConnectionPool;
  /** The only place where the request may go. */
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly timeoutMs?: number | undefined;
  /** How often to try again; ignored for methods that may not be repeated. */
  readonly retry?: number | undefined;
  readonly retryBackoffMs?: number | undefined;
}

/** One response, or the fault instead of it. */
interface Try {
  readonly outcome: CallOutcome;
  readonly headers?: ResponseHeaders | undefined;
  readonly isRetryable: boolean;
}

export async function execute(request: HttpRequest, options: ExecuteOptions): Promise<CallOutcome> {
  const { method, url } = request;
  const context = { startedAt: performance.now(), redactor: options.redactor, request: { method, url } };
  if (!url.startsWith(`${options.origin}/`)) {
    return toFailureOutcome(context, new HawserError("usage", "the request leaves the gateway's address; give a path below it"));
  }
  const interruption = startInterruption(options.timeoutMs ?? gatewayLimits.callTimeoutMs, options);
  const series = { context, interruption };
  const maxTries = isIdempotent(method) ? 1 + (options.retry ?? 0) : 1;
  try {
    for (let tries = 1; ; tries++) {
      const first = await tryOnce(request, url, options, series);
      const { outcome, headers, isRetryable } = isRedirect(first) ? await followRedirects(first, request, options, series) : first;
      if (!isRetryable || tries >= maxTries || interruption.reason) return outcome;
      const delayMs = retryDelayMs(tries, options.retryBackoffMs ?? gatewayLimits.retryBackoffMs, headers);
      // A try that could only begin after the deadline is not waited for.
      if (delayMs >= interruption.remainingMs()) return outcome;
      await interruption.sleep(delayMs);
    }
  } catch (error) {
    return toFailureOutcome(context, error);
  } finally {
    interruption.end();
  }
}

interface Series {
  readonly context: OutcomeContext;
  readonly interruption: Interruption;
}

const isRedirect = ({ outcome }: Try): boolean => isRedirectStatus(outcome.status ?? 0);

async function followRedirects(first: Try, request: HttpRequest, options: ExecuteOptions, series: Series): Promise<Try> {
  let { url } = request;
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const status = hop.outcome.status ?? 0;
    const verdict = judgeRedirect(status, hop.headers?.["location"]?.toString(), url, request.method);
    if (verdict === undefined) return hop;
    const why = verdict.kind === "refuse" ? verdict.why : `more than ${gatewayLimits.maxRedirects} redirects`;
    if (verdict.kind === "refuse" || redirects === gatewayLimits.maxRedirects) {
      const { response, stats } = hop.outcome;
      const outcome = toResponseOutcome(series.context, response as CallResponse, why);
      return { outcome: { ...outcome, stats: { ...outcome.stats, ...(stats.http && { http: stats.http }) } }, isRetryable: false };
    }
    url = verdict.url;
    hop = await tryOnce(request, url, options, series);
  }
}

async function tryOnce(request: HttpRequest, url: string, options: ExecuteOptions, series: Series): Promise<Try> {
  const times: ExchangeTimes = {};
  const context = { ...series.context, times };
  let received: ReceivedResponse | undefined;
  function openSink(status: number, headers: ResponseHeaders): BodySink {
    const { onBody } = options;
    received = receiveResponse(status, headers, onBody ? { ...options, onBody: untimed(onBody, series.interruption) } : options);
    return received.sink;
  }
  try {
    await exchange(toExchangeRequest(request, url, options), { pool: options.pool, interruption: series.interruption, openSink, times });
    if (received === undefined) throw new HawserError("internal", "the exchange ended without a response");
    const { status, headers } = received;
    const response = toResponse(received, options);
    const outcome = toResponseOutcome(context, response instanceof Promise ? await response : response);
    return { outcome, headers, isRetryable: isRetryableStatus(status) };
  } catch (error) {
    const outcome = toFailureOutcome(context, error, url);
    const { kind, retryable } = outcome.errorInfo ?? {};
    return { outcome, isRetryable: kind === "network" && retryable === true && !(received && hasHandedOn(received)) };
  }
}

/** While the reader of a body takes its time, the call has not less of its own. */
function untimed(onBody: OnBody, interruption: Interruption): OnBody {
  return async (chunk, response) => {
    const goOn = interruption.hold();
    try {
      await onBody(chunk, response);
    } finally {
      goOn();
    }
  };
}

function toExchangeRequest(request: HttpRequest, url: string, { origin: ownOrigin, credential }: ExecuteOptions): ExchangeRequest {
  const { method, body } = request;
  // The request's own address was compared with it before.
  const origin = url === request.url ? ownOrigin : new URL(url).origin;
  const { path, headers } = toWireRequest(request, url, origin, credential);
  if (!hasHeader(headers, "accept-encoding")) headers.push("accept-encoding", acceptedEncodings);
  return { origin, method, body, path, headers };
}

function hasHeader(headers: readonly string[], name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at]?.toLowerCase() === name) return true;
  return false;
}

type RedirectVerdict = { readonly kind: "follow"; readonly url: string } | { readonly kind: "refuse"; readonly why: string };

const isRedirectStatus = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

/** Undefined if the response is not a redirect. */
function judgeRedirect(status: number, location: string | undefined, from: string, method: string): RedirectVerdict | undefined {
  if (!isRedirectStatus(status) || location === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD") return { kind: "refuse", why: `redirect of a ${method} is not followed` };
  if (!URL.canParse(location, from)) return { kind: "refuse", why: "redirect to an invalid address" };
  const url = new URL(location, from);
  const isSameOrigin = url.origin === new URL(from).origin && url.username === "" && url.password === "";
  if (!isSameOrigin) return { kind: "refuse", why: `redirect to another origin (${url.origin}) is not followed` };
  return { kind: "follow", url: url.origin + url.pathname + url.search };
}

/** Milliseconds before the next try. `tries` counts those already made. */
function retryDelayMs(tries: number, backoffMs: number, headers: ResponseHeaders | undefined): number {
  const askedMs = parseRetryAfter(headers?.["retry-after"]?.toString());
  return retryPauseMs({ tries, firstMs: backoffMs, longestMs: Math.max(gatewayLimits.maxRetryBackoffMs, backoffMs), askedMs });
}
