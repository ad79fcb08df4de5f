// What went wrong below HTTP, in one short line that names the address and the cause.

import { cutText, describeThrown, HawserError } from "@hawser/protocol/internal";

export interface NetworkError {
  readonly text: string;
  readonly retryable: boolean;
  readonly hint?: string;
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "name can't be resolved now",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  UND_ERR_SOCKET: "connection closed before the response was complete",
  UND_ERR_HEADERS_OVERFLOW: "response headers too large",
  HPE_HEADER_OVERFLOW: "response headers too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "response shorter or longer than it said",
};

const certificateCode = /CERT|SIGNATURE|ISSUER|SELF_SIGNED|CRL|ALTNAME|INVALID_CA|INVALID_PURPOSE/;

export function describeNetworkError(error: unknown, url: URL): NetworkError {
  const address = url.port === "" ? url.hostname : `${url.hostname}:${url.port}`;
  const { text, ...rest } = describeCause(error);
  return { text: `network error: ${address}: ${text}`, ...rest };
}

/** The same without the address. */
export function describeCause(error: unknown): NetworkError {
  const code = codeOf(error);
  const encryption = encryptionFault(code ?? "");
  if (encryption) return { text: `${encryption.cause} (${code})`, retryable: false, hint: encryption.hint };
  const cause = causes[code ?? ""];
  if (cause !== undefined) {
    const isName = code === "ENOTFOUND" || code === "ECONNREFUSED";
    const hint = { hint: "check the address, wherever it was given; what is saved shows: hawser config show" };
    return { text: `${cause} (${code})`, retryable: code !== "ENOTFOUND", ...(isName && hint) };
  }
  if (code?.startsWith("HPE_")) return { text: `response is not HTTP (${code})`, retryable: false };
  if (!HawserError.isInstance(error)) return { text: cutText(`${code ?? "failed"}: ${describeThrown(error)}`, 200), retryable: true };
  const { hint, isFinal } = error.facts;
  return { text: cutText(error.message, 200), retryable: isFinal !== true, ...(typeof hint === "string" && { hint }) };
}

function encryptionFault(code: string): { readonly cause: string; readonly hint: string } | undefined {
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    return { cause: "no TLS connection can be made", hint: "check whether the gateway's address begins with http:// instead of https://" };
  }
  if (!certificateCode.test(code)) return undefined;
  let hint = "the certificate is not trusted: start with NODE_EXTRA_CA_CERTS=<PEM file with the certificate of its authority>";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    hint = "the certificate is not valid at this time: have it renewed, or set the clock";
  if (code.includes("ALTNAME")) hint = "the certificate is for another name: give the gateway's address with a name that is in it";
  return { cause: "certificate refused", hint };
}

/** undici and Node put it on the error, its cause, or the first of several. */
function codeOf(error: unknown): string | undefined {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  const inner = cause === undefined ? undefined : codeOf(cause);
  if (inner !== undefined) return inner;
  return typeof code === "string" && !HawserError.isInstance(error) ? code : undefined;
}

// What connections of our own say, by the codes of the HTTP clients beside them.
const coded = (message: string, code: string): Error => Object.assign(new TypeError(message), { code });
export const closedEarly = (): Error => coded("other side closed", "UND_ERR_SOCKET");
export const connectTimeout = (): Error => coded("no connection in time", "UND_ERR_CONNECT_TIMEOUT");
export const headersOverflow = (): Error => coded("the headers are too large", "UND_ERR_HEADERS_OVERFLOW");
/** `code`: one of those of Node's parser, HPE_… */
export const notHttp = (code: string): Error => coded("not a response of HTTP/1.1", code);
