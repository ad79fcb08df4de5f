// One prepared request becomes one outcome: sent with the token, tried again where that is safe, ended by its deadline or by
// its caller. Redirects of GET and HEAD are followed within the gateway's own origin; any other one ends the call, so that
// no header of ours reaches a place that was not configured. Never rejects. A method that may not be repeated is sent at
// most once, whatever happens to its connection.

import { HawserError, parseRetryAfter, retryPauseMs } from "@hawser/protocol/internal";
import type { CallOptions, CallOutcome, CallResponse, OnBody } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import type { HttpRequest } from "../request/build-request.ts";
import { isIdempotent } from "../request/call-item.ts";
import { acceptedEncodings } from "./content-decoder.ts";
import { toWireRequest, type Credential } from "./credential.ts";
import type { ResponseHeaders, WireRequest } from "./connections.ts";
import { exchange, type ExchangeOptions, type ExchangeTimes } from "./exchange.ts";
import { startInterruption, type Cancellers, type Interruption } from "./interruption.ts";
import { isRetryableStatus, toFailureOutcome, toResponseOutcome, type OutcomeContext } from "./outcome.ts";
import type { Redactor } from "./redaction.ts";
import { receiveResponse, type ReceivedResponse, type ResponseOptions } from "./received-response.ts";

export interface ExecuteOptions extends Cancellers, ResponseOptions, Pick<ExchangeOptions, "connections"> {
  /** The only place where the request may go. */
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly timeoutMs?: number | undefined;
  /** How often to try again; ignored for methods that may not be repeated. */
  readonly retry?: number | undefined;
  readonly retryBackoffMs?: number | undefined;
  /** Who keeps the outcome; the body keeps its share as long. */
  readonly keeper?: Pick<CallOptions, "whenWritten"> | undefined;
}

export async function execute(request: HttpRequest, options: ExecuteOptions): Promise<CallOutcome> {
  const { method } = request;
  const { onBody, redactor, retryBackoffMs = gatewayLimits.retryBackoffMs } = options;
  const context = { startedAt: performance.now(), redactor, request: { method, url: request.url } };
  if (!request.url.startsWith(`${options.origin}/`)) {
    return toFailureOutcome(context, new HawserError("usage", "the request leaves the gateway's address; give a path below it"));
  }
  const interruption = startInterruption(options.timeoutMs ?? gatewayLimits.callTimeoutMs, options);
  const sending = onBody ? { ...options, onBody: untimed(onBody, interruption) } : options;
  const maxTries = isIdempotent(method) ? 1 + (options.retry ?? 0) : 1;
  const longestPauseMs = Math.max(gatewayLimits.maxRetryBackoffMs, retryBackoffMs);
  let { url } = request;
  let redirects = 0;
  let tries = 1;
  try {
    for (;;) {
      const attempt = new Attempt(context, sending, interruption);
      let outcome: CallOutcome;
      // Here, not in a function of its own: each one that waits costs a call some microseconds.
      try {
        await exchange(toExchange(request, url, options), attempt);
        const response = attempt.finish();
        outcome = attempt.succeed(response instanceof Promise ? await response : response);
      } catch (error) {
        outcome = attempt.fail(error, url);
      }
      if (outcome.ok) return outcome;
      const { headers, isRetryable } = attempt;
      const location = redirectStatuses.has(outcome.status) ? headers?.["location"]?.toString() : undefined;
      if (location !== undefined) {
        const next = toRedirect(location, url, method);
        const isTooFar = redirects++ === gatewayLimits.maxRedirects;
        const refusal = typeof next === "string" ? next : `more than ${gatewayLimits.maxRedirects} redirects`;
        if (typeof next === "string" || isTooFar) return toResponseOutcome(attempt, outcome.response as CallResponse, refusal);
        url = next.origin + next.pathname + next.search;
        continue;
      }
      if (!isRetryable || tries >= maxTries || interruption.reason) return outcome;
      const askedMs = parseRetryAfter(headers?.["retry-after"]?.toString());
      const delayMs = retryPauseMs({ tries: tries++, firstMs: retryBackoffMs, longestMs: longestPauseMs, askedMs });
      // A try that could only begin after the deadline is not waited for.
      if (delayMs >= interruption.remainingMs()) return outcome;
      await interruption.sleep(delayMs);
      [url, redirects] = [request.url, 0];
    }
  } catch (error) {
    return toFailureOutcome(context, error);
  } finally {
    interruption.end();
    const { keeper, share } = options;
    if (keeper?.whenWritten) keeper.whenWritten(() => share?.set(0));
    else share?.set(0);
  }
}

/** One request, and its response or the fault instead of it: what the exchange asks for, and what an outcome says of it. */
class Attempt implements ExchangeOptions, OutcomeContext {
  readonly times: ExchangeTimes = {};
  /** Of a whole response. */
  headers: ResponseHeaders | undefined;
  isRetryable = false;
  readonly connections: ExchangeOptions["connections"];
  readonly interruption: Interruption;
  readonly startedAt: number;
  readonly redactor: Redactor;
  readonly request: OutcomeContext["request"];
  private readonly options: ResponseOptions;
  private received: ReceivedResponse | undefined;

  constructor(context: OutcomeContext, options: ExecuteOptions, interruption: Interruption) {
    this.connections = options.connections;
    this.interruption = interruption;
    this.startedAt = context.startedAt;
    this.redactor = context.redactor;
    this.request = context.request;
    this.options = options;
  }

  open(status: number, headers: ResponseHeaders): ReceivedResponse {
    this.received = receiveResponse(status, headers, this.options);
    return this.received;
  }

  finish(): CallResponse | Promise<CallResponse> {
    if (this.received === undefined) throw new HawserError("internal", "the exchange ended without a response");
    return this.received.finish();
  }

  succeed(response: CallResponse): CallOutcome {
    this.headers = this.received?.headers;
    this.isRetryable = isRetryableStatus(response.status);
    return toResponseOutcome(this, response);
  }

  fail(error: unknown, url: string): CallOutcome {
    const outcome = toFailureOutcome(this, error, url);
    const { kind, retryable } = outcome.errorInfo ?? {};
    this.isRetryable = kind === "network" && retryable === true && this.received?.hasHandedOn() !== true;
    return outcome;
  }
}

/** The headers of requests that bring none of their own, by the credential: most calls share one list. */
const usualHeaders = new WeakMap<object, string[]>();
const noCredential = {};

function toExchange(request: HttpRequest, url: string, { origin, credential }: ExecuteOptions): WireRequest {
  const isUsual = request.headers.length === 0 && (!credential || (credential.in === "header" && credential.origin === origin));
  const usual = isUsual ? usualHeaders.get(credential ?? noCredential) : undefined;
  if (usual) return toWire(request, url.slice(origin.length), origin, usual);
  const { path, headers } = toWireRequest(request, url, origin, credential);
  if (!hasName(headers, "accept-encoding")) headers.push("accept-encoding", acceptedEncodings);
  if (isUsual) usualHeaders.set(credential ?? noCredential, headers);
  return toWire(request, path, origin, headers);
}

function toWire({ method, body }: HttpRequest, path: string, origin: string, headers: string[]): WireRequest {
  return { origin, path, method, headers, body: body ?? null, idempotent: false };
}

function hasName(headers: readonly string[], lowerName: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at]?.toLowerCase() === lowerName) return true;
  return false;
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

const redirectStatuses = new Set<number | undefined>([301, 302, 303, 307, 308]);

/** Where a redirect leads, or in words why it is not followed. */
function toRedirect(location: string, from: string, method: string): URL | string {
  if (method !== "GET" && method !== "HEAD") return `redirect of a ${method} is not followed`;
  if (!URL.canParse(location, from)) return "redirect to an invalid address";
  const url = new URL(location, from);
  const isSameOrigin = url.origin === new URL(from).origin && url.username === "" && url.password === "";
  return isSameOrigin ? url : `redirect to another origin (${url.origin}) is not followed`;
}
