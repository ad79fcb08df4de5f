// The head of a request as it goes over a connection of ours. Everything in it was checked where it came in; here once more, so
// that nothing of a caller can end a line or begin a request.

import { HawserError } from "@hawser/protocol";
import { framingHeaders } from "../config/target.ts";
import type { WireRequest } from "./connections.ts";

/** Those of which a server expects a length even without a body. */
const withBody = new Set(["POST", "PUT", "PATCH", "QUERY", "PROPFIND", "PROPPATCH"]);

/** What `content-length` says; undefined where there is none. */
export function contentLengthOf({ method, body }: WireRequest): number | undefined {
  const length = body === null ? 0 : Buffer.byteLength(body);
  return length > 0 || withBody.has(method) ? length : undefined;
}

const framing = new Set(framingHeaders);
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const visible = /^[\x21-\x7e]+$/;
const text = /^[\t\x20-\x7e]*$/;

/** Those of the last request, which are those of the next one where a call brings none of its own, and are not changed by anyone. */
let last: { readonly headers: readonly string[]; readonly lines: string } = { headers: [], lines: "" };

function toHeaderLines(headers: readonly string[]): string {
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    if (!token.test(name) || framing.has(name.toLowerCase()) || !text.test(value)) throw new HawserError("usage", "invalid header");
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** All ASCII. Throws `usage`. */
export function toRequestHead(request: WireRequest, host: string): string {
  const { method, path, headers } = request;
  if (!token.test(method) || !visible.test(path)) throw new HawserError("usage", "invalid method or path");
  // Some servers send a body after a HEAD all the same: its connection is not used again.
  const connection = method === "HEAD" ? "close" : "keep-alive";
  if (last.headers !== headers) last = { headers, lines: toHeaderLines(headers) };
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n${last.lines}`;
  const length = contentLengthOf(request);
  return length === undefined ? `${head}\r\n` : `${head}content-length: ${length}\r\n\r\n`;
}
