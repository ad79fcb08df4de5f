// The MCP library's transport over our line transport: our limits and our recovery on the way in,
// our backpressure on the way out. Every request that can be told from its line gets one answer: a
// line that can't be read is refused by its id, an answer that can't be written becomes an error,
// and a client that closes its end first still gets what it asked for. What waits is bounded.

import { parseJSONRPCMessage, type JSONRPCMessage, type RequestId, type Transport as McpTransport } from "@modelcontextprotocol/server";
import {
  describeThrown,
  errorTable,
  HawserError,
  isRecord,
  keepNumbers,
  limits,
  memberSource,
  toHawserError,
  weighJsonText,
  withIdSource,
  type Incoming,
  type Received,
  type Refused,
  type Transport,
} from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import { createOutbox } from "./outbox.ts";
import { toShortCall, type ShortCalls } from "./short-calls.ts";

export interface BridgeMcpTransport extends McpTransport {
  /** Resolves when the client will ask no more (its input ended, or `stopping`) and every request was answered. */
  readonly finished: Promise<void>;
  /** Resolves when the client has read most of what it was sent. */
  whenRoom(): Promise<void>;
  /** Takes the calls that need not go through the library; assigned like `onmessage`. */
  shortCalls?: ShortCalls;
}

// What a waiting request takes besides its text: its handler, signals, timers.
const requestOverheadBytes = 4_096;

export function createMcpTransport(transport: Transport, stopping: AbortSignal): BridgeMcpTransport {
  const outbox = createOutbox(transport);
  /** Weight of each request that waits for its answer. */
  const unanswered = new Map<RequestId, number>();
  const finished = Promise.withResolvers<void>();
  let heldBytes = 0;
  let isReading = true;
  let turn: Promise<void> | undefined;

  function noteAnswered(id: RequestId | undefined): void {
    if (id !== undefined) {
      heldBytes -= unanswered.get(id) ?? 0;
      unanswered.delete(id);
    }
    if (!isReading && unanswered.size === 0) finished.resolve();
  }

  function stopReading(): void {
    isReading = false;
    noteAnswered(undefined);
  }

  function receive(item: Incoming): void {
    if (item.kind === "refused") return refuseLine(item);
    keepArguments(item);
    const call = toShortCall(item.value);
    if (call && mcp.shortCalls?.isKnown(call)) {
      if (admit(call.id, item.text)) mcp.shortCalls.run(call);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(item.value);
    } catch (cause) {
      return refuseInvalid(item.value, item.text, cause);
    }
    if ("method" in message && "id" in message) {
      // A subscription stays open and is answered by notifications: nobody waits for the end of it.
      if (message.method !== "subscriptions/listen" && !admit(message.id, item.text)) return;
    } else if ("method" in message && message.method === "notifications/cancelled") {
      const { requestId, reason } = (message.params ?? {}) as { requestId?: RequestId; reason?: unknown };
      // A request that was cancelled is not answered.
      noteAnswered(requestId);
      if (requestId !== undefined && mcp.shortCalls?.cancel(requestId, reason)) return;
    }
    mcp.onmessage?.(message);
  }

  /** False for a request that was refused. */
  function admit(id: RequestId, text: string): boolean {
    const bytes = weighJsonText(text) + requestOverheadBytes;
    const fault = faultOf(id, bytes);
    if (fault) {
      refuse(fault, JSON.stringify(id));
      return false;
    }
    unanswered.set(id, bytes);
    heldBytes += bytes;
    return true;
  }

  function faultOf(id: RequestId, bytes: number): HawserError | undefined {
    if (stopping.aborted) return toHawserError(stopping.reason);
    if (unanswered.has(id)) return new HawserError("duplicate_id", "this id is in flight; use a fresh one for each request");
    if (heldBytes + bytes <= limits.maxUnsentBytes) return undefined;
    return new HawserError("overloaded", "too much is waiting already; send it again when earlier requests are answered");
  }

  function refuseInvalid(value: unknown, text: string, cause: unknown): void {
    const error = new HawserError("invalid_message", "not a JSON-RPC 2.0 message", { cause });
    if (!Array.isArray(value)) return refuse(error, idSourceIn(text));
    const batchError = new HawserError("invalid_message", "batches are not served; send one message per line");
    for (const part of value) if (isRequestLike(part)) refuse(batchError, JSON.stringify(part.id));
    if (!value.some(isRequestLike)) refuse(batchError, undefined);
  }

  // A model can send smaller arguments, so it is told as of any call that failed, in the contract's words.
  function refuseLine({ error, head }: Refused): void {
    const isLargeCall = error.code === "too_large" && memberSource(head, "method") === '"tools/call"';
    refuse(error, idSourceIn(head), isLargeCall ? mcp.shortCalls?.refusal(toolNameIn(head), error) : undefined);
  }

  function refuse(error: HawserError, idSource: string | undefined, result?: object): void {
    logLine(`[hawser] refused a message from the client: ${error.message}`);
    if (idSource === undefined) return;
    const answer = result ? { result } : { error: { code: errorTable[error.code].jsonRpcCode, message: error.message } };
    outbox.send(withIdSource(idSource, { jsonrpc: "2.0", ...answer })).catch(() => {});
  }

  /** False at the end. A function of its own: while we wait for the next line, nothing of this one is held. */
  async function readOne(lines: AsyncIterator<Incoming>): Promise<boolean> {
    const { value, done } = await lines.next();
    if (done) return false;
    receive(value);
    return true;
  }

  async function read(): Promise<void> {
    const lines = transport.incoming[Symbol.asyncIterator]();
    while (await readOne(lines)) {
      // A client that never reads is not read either. The bound is wide: some write many requests before they read.
      if (outbox.unsent * requestOverheadBytes > limits.maxUnsentBytes) await outbox.whenRoom();
    }
    stopReading();
  }

  /** The same for all who ask in one turn of the event loop: then every connection that had something to say was read. */
  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) =>
      setImmediate(() => {
        turn = undefined;
        resolve();
      }),
    );
    return turn;
  }

  async function sendAnswer(message: JSONRPCMessage & { readonly id?: RequestId | undefined }): Promise<void> {
    try {
      // Answers that come together leave in two writes at most, which wakes the client less often.
      if (unanswered.size > 1) await endOfTurn();
      await outbox.send(message);
    } catch (error) {
      const { code, message: text } = toHawserError(error);
      if (message.id === undefined || code === "closed" || code === "connection_lost") throw error;
      logLine(`[hawser] an answer can't be sent: ${text}`);
      await outbox.send({
        jsonrpc: "2.0",
        id: message.id,
        error: { code: errorTable[code].jsonRpcCode, message: `the answer can't be sent: ${text}` },
      });
    } finally {
      noteAnswered(message.id);
    }
  }

  const mcp: BridgeMcpTransport = {
    finished: finished.promise,
    whenRoom: outbox.whenRoom,
    start() {
      stopping.addEventListener("abort", stopReading, { once: true });
      read().catch((error: unknown) => logLine(`[hawser] reading failed: ${describeThrown(error)}`));
      return Promise.resolve();
    },
    async send(message) {
      // A notification is worth less than the memory it takes while nobody reads.
      if (!("method" in message)) await sendAnswer(message);
      else if (outbox.isRead) await outbox.send(message);
    },
    close() {
      // The process owns stdin and stdout, and flushes them when it ends.
      finished.resolve();
      mcp.onclose?.();
      return Promise.resolve();
    },
  };
  return mcp;
}

/** The tool that a call is for, where the line is cut off behind it. */
function toolNameIn(head: string): string {
  const params = /"params"\s*:\s*(\{.*)/s.exec(head)?.[1];
  const source = memberSource(params ?? "", "name");
  return source?.startsWith('"') ? String(JSON.parse(source)) : "";
}

/** Only passed on: a parent in another language can hold numbers that we can't. */
function keepArguments({ value, text }: Received): void {
  if (!isRecord(value) || value["method"] !== "tools/call" || !isRecord(value["params"])) return;
  keepNumbers(value["params"]["arguments"], text, ["params", "arguments"]);
}

/** The id as it was written, which is how it is echoed; only strings and numbers are ids. */
function idSourceIn(text: string): string | undefined {
  const source = memberSource(text, "id");
  return source !== undefined && /^["\d-]/.test(source) ? source : undefined;
}

const isRequestLike = (value: unknown): value is { id: RequestId } => {
  if (!isRecord(value) || typeof value["method"] !== "string") return false;
  return typeof value["id"] === "string" || typeof value["id"] === "number";
};
