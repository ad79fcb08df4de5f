// One call as a host, a batch file or the command line wrote it, and the rules that need no document: what a method may be,
// that a change is confirmed, and that only what may safely be sent twice is ever retried. `null` counts as left out, since
// hosts whose objects have fixed members write it for what they don't use.

import { callItem, HawserError, isRecord, rpcProtocol, type CallItem } from "@hawser/protocol/internal";
import { keepNumbers } from "@hawser/wire/internal";
import { isToken, shown, usage } from "./safe-text.ts";

/** Throws `invalid_message`, naming the member and the reason. */
export function parseCallItem(value: unknown): CallItem {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new HawserError("invalid_message", "must be a JSON object");
  if (isPlain(value)) return value;
  const args = Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;
  try {
    rpcProtocol.parseRequest({ op: "call", args });
  } catch (error) {
    if (!HawserError.isInstance(error)) throw error;
    throw new HawserError("invalid_message", error.message.replace(/^"args\./, '"'), { cause: error });
  }
  const item = args as CallItem;
  if (Array.isArray(item.params)) throw new HawserError("invalid_message", '"params": must be a JSON object');
  return item;
}

/** An item that was parsed from `text`, with the numbers of its body and its parameters as they were written: they are passed on. */
export function withExactNumbers(item: unknown, text: string, under: readonly string[] = []): unknown {
  if (!isRecord(item)) return item;
  for (const name of ["params", "body"]) if (name in item) item[name] = keepNumbers(item[name], text, [...under, name]);
  return item;
}

// The members that are nothing but a string or a boolean, by the protocol's own definition. Most calls
// have no others, and need no validator to tell.
const plainTypes = new Map(
  Object.entries(callItem.entries).flatMap(([name, { wrapped }]): [string, string][] => {
    const isOnlyType = "pipe" in wrapped && wrapped.pipe.every(({ kind }) => kind === "schema" || kind === "metadata");
    return isOnlyType && (wrapped.type === "string" || wrapped.type === "boolean") ? [[name, wrapped.type]] : [];
  }),
);

function isPlain(value: object): value is CallItem {
  for (const name in value) if (plainTypes.get(name) !== typeof (value as Record<string, unknown>)[name]) return false;
  return true;
}

// QUERY reads, with a body: safe and idempotent by its definition.
const reading = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);
const idempotent = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"]);

/** Whether the method changes something, so that it needs `yes`. An unknown one may do anything. */
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
    throw usage("op can't be used together with method or path; give one of them", {
      asFlags: { message: "--op can't be used together with --path or --method" },
    });
  }
  return operationId;
}

/** Refuses a change without `yes`, and a retry of what must not be sent twice. */
export function checkItem(item: CallItem, method: string): void {
  if (isMutating(method) && item.yes !== true) {
    // The words that hosts of `igw` know.
    throw usage(`method ${method} requires --yes confirmation`, {
      hint: 'set "yes": true',
      asFlags: { message: `${method} changes something; add --yes` },
    });
  }
  const retry = item.retry ?? 0;
  if (!Number.isSafeInteger(retry) || retry < 0) throw retryRefused("must be a whole number, 0 or more");
  if (retry > 0 && !isIdempotent(method)) throw retryRefused(`works with idempotent methods only, not with ${method}: it could act twice`);
}

const retryRefused = (why: string): Error => usage(`retry ${why}`, { asFlags: { message: `--retry ${why}` } });
