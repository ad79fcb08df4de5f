// Whatever a provider package throws or streams as an error, as one HawserError: the model's name, the
// status, and the vendor's own words, bounded. It never holds a key, and no cause, since those carry
// the request with its headers and the whole conversation. `facts` say whether another try may help.

import {
  cutText,
  describeThrown,
  HawserError,
  isRecord,
  toErrorText,
  type ErrorCode,
  parseRetryAfter,
  parseRetryAfterMs,
  retryPauseMs,
} from "@hawser/protocol/internal";
import { createHiding } from "../hide-secrets.ts";
import { agentLimits } from "../limits.ts";
import { overflowIn } from "./context-overflow.ts";

export interface ErrorOrigin {
  /** The model's name, for the text. */
  readonly name: string;
  /** What must not be seen: keys. */
  readonly secrets: readonly string[];
  /** The variable that holds the key, for the text. */
  readonly keyName?: string | undefined;
}

const networkCauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name can't be resolved now",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped coming",
};
// Another try would take as long again.
const slowCodes = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ENOTFOUND"]);

export function toModelError(thrown: unknown, origin: ErrorOrigin): HawserError {
  const chain = causesOf(thrown);
  const own = chain.find((error) => HawserError.isInstance(error));
  // A provider that a program brings has errors of its own kind.
  if (own) return own.code === "internal" ? modelError("model_failed", own.message, origin) : own;
  const overflow = overflowError(chain, origin);
  if (overflow) return overflow;
  const status = chain.map((error) => error["statusCode"]).find((code) => typeof code === "number" && code >= 400);
  if (typeof status === "number") return statusError(status, chain, origin);
  const network = chain.find(({ ["code"]: code }) => typeof code === "string" && code in networkCauses);
  if (network) return networkError(network, origin);
  const lasting = chain.find(isLasting);
  if (lasting) {
    const { code = lasting.name } = lasting as { code?: unknown };
    return modelError("connection_failed", oneLine(`${describeThrown(lasting)} (${code as string})`), origin);
  }
  // What a package refuses to send, it would refuse again.
  if (thrown instanceof TypeError && thrown.cause === undefined) return modelError("model_failed", oneLine(thrown.message), origin);
  return lostError(`the answer broke off: ${vendorText(chain, describeThrown(thrown))}`, origin);
}

/** By the vendor's words wherever they stand: as a refusal, or as an event of a stream that has just begun. */
function overflowError(chain: readonly Thrown[], origin: ErrorOrigin): HawserError | undefined {
  const body = chain.map((error) => error["responseBody"]).find((text) => typeof text === "string") as string | undefined;
  const said = [body?.slice(0, vendorBodyChars), ...chain.flatMap(({ message, ["code"]: code }) => [message, code])];
  const facts = overflowIn(said.filter((text) => typeof text === "string").join("\n"));
  if (!facts) return undefined;
  return modelError("too_large", `the conversation does not fit into the model's context: ${vendorText(chain, "")}`, origin, { ...facts });
}

const vendorBodyChars = 10_000;

/** Certificates, TLS, what is not HTTP: the same would happen again. */
const isLasting = ({ name, code }: Thrown): boolean =>
  name === "HTTPParserError" || (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code));

/** The stream ended, or broke, before the answer was complete. */
export const lostError = (text: string, origin: ErrorOrigin): HawserError =>
  modelError("connection_lost", text, origin, { mayRetry: true, summary: "the answer broke off" });

/** An error about a model, without secrets and of bounded length. */
export function modelError(code: ErrorCode, text: string, origin: ErrorOrigin, facts: Readonly<Record<string, unknown>> = {}): HawserError {
  const message = `${origin.name}: ${redact(text, origin)}`;
  return new HawserError(code, toErrorText(message), { facts: { model: origin.name, ...facts } });
}

function statusError(status: number, chain: readonly Thrown[], origin: ErrorOrigin): HawserError {
  const headers = chain.map((error) => error["responseHeaders"]).find((value) => isRecord(value)) as Record<string, string> | undefined;
  const text = vendorText(chain, "");
  const isForbidden = headers?.["x-should-retry"] === "false" || text.includes("insufficient_quota");
  const mayRetry = (status === 408 || status === 429 || status >= 500) && !isForbidden;
  const [code, meaning] = meaningOf(status, origin);
  const summary = code === "overloaded" ? meaning : `status ${status}`;
  const afterMs = retryAfterMs(headers ?? {});
  const message = `${meaning} (${status})${text === "" ? "" : `: ${text}`}`;
  const facts = { status, mayRetry, summary, ...(afterMs !== undefined && { retryAfterMs: afterMs }) };
  return modelError(code, message, origin, facts);
}

function meaningOf(status: number, { keyName }: ErrorOrigin): readonly [ErrorCode, string] {
  if (status === 401 || status === 403)
    return ["usage", `the key${keyName === undefined ? "" : ` in ${keyName}`} was refused; check it, or pick another model`];
  if (status === 404) return ["usage", "no such model or address"];
  if (status === 413) return ["too_large", "the conversation is too large for this model"];
  if (status === 429) return ["overloaded", "rate limited"];
  if (status === 529 || status === 503) return ["overloaded", "overloaded"];
  if (status >= 500) return ["connection_failed", "the model's server failed"];
  return [status === 408 ? "connection_failed" : "model_failed", "the request was refused"];
}

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function networkError(thrown: Thrown, origin: ErrorOrigin): HawserError {
  const code = String(thrown["code"]);
  const summary = `${networkCauses[code]} (${code})`;
  const wasOpen = code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_BODY_TIMEOUT";
  const isStopped = code === "ECONNREFUSED" && origin.name.startsWith("ollama/");
  const advice = isStopped ? "start it with: ollama serve" : "check the network and the server's address, or pick another model";
  const remedy = unreachable.has(code) ? `; ${advice}` : "";
  const text = wasOpen ? `the answer broke off: ${summary}` : `${hostOf(thrown)}${summary}${remedy}`;
  return modelError(wasOpen ? "connection_lost" : "connection_failed", text, origin, { mayRetry: !slowCodes.has(code), summary });
}

/** As the system says it: the name that it looked up, or the address and port that it tried. */
function hostOf({ ["hostname"]: hostname, ["address"]: address, ["port"]: port }: Thrown): string {
  if (typeof hostname === "string") return `${hostname}: `;
  return typeof address === "string" && typeof port === "number" ? `${address}:${port}: ` : "";
}

type Thrown = Error & Readonly<Record<string, unknown>>;

/** The error, what caused it, and what several of them hold: bounded, since a chain may be a circle. */
function causesOf(thrown: unknown): Thrown[] {
  const chain: Thrown[] = [];
  let next: unknown = thrown;
  while (typeof next === "object" && next !== null && chain.length < 8) {
    const current = next as Thrown;
    chain.push(current);
    const { errors } = current as { errors?: unknown };
    next = Array.isArray(errors) && errors.length > 0 ? errors[0] : current.cause;
  }
  return chain;
}

/** The vendor's own words, else those of the provider package, else the beginning of the body. */
function vendorText(chain: readonly Thrown[], otherwise: string): string {
  const body = chain.map((error) => error["responseBody"]).find((text) => typeof text === "string" && text !== "") as string | undefined;
  const message = chain.map((error) => error.message).find((text) => typeof text === "string" && text !== "");
  const quota = body?.includes("insufficient_quota") ? " (insufficient_quota)" : "";
  return `${oneLine(messageIn(body) ?? message ?? body ?? otherwise)}${quota}`;
}

/** Vendors and their proxies put it in one of these places. */
function messageIn(body: string | undefined): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body ?? "null");
    if (!isRecord(parsed)) return undefined;
    const { error, message, detail } = parsed;
    const candidates = [isRecord(error) ? error["message"] : error, message, detail];
    return candidates.find((text): text is string => typeof text === "string" && text !== "");
  } catch {
    return undefined;
  }
}

const vendorChars = 500;

const oneLine = (text: string): string => cutText(toErrorText(text).replaceAll(/\s+/g, " ").trim(), vendorChars);

// Texts were made one line before: a key with a line break in it, which no header takes, is there in pieces.
export const redact = (text: string, { secrets }: ErrorOrigin): string =>
  createHiding(secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]))(text);

export interface RetryBounds {
  readonly calls: number;
  readonly backoffMs: number;
  readonly pauseMs: number;
  readonly totalMs: number;
}

const defaultBounds: RetryBounds = {
  calls: agentLimits.modelRetryCalls,
  backoffMs: agentLimits.modelBackoffMs,
  pauseMs: agentLimits.modelRetryPauseMs,
  totalMs: agentLimits.modelRetryTotalMs,
};

export function createRetries(bounds: RetryBounds = defaultBounds) {
  let calls = 0;
  let waited = 0;
  return {
    /** How long to wait before the next try; undefined: give up. */
    next({ facts }: HawserError): number | undefined {
      if (facts["mayRetry"] !== true || calls >= bounds.calls) return undefined;
      const asked = facts["retryAfterMs"];
      const askedMs = typeof asked === "number" ? asked : undefined;
      const pause = retryPauseMs({ tries: calls + 1, firstMs: bounds.backoffMs, longestMs: bounds.pauseMs, askedMs });
      if (pause > bounds.pauseMs || waited + pause > bounds.totalMs) return undefined;
      calls += 1;
      waited += pause;
      return pause;
    },
  };
}

/** What a model's server asks for; `retry-after-ms` is the more exact one. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now?: number): number | undefined =>
  parseRetryAfterMs(headers["retry-after-ms"]) ?? parseRetryAfter(headers["retry-after"], now);

export const describePause = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 1_000)} s`);
