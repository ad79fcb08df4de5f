// The fetch that the MCP client gets for servers behind an address. It bounds what one event or answer may
// hold, and settles what would otherwise wait for ever: a stream that ends without the answer ends its
// call, and a cancelled call is announced to a server that keeps a session.

import { AsyncLocalStorage } from "node:async_hooks";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { boundResponse } from "../bounded-response.ts";

/** What belongs to a call that is under way. */
export interface CallScope {
  progress(done: number, total?: number, message?: string): void;
  /** The answer to this call can't come any more. */
  fail(error: Error): void;
}

/** The MCP client hands a transport messages without saying which call they belong to; the asynchronous context does. */
export const callScope = new AsyncLocalStorage<CallScope>();

export function createHttpFetch(): typeof globalThis.fetch {
  const { maxMessageBytes } = wireLimits;
  return async (input, init) => {
    // Ending a session is a courtesy; its answer is not waited for long.
    if (init?.method === "DELETE") return fetch(input, { ...init, signal: AbortSignal.timeout(wireLimits.closeFlushMs) });
    const scope = init?.method === "POST" ? callScope.getStore() : undefined;
    const stopWatching = scope && init ? announceCancel(input, init) : (): void => {};
    const response = await fetch(input, init).catch((error: unknown) => {
      stopWatching();
      throw error;
    });
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const count = isStream ? countEvent() : countAll();
    return boundResponse(response, {
      check(chunk) {
        if (count(chunk) <= maxMessageBytes) return undefined;
        return new HawserError("too_large", `the server's answer is larger than ${maxMessageBytes} bytes; ask it for less`);
      },
      onEnd(error) {
        stopWatching();
        if (!isStream || !scope) return;
        const lost = error ?? new HawserError("connection_lost", "the server ended its stream before the answer");
        // The last event may still be in the parser; a call that it answers is not ended.
        setTimeout(() => scope.fail(lost), lastEventMs).unref();
      },
    });
  };
}

const lastEventMs = 1_000;

/** How much is held with a chunk: of an answer that is read whole, all of it. */
function countAll(): (chunk: Uint8Array) => number {
  let total = 0;
  return (chunk) => (total += chunk.length);
}

/** Of a stream, the event that is not complete: an empty line ends it, and the parser keeps it until then. */
function countEvent(): (chunk: Uint8Array) => number {
  let event = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      event += 1;
      if (byte === lineFeed && isLineEmpty) event = 0;
      if (byte !== carriageReturn) isLineEmpty = byte === lineFeed;
      if (event > largest) largest = event;
    }
    return largest;
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Without a session, the end of the request is the cancellation; with one, the server has to be told. */
function announceCancel(url: string | URL | Request, init: RequestInit): () => void {
  const headers = new Headers(init.headers);
  const { signal } = init;
  if (!signal || !headers.has("mcp-session-id")) return () => {};
  const { id: requestId } = JSON.parse(init.body as string) as { id?: unknown };
  const params = { requestId, reason: "the caller does not wait any more" };
  const message = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  const onAbort = (): void => {
    const post = { method: "POST", headers, body: message, redirect: "error" } as const;
    const sending = fetch(url, { ...post, signal: AbortSignal.timeout(wireLimits.closeFlushMs) });
    sending.then((response) => response.body?.cancel()).catch(() => {});
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
