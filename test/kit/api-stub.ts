// Loopback servers that tests talk to: an HTTP server whose answers are scripted per test, with or
// without TLS, and a raw one that hands over the bare socket, for what no well-behaved server would do.
// All count and remember what reached them, and end every connection when they are closed.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

export interface StubRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Answers one request; may wait, and may destroy `response.socket`. */
export type StubHandler = (request: StubRequest, response: ServerResponse) => void | Promise<void>;

export interface StubServer {
  /** The origin, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Connections that were opened so far. */
  readonly connections: number;
  readonly openConnections: number;
  close(): Promise<void>;
}

export interface ApiStub extends StubServer {
  /** Every request that arrived whole, oldest first. */
  readonly requests: readonly StubRequest[];
  /** Answers the requests from now on. */
  handle(handler: StubHandler): void;
}

/** Answers with a status and a body: JSON unless it is text or bytes. */
export function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": isRaw ? "text/plain; charset=utf-8" : "application/json", ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}

/** An HTTP server on a free loopback port. Without a handler it answers `{"ok":true}`. */
export function startApiStub(handler?: StubHandler): Promise<ApiStub> {
  return startStub(createServer, handler);
}

/** The same behind a certificate. */
export function startTlsStub(identity: { readonly key: string; readonly cert: string }, handler?: StubHandler): Promise<ApiStub> {
  return startStub((listener) => createTlsServer(identity, listener), handler);
}

async function startStub(
  createBase: (listener: RequestListener) => Server,
  handler: StubHandler = (_request, response) => answer(response, 200, { ok: true }),
): Promise<ApiStub> {
  const requests: StubRequest[] = [];
  let current = handler;
  const server = createBase((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", () => undefined);
    incoming.on("end", () => {
      const request = { method: incoming.method ?? "", target: incoming.url ?? "", headers: incoming.headers, body: Buffer.concat(chunks) };
      requests.push(request);
      void current(request, response);
    });
  });
  const base = await listen(server);
  return {
    requests,
    handle(next) {
      current = next;
    },
    url: base.url,
    port: base.port,
    get connections() {
      return base.connections;
    },
    get openConnections() {
      return base.openConnections;
    },
    close: base.close,
  };
}

/** A server that speaks nothing by itself. */
export function startRawStub(onConnection: (socket: Socket, connection: number) => void): Promise<StubServer> {
  let connection = 0;
  return listen(createRawServer((socket) => onConnection(socket, connection++)));
}

/** A port on which nobody listens. One that was free a moment ago may be somebody else's by now; one this low the system gives to nobody. */
export const closedPort = 1;

async function listen(server: Server): Promise<StubServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${server instanceof TlsServer ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
