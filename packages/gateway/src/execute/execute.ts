// One prepared request becomes one outcome: sent with the token, followed within its origin, tried
// again where that is safe, ended by its deadline or by whoever cancels it. Never rejects. A method
// that may not be repeated is sent at most once, whatever happens to its connection.

import { HawserError, limits } from "@hawser/wire";
import type { CallOutcome, CallResponse } from "../call.ts";
import { isIdempotent } from "../request/check-item.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { BodyRoom } from "./body-room.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { acceptedEncodings } from "./content-decoder.ts";
import { toWireRequest, type Credential } from "./credential.ts";
import { exchange, type BodySink, type ExchangeTimes, type ResponseHeaders } from "./exchange.ts";
import { startInterruption, type Cancellers, type Interruption } from "./interruption.ts";
import { toFailureOutcome, toResponseOutcome, type OutcomeContext } from "./outcome.ts";
import { judgeRedirect } from "./redirect.ts";
import type { Redactor } from "./redaction.ts";
import { createBodyCollector, toBodyText, type BodyCollector } from "./response-body.ts";
import { isRetryableStatus, retryDelayMs } from "./retry.ts";
import { createStreamedBody, type StreamedBody } from "./streamed-body.ts";

export interface ExecuteOptions extends Cancellers {
  readonly pool: ConnectionPool;
  /** The only place where the request may go. */
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly redactor: Redactor;
  readonly timeoutMs?: number | undefined;
  /** How often to try again; ignored for methods that may not be repeated. */
  readonly retry?: number | undefined;
  readonly retryBackoffMs?: number | undefined;
  readonly includeHeaders?: boolean | undefined;
  /** Bounds `response.body` (4 MiB unless given), and what goes to `onBody` only if given. */
  readonly maxBodyBytes?: number | undefined;
  readonly onBody?: ((chunk: Buffer) => Promise<void>) | undefined;
  /** Shared with other calls, for bodies that are kept. */
  readonly room?: BodyRoom | undefined;
}

/** One response, or the fault instead of it. */
interface Try {
  readonly outcome: CallOutcome;
  readonly headers?: ResponseHeaders | undefined;
  readonly isRetryable: boolean;
}

export async function execute(request: HttpRequest, options: ExecuteOptions): Promise<CallOutcome> {
  const startedAt = performance.now();
  const context = { startedAt, redactor: options.redactor, request: { method: request.method, url: request.url.href } };
  if (request.url.origin !== options.origin) {
    return toFailureOutcome(context, new HawserError("usage", "the request leaves the gateway's address; give a path below it"));
  }
  const interruption = startInterruption(options.timeoutMs ?? limits.callTimeoutMs, options);
  try {
    return await tryRepeatedly(request, options, { context, interruption });
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

async function tryRepeatedly(request: HttpRequest, options: ExecuteOptions, series: Series): Promise<CallOutcome> {
  const maxTries = isIdempotent(request.method) ? 1 + (options.retry ?? 0) : 1;
  for (let tries = 1; ; tries++) {
    const { outcome, headers, isRetryable } = await followRedirects(request, options, series);
    if (!isRetryable || tries >= maxTries || series.interruption.reason) return outcome;
    const delayMs = retryDelayMs(tries, options.retryBackoffMs ?? limits.retryBackoffMs, headers);
    // A try that could only begin after the deadline is not waited for.
    if (delayMs >= series.interruption.remainingMs()) return outcome;
    await series.interruption.sleep(delayMs);
  }
}

async function followRedirects(request: HttpRequest, options: ExecuteOptions, series: Series): Promise<Try> {
  let url = request.url;
  for (let redirects = 0; ; redirects++) {
    const hop = await tryOnce(request, url, options, series);
    const status = hop.outcome.status ?? 0;
    const verdict = judgeRedirect(status, hop.headers?.["location"]?.toString(), url, request.method);
    if (verdict === undefined) return hop;
    const why = verdict.kind === "refuse" ? verdict.why : `more than ${limits.maxRedirects} redirects`;
    if (verdict.kind === "refuse" || redirects === limits.maxRedirects) {
      const { response, stats } = hop.outcome;
      const outcome = toResponseOutcome(series.context, response as CallResponse, why);
      return { outcome: { ...outcome, stats: { ...outcome.stats, ...(stats.http && { http: stats.http }) } }, isRetryable: false };
    }
    url = verdict.url;
  }
}

async function tryOnce(request: HttpRequest, url: URL, options: ExecuteOptions, series: Series): Promise<Try> {
  const { pool } = options;
  const times: ExchangeTimes = {};
  const context = { ...series.context, times };
  // The request's own address was compared with it before.
  const origin = url === request.url ? options.origin : url.origin;
  const wire = toWireRequest(request, url, origin, options.credential);
  if (!hasHeader(wire.headers, "accept-encoding")) wire.headers.push("accept-encoding", acceptedEncodings);
  let received: { status: number; headers: ResponseHeaders; sink: BodyCollector | StreamedBody } | undefined;
  function openSink(status: number, headers: ResponseHeaders): BodySink {
    received = { status, headers, sink: createSink(status, options) };
    return received.sink;
  }
  const { method, body } = request;
  try {
    await exchange(
      { origin, method, body, path: wire.path, headers: wire.headers },
      { pool, interruption: series.interruption, openSink, times },
    );
    if (received === undefined) throw new HawserError("internal", "the exchange ended without a response");
    const { status, headers, sink } = received;
    const response = await toResponse(received, options);
    const isRetryable = isRetryableStatus(status) && !("flush" in sink);
    return { outcome: toResponseOutcome(context, response, undefined), headers, isRetryable };
  } catch (error) {
    const outcome = toFailureOutcome(context, error, url);
    // What was handed on can't be taken back.
    const hasDelivered = received !== undefined && "flush" in received.sink && received.sink.bytes > 0;
    return { outcome, isRetryable: outcome.errorInfo?.kind === "network" && !hasDelivered };
  }
}

function createSink(status: number, { onBody, maxBodyBytes, redactor, room }: ExecuteOptions): BodyCollector | StreamedBody {
  const isStreamed = onBody !== undefined && status >= 200 && status < 300;
  return isStreamed ? createStreamedBody(onBody, redactor, maxBodyBytes) : createBodyCollector(maxBodyBytes ?? limits.maxBodyBytes, room);
}

async function toResponse(
  received: { status: number; headers: ResponseHeaders; sink: BodyCollector | StreamedBody },
  { redactor, includeHeaders }: ExecuteOptions,
): Promise<CallResponse> {
  const { status, headers, sink } = received;
  const shown = includeHeaders ? { headers: toHeaderLists(headers, redactor) } : {};
  if (!("flush" in sink)) return { status, ...shown, ...toBodyText(sink, headers["content-type"]?.toString(), redactor) };
  await sink.flush();
  return { status, ...shown, body: "", bytes: sink.bytes, ...(sink.isTruncated && { truncated: true as const }) };
}

function toHeaderLists(headers: ResponseHeaders, redactor: Redactor): Record<string, string[]> {
  const entries = Object.entries(headers).map(([name, value]): [string, string[]] => [
    canonicalName(name),
    [value ?? []].flat().map((text) => redactor.text(text)),
  ]);
  return Object.fromEntries(entries);
}

/** `content-type` → `Content-Type`: the spelling that hosts look for. */
const canonicalName = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

function hasHeader(headers: readonly string[], name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at]?.toLowerCase() === name) return true;
  return false;
}
