// What may stand in an address or a header. Everything that a caller gives passes one of these checks,
// so that no value can end a line, begin another header or hide a character from the reader of a log.

import { HawserError, quoteShort } from "@hawser/protocol/internal";
import type { FlagWords } from "../call.ts";
import { framingHeaders, type Target } from "../config/target.ts";
import { gatewayLimits } from "../limits.ts";

export type Pair = readonly [name: string, value: string];

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const shownChars = 80;

/** A piece of what the caller gave, short and on one line, for a message. */
export const shown = (text: string): string => quoteShort(text, shownChars);

/**
 * Messages name the members of a call item (`op`, `params`, `body`), as rpc and batch know them. Where the command line
 * has other names for them, `facts.asFlags` holds its words.
 */
export function usage(message: string, facts: Readonly<Record<string, unknown>> & { readonly asFlags?: FlagWords } = {}): HawserError {
  return new HawserError("usage", message, { facts });
}

/** A header name, a method or a cookie name per RFC 9110. */
export function isToken(text: string): boolean {
  return text.length <= 256 && token.test(text);
}

/** Refuses CR, LF, NUL, half surrogate pairs and values beyond the limit. `what` names the value in the message. */
export function checkValue(text: string, what: string): string {
  const { maxParameterBytes } = gatewayLimits;
  if (text.length > maxParameterBytes || Buffer.byteLength(text) > maxParameterBytes) {
    throw usage(`${what} is longer than ${maxParameterBytes} bytes (maxParameterBytes); send it in the body`, { maxParameterBytes });
  }
  if (/[\r\n\0]/.test(text)) throw usage(`${what} holds a line break or NUL, which can't be sent there`);
  if (!text.isWellFormed()) throw usage(`${what} is not well-formed Unicode`);
  return text;
}

/** A header's value: visible ASCII, spaces and tabs. */
export function checkHeaderValue(text: string, what: string): string {
  checkValue(text, what);
  if (!/^[\t\x20-\x7e]*$/.test(text))
    throw usage(`${what} may hold only visible ASCII characters; encode others, for example in percent form`);
  return text;
}

export function fromBase64(value: unknown, what: string): Buffer {
  const text = typeof value === "string" ? value.replaceAll(/\s/g, "") : undefined;
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text) || text.replaceAll("=", "").length % 4 === 1) {
    throw usage(`${what} is not base64 text`);
  }
  return Buffer.from(text, "base64");
}

/** They frame the message, and belong to what sends it. */
const managed = new Set([...framingHeaders, "http2-settings", "keep-alive", "proxy-authorization", "proxy-connection"]);

/** `Key: value`, trimmed on both sides. Throws `usage`. */
export function parseHeader(entry: string, target: Target): Pair {
  const colon = entry.indexOf(":");
  const name = colon === -1 ? "" : entry.slice(0, colon).trim();
  if (name === "")
    throw usage(`invalid header ${shown(entry)}: expected Key: value`, {
      asFlags: { message: `invalid --header ${shown(entry)}: expected 'Key: value'` },
    });
  return checkHeader(name, entry.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, ""), target);
}

/** A header that may be sent for a caller. Throws `usage`. */
export function checkHeader(name: string, value: string, target: Target): Pair {
  checkValue(name, "header name");
  if (!isToken(name)) throw usage(`invalid header name ${shown(name)}`);
  const lowerName = name.toLowerCase();
  if (managed.has(lowerName)) throw usage(`header ${name} is set by the connection and can't be given`);
  if (target.auth.kind === "header" && lowerName === target.auth.header.toLowerCase()) {
    throw usage(`header ${name} carries the token and can't be overridden`);
  }
  return [name, checkHeaderValue(value, `header ${name}`)];
}

export function valueOf(headers: readonly Pair[], lowerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === lowerName)?.[1];
}
