// The client's requests, from the line that brings one to the line that answers it. Every request gets one answer, also one that is
// refused, and one whose answer can't be written. What waits is bounded, and leaves only as fast as the client reads.

import { errorTable, HawserError, toHawserError } from "@hawser/protocol";
import { createByteBudget, createOutbox, type Lease, type Transport, weighJsonText, wireLimits, withIdSource } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";

type Answer = JSONRPCMessage & { readonly id?: RequestId | undefined };

export type ClientRequests = ReturnType<typeof createClientRequests>;

// What a waiting request takes besides its text: its handler, signals, timers.
const requestOverheadBytes = 4_096;
// One that is being written and one behind it. Each is turned into bytes when its turn comes, so a client that stalls costs little memory.
const roomyUnsent = 2;
// Many messages may come in one piece and wait for a moment although the client reads; each is short.
const maxUnsentOfReader = 1_000;

export function createClientRequests(transport: Transport, stopping: AbortSignal) {
  const outbox = createOutbox<unknown>({ send: (message) => transport.send(message), maxUnsent: roomyUnsent });
  const room = createByteBudget(wireLimits.maxUnsentBytes);
  const unanswered = new Map<RequestId, Lease>();
  const finished = Promise.withResolvers<void>();
  const gathered: Answer[] = [];
  let isInputOpen = true;

  /** A cancelled request isn't answered. */
  function forget(id: RequestId): void {
    unanswered.get(id)?.release();
    unanswered.delete(id);
    if (!isInputOpen && unanswered.size === 0) finished.resolve();
  }

  /** No more requests come. */
  function endInput(): void {
    isInputOpen = false;
    if (unanswered.size === 0) finished.resolve();
  }

  /** Whether the request of this line may begin; one that may not was refused. */
  function admit(id: RequestId, line: string): boolean {
    const lease = tryHold(id, weighJsonText(line) + requestOverheadBytes);
    if (HawserError.isInstance(lease)) refuse(lease, JSON.stringify(id));
    else unanswered.set(id, lease);
    return !HawserError.isInstance(lease);
  }

  function tryHold(id: RequestId, bytes: number): Lease | HawserError {
    if (stopping.aborted) return toHawserError(stopping.reason);
    if (unanswered.has(id)) return new HawserError("duplicate_id", "this id is in flight; use a fresh one for each request");
    return (
      room.tryAcquire(bytes) ??
      new HawserError("overloaded", "too much is waiting already; send it again when earlier requests are answered")
    );
  }

  /** Answers a line that can't be served, if it has an id. `idSource` is the id as it was written. */
  function refuse(error: HawserError, idSource: string | undefined, result?: object): void {
    logLine(`[hawser] refused a message from the client: ${error.message}`);
    if (idSource === undefined) return;
    const answer = result ? { result } : { error: { code: errorTable[error.code].jsonRpcCode, message: error.message } };
    outbox.put(withIdSource(idSource, { jsonrpc: "2.0", ...answer }));
  }

  // Answers that come together leave in one write, which wakes the client less often. By the end of a turn of the event loop
  // every connection that had something to say was read.
  function answer(message: Answer): void {
    if (unanswered.size <= 1) send(message);
    else if (gathered.push(message) === 1) setImmediate(() => gathered.splice(0).forEach(send));
  }

  function send(message: Answer): void {
    const { id } = message;
    outbox.put(message, (error) => {
      if (id === undefined) return;
      if (!error || error.code === "closed" || error.code === "connection_lost") return forget(id);
      logLine(`[hawser] an answer can't be sent: ${error.message}`);
      const failure = { code: errorTable[error.code].jsonRpcCode, message: `the answer can't be sent: ${error.message}` };
      outbox.put({ jsonrpc: "2.0", id, error: failure }, () => forget(id));
    });
  }

  stopping.addEventListener("abort", endInput, { once: true });
  return {
    admit,
    refuse,
    forget,
    answer,
    // A notification is worth less than the memory it takes while the client doesn't read.
    notify: async (message: JSONRPCMessage) => (outbox.unsent <= maxUnsentOfReader ? outbox.send(message) : undefined),
    /** Resolves when the client has read most of what it was sent, so that one more result can be taken; undefined when it has. */
    whenRoom: () => (outbox.isFull ? outbox.whenRoom() : undefined),
    /** Resolves when one more line may be read; undefined when it may be now. The bound is wide: some clients write many requests before they read. */
    whenReadable: () => (outbox.unsent * requestOverheadBytes > wireLimits.maxUnsentBytes ? outbox.whenRoom() : undefined),
    endInput,
    /** Nothing is waited for any more. */
    close: finished.resolve,
    /** Resolves when no more requests come (`endInput`, or `stopping`) and every one was answered. */
    finished: finished.promise,
  };
}
