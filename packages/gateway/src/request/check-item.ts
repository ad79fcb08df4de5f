// The rules for one item that need no document: what a method may be, that a change is confirmed, and
// that only what may safely be sent twice is ever retried.

import type { CallItem } from "@hawser/wire";
import { isToken, shown, usage } from "./safe-text.ts";

// QUERY reads, with a body: safe and idempotent by its definition.
const reading = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);
const idempotent = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"]);

/** Whether the method changes something, so that it needs `yes`. One that nobody knows may do anything. */
export function isMutating(method: string): boolean {
  return !reading.has(method);
}

/** Whether a request with this method may be sent again. */
export function isIdempotent(method: string): boolean {
  return idempotent.has(method);
}

/** Trimmed and in upper case; `GET` where none is given. Throws `usage`. */
export function parseMethod(text: string | undefined): string {
  const method = (text ?? "").trim().toUpperCase();
  if (method === "") return "GET";
  if (!isToken(method)) throw usage(`invalid method ${shown(method)}`);
  if (method === "CONNECT") throw usage("method CONNECT is not supported: it opens a tunnel, not a path");
  return method;
}

/** The trimmed operation id of an item, if it names one. Throws `usage` where it names a path too. */
export function operationIdOf(item: CallItem): string | undefined {
  const operationId = item.op?.trim() ?? "";
  if (operationId === "") return undefined;
  if ((item.method?.trim() ?? "") !== "" || (item.path?.trim() ?? "") !== "") {
    throw usage("op can't be used together with method or path; give one of them");
  }
  return operationId;
}

/** Refuses an item that names neither a path nor an operation, or both. For doors that must know before they read a body. */
export function checkPlace(item: CallItem): void {
  if (operationIdOf(item) === undefined) pathOf(item);
}

/** The trimmed path. Throws `usage` where there is none. */
export function pathOf(item: CallItem): string {
  const path = item.path?.trim() ?? "";
  if (path === "") throw usage("required: --path, or --op with an operation id");
  return path;
}

/** Refuses a change without `yes`, and a retry of what must not be sent twice. */
export function checkItem(item: CallItem, method: string): void {
  if (isMutating(method) && item.yes !== true) {
    throw usage(`method ${method} requires --yes confirmation`, { hint: 'set "yes": true, or --yes on the command line' });
  }
  const retry = item.retry ?? 0;
  if (!Number.isSafeInteger(retry) || retry < 0) throw usage("--retry must be a whole number, 0 or more");
  if (retry > 0 && !isIdempotent(method)) throw usage(`--retry works with idempotent methods only, not with ${method}: it could act twice`);
}
