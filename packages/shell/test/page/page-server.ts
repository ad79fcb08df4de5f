// A WebSocket server on loopback that stands for the shell's: the test says what it sends, and sees what comes.

import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { encodeFrame, type PageFrame } from "../../src/link/page-frames.ts";

export interface PageServer extends AsyncDisposable {
  readonly url: string;
  /** The next connection, with what it sends. */
  connection(): Promise<Connection>;
}

/** Of a page that is in for good. */
export const freeAccess = { subprotocols: () => ["hawser", "hawser.key.any"], isStillGood: async () => true };

export interface Connection {
  /** The subprotocols, as they came. */
  readonly offered: string | undefined;
  tell(frame: PageFrame): void;
  respond(message: object): void;
  /** The next request, as JSON. */
  request(): Promise<Record<string, unknown>>;
  drop(): void;
  close(code: number, reason: string): void;
}

export async function startPageServer(): Promise<PageServer> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const waiting: Connection[] = [];
  let wake: (() => void) | undefined;
  server.on("connection", (socket, { headers }) => {
    waiting.push(toConnection(socket, headers["sec-websocket-protocol"]));
    wake?.();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`,
    async connection() {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift()!;
    },
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** Ends every connection before it is one. */
export async function startRefusingServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

function toConnection(socket: WebSocket, offered: string | undefined): Connection {
  const lines: string[] = [];
  let wake: (() => void) | undefined;
  socket.on("message", (data: Buffer) => {
    lines.push(data.toString());
    wake?.();
  });
  const tell = (frame: PageFrame): void => socket.send(encodeFrame(frame));
  return {
    offered,
    tell,
    respond: (message) => tell({ kind: "response", line: JSON.stringify(message) }),
    async request() {
      while (lines.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return JSON.parse(lines.shift()!) as Record<string, unknown>;
    },
    drop: () => socket.terminate(),
    close: (code, reason) => socket.close(code, reason),
  };
}
