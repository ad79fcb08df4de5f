// One prepared request becomes one outcome: sent with the token, tried again where that is safe, ended by its deadline or by
// its caller. Redirects of GET and HEAD are followed within the gateway's own origin; any other one ends the call, so that
// no header of ours reaches a place that was not configured. Never rejects. A method that may not be repeated is sent at
// most once, whatever happens to its connection.

import { HawserError, parseRetryAfter, retryPauseMs } from "@hawser/protocol/internal";
import type { CallOutcome, CallResponse, OnBody } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import type { HttpRequest } from "../request/build-request.ts";
import { isIdempotent } from "../request/call-item.ts";
import { acceptedEncodings } from "./content-decoder.ts";
import { toWireRequest, type Credential } from "./credential.ts";
import type { ResponseHeaders } from "./connections.ts";
import { exchange, type ExchangeOptions } from "./exchange.ts";
import { startInterruption, type Cancellers, type Interruption } from "./interruption.ts";
import { isRetryableStatus, toFailureOutcome, toResponseOutcome, type OutcomeContext } from "./outcome.ts";
import { receiveResponse, type ReceivedResponse, type ResponseOptions } from "./received-response.ts";

export interface ExecuteOptions extends Cancellers, ResponseOptions, Pick<ExchangeOptions, "connections"> {
  /** The only place where the request may go. */
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly timeoutMs?: number | undefined;
  /** How often to try again; ignored for methods that may not be repeated. */
  readonly retry?: number | undefined;
  readonly retryBackoffMs?: number | undefined;
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
      const sent = { ...context, times: {} };
      const { outcome, headers, isRetryable } = await sendOnce(request, url, sending, { sent, interruption });
      const location = redirectStatuses.has(outcome.status) ? headers?.["location"]?.toString() : undefined;
      if (location !== undefined) {
        const next = toRedirect(location, url, method);
        const isTooFar = redirects++ === gatewayLimits.maxRedirects;
        const refusal = typeof next === "string" ? next : `more than ${gatewayLimits.maxRedirects} redirects`;
        if (typeof next === "string" || isTooFar) return toResponseOutcome(sent, outcome.response as CallResponse, refusal);
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
  }
}

/** One response, or the fault instead of it. */
interface Sent {
  readonly outcome: CallOutcome;
  readonly headers?: ResponseHeaders | undefined;
  readonly isRetryable: boolean;
}

interface Sending {
  readonly sent: OutcomeContext & Pick<ExchangeOptions, "times">;
  readonly interruption: Interruption;
}

async function sendOnce(request: HttpRequest, url: string, options: ExecuteOptions, { sent, interruption }: Sending): Promise<Sent> {
  const { connections, origin, credential } = options;
  let received: ReceivedResponse | undefined;
  try {
    const { path, headers } = toWireRequest(request, url, origin, credential);
    const isEncodingGiven = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "accept-encoding");
    if (!isEncodingGiven) headers.push("accept-encoding", acceptedEncodings);
    await exchange(
      { origin, path, method: request.method, headers, body: request.body ?? null, idempotent: false },
      { connections, interruption, times: sent.times, open: (status, given) => (received = receiveResponse(status, given, options)) },
    );
    if (received === undefined) throw new HawserError("internal", "the exchange ended without a response");
    const response = received.finish();
    const outcome = toResponseOutcome(sent, response instanceof Promise ? await response : response);
    return { outcome, headers: received.headers, isRetryable: isRetryableStatus(received.status) };
  } catch (error) {
    const outcome = toFailureOutcome(sent, error, url);
    const { kind, retryable } = outcome.errorInfo ?? {};
    return { outcome, isRetryable: kind === "network" && retryable === true && received?.hasHandedOn() !== true };
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

const redirectStatuses = new Set<number | undefined>([301, 302, 303, 307, 308]);

/** Where a redirect leads, or in words why it is not followed. */
function toRedirect(location: string, from: string, method: string): URL | string {
  if (method !== "GET" && method !== "HEAD") return `redirect of a ${method} is not followed`;
  if (!URL.canParse(location, from)) return "redirect to an invalid address";
  const url = new URL(location, from);
  const isSameOrigin = url.origin === new URL(from).origin && url.username === "" && url.password === "";
  return isSameOrigin ? url : `redirect to another origin (${url.origin}) is not followed`;
}
