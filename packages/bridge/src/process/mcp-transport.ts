// The MCP library's transport over our line transport: our limits and our recovery on the way in,
// our backpressure on the way out. A line that can't be read is answered when its id can be, and
// the session goes on. Knows which requests still wait for an answer, so that a client that closes
// its end first still gets them.

import { parseJSONRPCMessage, type JSONRPCMessage, type Transport as McpTransport } from "@modelcontextprotocol/server";
import { errorTable, HawserError, memberSource, toHawserError, type Incoming, type Refused, type Transport } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";

type RequestId = string | number;

export interface BridgeMcpTransport extends McpTransport {
  /** Resolves when the client will ask no more (its input ended, or `stopping`) and every request was answered. */
  readonly finished: Promise<void>;
}

export function createMcpTransport(transport: Transport, stopping: AbortSignal): BridgeMcpTransport {
  const unanswered = new Set<RequestId>();
  const finished = Promise.withResolvers<void>();
  let isReading = true;

  function noteAnswered(id: unknown): void {
    unanswered.delete(id as RequestId);
    if (!isReading && unanswered.size === 0) finished.resolve();
  }

  function stopReading(): void {
    isReading = false;
    noteAnswered(undefined);
  }

  function receive(item: Incoming): void {
    if (item.kind === "refused") return refuse(item.error, idOf(item));
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(item.value);
    } catch (cause) {
      return refuse(new HawserError("invalid_message", "not a JSON-RPC 2.0 message", { cause }), idOf(item));
    }
    if ("method" in message && "id" in message) {
      if (stopping.aborted) return refuse(toHawserError(stopping.reason), message.id);
      unanswered.add(message.id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      noteAnswered(message.params?.["requestId"]);
    }
    mcp.onmessage?.(message);
  }

  function refuse(error: HawserError, id: RequestId | undefined): void {
    logLine(`[hawser] refused a message from the client: ${error.message}`);
    if (id === undefined) return;
    void transport
      .send({ jsonrpc: "2.0", id, error: { code: errorTable[error.code].jsonRpcCode, message: error.message } })
      .catch(() => {});
  }

  async function read(): Promise<void> {
    for await (const item of transport.incoming) receive(item);
    stopReading();
  }

  const mcp: BridgeMcpTransport = {
    finished: finished.promise,
    start() {
      stopping.addEventListener("abort", stopReading, { once: true });
      void read();
      return Promise.resolve();
    },
    async send(message) {
      await transport.send(message);
      if (!("method" in message)) noteAnswered(message.id);
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

function idOf(item: Incoming): RequestId | undefined {
  const source = memberSource(sourceOf(item), "id");
  try {
    const id: unknown = source === undefined ? undefined : JSON.parse(source);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}

const sourceOf = (item: Incoming): string => (item.kind === "message" ? item.text : (item as Refused).head);
