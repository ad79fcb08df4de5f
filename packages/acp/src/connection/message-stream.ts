// JSON-RPC over one of our transports, as the ACP library takes it. Lines are bounded by the transport; what isn't a message,
// or answers no request, is told and skipped. Notifications that `take` wants are handled here, one after the other, before
// anything behind them is read: so they keep their place before the answer that follows them, and a flood of them stays in
// the pipe.

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord } from "@hawser/protocol/internal";
import { memberSource, type Incoming, type Transport } from "@hawser/wire/internal";
import { createOpenRequests, type RequestRoom } from "./open-requests.ts";

export interface MessageStreamOptions {
  readonly transport: Transport;
  /** Undefined for a notification that the library is to have; without this, it has all of them. */
  take?(method: string, params: unknown): Promise<void> | undefined;
  /** A line that isn't a message, or its beginning. */
  onNoise(line: string): void;
  /** What the peer's requests may take until they are answered; one more is refused. */
  readonly room: RequestRoom;
}

const internalError = -32_603;

export function createMessageStream({ transport, take, onNoise, room }: MessageStreamOptions): Stream {
  const skip = (line: string): undefined => {
    onNoise(line);
  };
  /** Our requests without an answer. */
  const open = new Set<unknown>();
  /** The peer's requests without an answer: the library holds each, with what it says, as long as its handler takes. */
  const peers = createOpenRequests(room);
  const items = transport.incoming[Symbol.asyncIterator]();

  /** What the library gets of it; undefined for nothing. */
  function receive(item: Incoming): AnyMessage | Promise<void> | undefined {
    if (item.kind === "refused") return receiveRefused(item);
    const message = item.value;
    if (!isRecord(message) || message["jsonrpc"] !== "2.0") return skip(item.text);
    const { method, id } = message;
    if (typeof method === "string" && !("id" in message)) return take?.(method, message["params"]) ?? (message as AnyMessage);
    if (typeof method === "string")
      return peers.enter(id, item.text.length) ? (message as AnyMessage) : refuse(id, "overloaded: too much waits");
    if (!open.delete(id)) return skip(item.text);
    return message as AnyMessage;
  }

  /** A request whose answer can't be read must still end; so must a request of the peer that can't be read. */
  function receiveRefused({ head, error }: Extract<Incoming, { kind: "refused" }>): AnyMessage | Promise<void> | undefined {
    const source = memberSource(head, "id");
    const id = source === undefined ? undefined : parseId(source);
    if (id === undefined) return skip(head);
    const reason = `the line was refused: ${error.message}`;
    if (memberSource(head, "method") !== undefined) return refuse(id, reason);
    return open.delete(id) ? toRefusal(id, reason) : skip(head);
  }

  /** Nothing more is read before it is sent: a peer that doesn't read can't pile up refusals. */
  const refuse = (id: unknown, reason: string): Promise<void> => transport.send(toRefusal(id, reason)).catch(() => {});

  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          for (;;) {
            const { value, done } = await items.next();
            if (done) return controller.close();
            const message = receive(value);
            if (message === undefined) continue;
            if (!(message instanceof Promise)) return controller.enqueue(message);
            await message;
          }
        },
      },
      // Nothing is read ahead: what has come waits in the transport, which counts it.
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        if ("method" in message && "id" in message) open.add(message.id);
        await transport.send(message);
        if (!("method" in message) && "id" in message) peers.leave(message.id);
      },
    }),
  };
}

const toRefusal = (id: unknown, message: string) => ({
  jsonrpc: "2.0" as const,
  id: id as string | number | null,
  error: { code: internalError, message },
});

function parseId(source: string): string | number | undefined {
  try {
    const id: unknown = JSON.parse(source);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}
