// The connections of a door that makes one call: Node's own HTTP client, a connection for each request, which ends with it.
// To load undici takes such a command longer than everything else together. A request that goes through a proxy does need it.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Environment } from "../config/config-file.ts";
import { findProxy } from "../config/proxy.ts";
import { gatewayLimits } from "../limits.ts";
import { watchOpening, type ConnectTimes } from "./connect-times.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { closed } from "./pooled-host.ts";
import { closedEarly, connectTimeout } from "./network-error.ts";
import { contentLengthOf } from "./request-head.ts";
import type { Connections, Flow, ResponseHeaders, Sender, WireRequest } from "./connections.ts";

export function createSingleConnections(maxConnections?: number, env: Environment = process.env): Connections {
  const sockets = new Set<Socket>();
  let proxied: Connections | undefined;
  let fresh: ConnectTimes | undefined;
  let isClosed = false;

  function send(request: WireRequest, sender: Sender): void {
    const url = new URL(request.origin);
    const { socket, times } = watchOpening(() => connect(url));
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const { asked, flow } = prepare(request, url, socket, sender);
    const timer = setTimeout(() => socket.destroy(connectTimeout()), gatewayLimits.httpConnectMs).unref();
    socket.once("close", () => clearTimeout(timer));
    // Not before: until then a call may end without a byte on its way.
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      fresh = times();
      sender.onRequestStart(flow);
      fresh = undefined;
      if (asked.destroyed) return;
      asked.end(request.body);
      sender.onRequestWritten();
    });
  }

  return {
    dispatch(request, sender) {
      try {
        if (isClosed) throw closed();
        if (!findProxy(new URL(request.origin), env)) return send(request, sender);
        proxied ??= createConnectionPool(maxConnections, env);
        proxied.dispatch(request, sender);
      } catch (error) {
        sender.refuse(error as Error);
      }
    },
    freshConnection: () => fresh ?? proxied?.freshConnection(),
    async close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy(closed());
      await proxied?.close();
    },
  };
}

function connect({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  // Loaded when they are needed: these two take longer than the rest of a start.
  if (protocol === "http:") return process.getBuiltinModule("node:net").connect({ host, port: Number(port || 80) });
  // An address is not a name that a server could be told.
  const servername = process.getBuiltinModule("node:net").isIP(host) === 0 ? host : "";
  return process.getBuiltinModule("node:tls").connect({ host, port: Number(port || 443), servername, ALPNProtocols: ["http/1.1"] });
}

/** The request, of which nothing is sent until it is ended, and what becomes of it told to the sender. */
function prepare(request: WireRequest, url: URL, socket: Socket, sender: Sender): { asked: ClientRequest; flow: Flow } {
  let response: IncomingMessage | undefined;
  let isOver = false;
  const asked = process.getBuiltinModule("node:http").request({
    createConnection: () => socket,
    method: request.method,
    path: request.path,
    headers: toHeaders(request, url.host),
  });
  // As many as fit into the bytes that Node allows them. It would drop the rest without a word.
  asked.maxHeadersCount = 0;
  const flow: Flow = {
    abort: (reason) => void asked.destroy(reason),
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
  };
  function fail(error: Error): void {
    // What follows a whole response does not change it.
    if (isOver || response?.complete) return;
    isOver = true;
    sender.onResponseError(flow, toTold(error));
  }
  asked.once("response", (incoming) => {
    response = incoming;
    incoming.on("error", fail);
    incoming.on("data", (chunk: Buffer) => sender.onResponseData(flow, chunk));
    incoming.once("end", () => {
      isOver = true;
      sender.onResponseEnd();
    });
    sender.onResponseStart(flow, incoming.statusCode ?? 0, toLists(incoming.rawHeaders));
  });
  asked.on("error", fail);
  // Also without an error: a server that wants another protocol is left so.
  asked.once("close", () => fail(closedEarly()));
  socket.on("error", fail);
  return { asked, flow };
}

function toHeaders(request: WireRequest, host: string): string[] {
  const length = contentLengthOf(request);
  const framing = length === undefined ? [] : ["content-length", String(length)];
  return ["host", host, ...request.headers, ...framing];
}

/** Every value of every name, which Node's own record of them does not have. */
function toLists(raw: readonly string[]): ResponseHeaders {
  const headers = new Map<string, string | string[]>();
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string];
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(headers);
}

/** Node says "reset" also of a connection that was closed, and then no system call is to blame. */
function toTold(error: Error): Error {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" && syscall === undefined ? closedEarly() : error;
}
