// The client's lines, read one by one: the usual call goes to the direct door, everything else to the MCP library, for
// which this is the transport. A line that can't be read is refused by its id.

import { type Incoming, keepNumbers, memberSource, readEach, type Received, type Refused, type Transport } from "@hawser/wire/internal";
import { parseJSONRPCMessage, type JSONRPCMessage, type RequestId, type Transport as McpTransport } from "@modelcontextprotocol/server";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Calls } from "./calls.ts";
import type { ClientRequests } from "./client-requests.ts";

interface McpTransportOptions {
  readonly transport: Transport;
  readonly requests: ClientRequests;
  readonly calls: Pick<Calls, "callDirectly" | "cancel" | "refusal">;
}

export function createMcpTransport({ transport, requests, calls }: McpTransportOptions): McpTransport {
  // A client that never reads isn't read either.
  function receive(item: Incoming): Promise<void> | undefined {
    take(item);
    return requests.whenReadable();
  }

  function take(item: Incoming): void {
    if (item.kind === "refused") return refuseLine(item);
    keepArguments(item);
    if (calls.callDirectly(item.value, item.text)) return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(item.value);
    } catch (cause) {
      return refuseInvalid(item, cause);
    }
    if ("method" in message && "id" in message) {
      // A subscription stays open and is answered by notifications; its end isn't waited for.
      if (message.method !== "subscriptions/listen" && !requests.admit(message.id, item.text)) return;
    } else if ("method" in message && message.method === "notifications/cancelled") {
      const { requestId, reason } = (message.params ?? {}) as { requestId?: RequestId; reason?: unknown };
      if (requestId !== undefined) {
        requests.forget(requestId);
        if (calls.cancel(requestId, reason)) return;
      }
    }
    mcp.onmessage?.(message);
  }

  function refuseInvalid({ value, text }: Received, cause: unknown): void {
    const error = new HawserError("invalid_message", "not a JSON-RPC 2.0 message", { cause });
    if (!Array.isArray(value)) return requests.refuse(error, idSourceIn(text));
    const batchError = new HawserError("invalid_message", "batches are not served; send one message per line");
    for (const part of value) if (isRequestLike(part)) requests.refuse(batchError, JSON.stringify(part.id));
    if (!value.some(isRequestLike)) requests.refuse(batchError, undefined);
  }

  // A model can send smaller arguments, so it is told in a result, as of any call that failed.
  function refuseLine({ error, head }: Refused): void {
    const isLargeCall = error.code === "too_large" && memberSource(head, "method") === '"tools/call"';
    requests.refuse(error, idSourceIn(head), isLargeCall ? calls.refusal(toolNameIn(head), error) : undefined);
  }

  async function read(): Promise<void> {
    await readEach(transport.incoming, receive);
    requests.endInput();
  }

  const mcp: McpTransport = {
    start() {
      read().catch((error: unknown) => logLine(`[hawser] reading failed: ${describeThrown(error)}`));
      return Promise.resolve();
    },
    async send(message) {
      if ("method" in message) return requests.notify(message);
      requests.answer(message);
    },
    close() {
      // The process owns stdin and stdout, and flushes them when it ends.
      requests.close();
      mcp.onclose?.();
      return Promise.resolve();
    },
  };
  return mcp;
}

/** The tool of a call whose line was cut off somewhere behind its name. */
function toolNameIn(head: string): string {
  const params = /"params"\s*:\s*(\{.*)/s.exec(head)?.[1];
  const source = memberSource(params ?? "", "name");
  return source?.startsWith('"') ? String(JSON.parse(source)) : "";
}

/** They are only passed on: a parent in another language can hold numbers that we can't. */
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
