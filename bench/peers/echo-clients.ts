// Clients of the echo programs, behind one signature: a value goes to another process and comes back.
// Each matches answers to requests by id, so that any number may be in flight.

import { createPendingTable, type Received, type Transport } from "@hawser/wire";
import { HawserError } from "@hawser/protocol";
import { readEach } from "@hawser/wire/internal";
import { connectSocket, createStreamTransport, lengthPrefix } from "@hawser/wire/node";
import { once } from "node:events";
import { connect } from "node:net";
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from "vscode-jsonrpc/node";
import { readBareFrames, writeBareFrame } from "./bare-frames.ts";

export interface EchoClient {
  echo(value: unknown): Promise<unknown>;
  close(): Promise<void> | void;
}

interface EchoMessage {
  readonly id: string;
  readonly value: unknown;
}

/** Our transport with a plain table, as the bare client has one. */
export async function connectTransport(path: string): Promise<EchoClient> {
  const transport = await openTransport(path);
  const calls = createCalls((message) => void transport.send(message));
  void readMessages(transport, ({ value }) => calls.answer(value as EchoMessage));
  return { echo: calls.call, close: () => transport.close() };
}

/** Our transport with everything around it: pending table, and on the other side validation, queue and cancellation. */
export async function connectProtocol(path: string): Promise<EchoClient> {
  const transport = await openTransport(path);
  const pending = createPendingTable<never, unknown>();
  let lastId = 0;
  void readMessages(transport, ({ value }) => void pending.resolve((value as EchoMessage).id, (value as EchoMessage).value));
  return {
    echo(value) {
      const id = String(++lastId);
      const answer = pending.wait(id);
      void transport.send({ id, kind: "echo", value });
      return answer;
    },
    async close() {
      pending.close(new HawserError("closed", "the bench is over"));
      await transport.close();
    },
  };
}

export async function connectBare(path: string): Promise<EchoClient> {
  const socket = connect(path);
  await once(socket, "connect");
  const calls = createCalls((message) => writeBareFrame(socket, message));
  readBareFrames(socket, (message) => calls.answer(message as EchoMessage));
  return { echo: calls.call, close: () => void socket.destroy() };
}

export async function connectJsonRpc(path: string): Promise<EchoClient> {
  const socket = connect(path);
  await once(socket, "connect");
  const connection = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  connection.listen();
  return {
    echo: (value) => connection.sendRequest("echo", value),
    close() {
      connection.dispose();
      socket.destroy();
    },
  };
}

async function openTransport(path: string): Promise<Transport> {
  const socket = await connectSocket(path);
  return createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
}

function readMessages(transport: Transport, onMessage: (item: Received) => void): Promise<void> {
  return readEach(transport.incoming, (item) => void (item.kind === "message" && onMessage(item)));
}

function createCalls(send: (message: object) => void): { call(value: unknown): Promise<unknown>; answer(message: EchoMessage): void } {
  const waiting = new Map<string, (value: unknown) => void>();
  let lastId = 0;
  return {
    call: (value) =>
      new Promise((resolve) => {
        const id = String(++lastId);
        waiting.set(id, resolve);
        send({ id, kind: "echo", value });
      }),
    answer({ id, value }) {
      waiting.get(id)?.(value);
      waiting.delete(id);
    },
  };
}
