// Answers as the text of one line, with the id as its source says and the members in the order that hosts know. No line is
// longer than the contract allows: a body that is too long once it is written as JSON is cut and says so.

import { type CallStats, cutText, type HawserError, protocolLimits } from "@hawser/protocol/internal";
import { gatewayLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import type { CallErrorInfo, CallOutcome, CallResponse } from "../call.ts";

/** The source text of a request's id; undefined where there is nothing to echo. */
export type IdSource = string | undefined;

interface RpcAnswer {
  readonly ok: boolean;
  readonly code: number;
  readonly status?: number | undefined;
  /** JSON text. */
  readonly data?: string | undefined;
  readonly error?: string | undefined;
}

// The line with its line feed stays below the limit.
const maxTextBytes = wireLimits.maxMessageBytes - 2;

export function toAnswerText(id: IdSource, answer: RpcAnswer): string {
  const { ok, code, status, data, error } = answer;
  let text = `{${id === undefined ? "" : `"id":${id},`}"ok":${ok},"code":${code}`;
  if (status !== undefined) text += `,"status":${status}`;
  if (data !== undefined) text += `,"data":${data}`;
  return error === undefined ? `${text}}` : `${text},"error":${JSON.stringify(error)}}`;
}

/** The answer to a line that is not a request, or to one with wrong arguments. */
export function toRefusalText(id: IdSource, error: string, data: string): string {
  return toAnswerText(id, { ok: false, code: 2, data, error: cutToBytes(error, gatewayLimits.rpcErrorTextBytes) });
}

export function toCallText(id: IdSource, outcome: CallOutcome, rpc: CallStats["rpc"]): string {
  const text = writeCall(id, outcome, rpc);
  return fits(text) ? text : cutToFit(id, outcome, rpc, text);
}

/** A failed call says whether it was cancelled. Members that are undefined are left out by JSON itself. */
function writeCall(id: IdSource, outcome: CallOutcome, rpc: CallStats["rpc"]): string {
  const { ok, code, status, request, response, timingMs, errorInfo, stats } = outcome;
  const cancelled = ok ? undefined : outcome.cancelled === true;
  const data = JSON.stringify({ request, response, timingMs, stats: rpc ? { ...stats, rpc } : stats, cancelled, errorInfo });
  return toAnswerText(id, { ok, code, status, data, error: ok ? undefined : (outcome.error ?? "failed") });
}

// No unit takes more than six bytes on the wire, so that most texts need no counting.
const fits = (text: string): boolean => text.length * 6 <= maxTextBytes || bytesOnWire(text) <= maxTextBytes;

// U+2028 and U+2029 leave as escapes: three bytes become six.
function bytesOnWire(text: string): number {
  let bytes = Buffer.byteLength(text);
  for (const separator of ["\u2028", "\u2029"]) {
    for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) bytes += 3;
  }
  return bytes;
}

/** With somewhat less than this share of the response's body. */
export function cutOutcome(outcome: CallOutcome, response: CallResponse, share: number): CallOutcome & { readonly response: CallResponse } {
  const length = Math.floor(response.body.length * share * 0.9);
  // No part of a group of base64 is left at the end, nor of a character.
  const body = response.bodyEncoding ? response.body.slice(0, length - (length % 4)) : cutText(response.body, length, "");
  const bytes = Buffer.byteLength(body, response.bodyEncoding ?? "utf8");
  const stats = { ...outcome.stats, bodyBytes: bytes, truncated: true };
  return { ...outcome, response: { ...response, body, bytes, truncated: true }, stats };
}

function cutToFit(id: IdSource, outcome: CallOutcome, rpc: CallStats["rpc"], tooLong: string): string {
  let text = tooLong;
  let { response } = outcome;
  while (response && response.body.length > 0) {
    const cut = cutOutcome(outcome, response, maxTextBytes / bytesOnWire(text));
    response = cut.response;
    text = writeCall(id, cut, rpc);
    if (fits(text)) return text;
  }
  const errorInfo = { kind: "too_large", retryable: false, hint: "ask the API for less, or leave out --include-headers" };
  const data = JSON.stringify({ cancelled: false, errorInfo });
  return toAnswerText(id, { ok: false, code: 7, status: outcome.status, data, error: "the answer is too long for one line" });
}

/** A call that was not made, or did not end by itself. */
export function toUnmadeOutcome(error: HawserError): CallOutcome {
  const errorInfo = unmadeInfos[error.code] ?? { kind: "internal", retryable: false };
  return {
    ok: false,
    code: errorInfo.kind === "usage" ? 2 : 7,
    error: cutText(error.message, protocolLimits.maxErrorTextChars),
    errorInfo,
    ...(errorInfo.kind === "cancelled" && { cancelled: true }),
    timingMs: 0,
    stats: { version: 1, timingMs: 0, bodyBytes: 0 },
  };
}

const cancelledInfo: CallErrorInfo = { kind: "cancelled", retryable: false };

/** By the code of the error; a connection that is closed ends its calls as well. */
const unmadeInfos: Partial<Record<HawserError["code"], CallErrorInfo>> = {
  invalid_message: { kind: "usage", retryable: false },
  overloaded: { kind: "overloaded", retryable: true, hint: "wait for earlier answers, or raise --workers or --queue-size" },
  unknown_outcome: { kind: "unknown_outcome", retryable: false, hint: "look whether it was done before you send it again" },
  too_large: { kind: "too_large", retryable: false },
  cancelled: cancelledInfo,
  closed: cancelledInfo,
  connection_lost: cancelledInfo,
};

/** A cancelled call ends as cancelled, however far it came; what is known of it stays. */
export function toCancelledOutcome(outcome: CallOutcome, reason: HawserError): CallOutcome {
  if (outcome.cancelled) return outcome;
  const { error, errorInfo } = toUnmadeOutcome(reason);
  return { ...outcome, ok: false, code: 7, error, errorInfo, cancelled: true };
}

function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // The ellipsis is one character of three bytes.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - 3));
  return cutText(text, read + 1);
}
