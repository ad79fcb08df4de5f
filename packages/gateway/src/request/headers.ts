// Headers that an item gives. Those that frame the message or carry the token belong to what sends it.

import { framingHeaders, type Target } from "../config/target.ts";
import { checkHeaderValue, checkValue, isToken, type Pair, shown, usage } from "./safe-text.ts";

const managed = new Set([...framingHeaders, "http2-settings", "keep-alive", "proxy-authorization", "proxy-connection"]);

/** `Key: value`, trimmed on both sides. Throws `usage`. */
export function parseHeader(entry: string, target: Target): Pair {
  const colon = entry.indexOf(":");
  const name = colon === -1 ? "" : entry.slice(0, colon).trim();
  if (name === "") throw usage(`invalid header ${shown(entry)}: expected Key: value`);
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
