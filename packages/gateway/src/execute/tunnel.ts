// A way through a proxy to a server with TLS: the proxy is asked to connect (CONNECT), and from then on passes bytes
// that it can't read. It is told the server's host and port, and nothing of the requests.

import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HawserError, limits } from "@hawser/wire";
import type { Proxy } from "../config/proxy.ts";
import { describeCause } from "./network-error.ts";

/** `target` is host and port. Calls back once; the request can be destroyed until then. */
export function openTunnel(proxy: Proxy, target: string, onEnd: (error: HawserError | undefined, socket?: Socket) => void): ClientRequest {
  let isOver = false;
  const done: typeof onEnd = (...result) => {
    if (!isOver) onEnd(...result);
    isOver = true;
  };
  const { protocol, hostname, port } = new URL(proxy.origin);
  // Only here, and at once: connections are opened in the order of their calls.
  const { request } = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
  const asked = request({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? undefined : port,
    method: "CONNECT",
    path: target,
    headers: { host: target, ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }) },
    agent: false,
    timeout: limits.httpConnectMs,
  });
  asked.once("connect", ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    socket.setTimeout(0);
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      return done(undefined, socket);
    }
    socket.destroy();
    done(refusedByProxy(proxy, statusCode));
  });
  asked.once("timeout", () => asked.destroy(new HawserError("timeout", "no answer in time")));
  asked.on("error", (error) => done(toProxyError(proxy, error)));
  asked.end();
  return asked;
}

/** What went wrong on the way to the proxy, which is not the server that was asked for. */
export function toProxyError(proxy: Proxy, error: unknown): HawserError {
  const { text, retryable } = describeCause(error);
  const facts = { hint: `check ${proxy.variable}, or name hosts that need no proxy in NO_PROXY`, isFinal: !retryable };
  return new HawserError("connection_lost", `proxy ${proxy.address} (${proxy.variable}): ${text}`, { facts });
}

export const authenticationHint = "give the proxy's user name and password in its variable: http://user:password@host:port";

function refusedByProxy(proxy: Proxy, status: number): HawserError {
  const hint = status === 407 ? authenticationHint : "ask those who run the proxy, or name the host in NO_PROXY";
  const text = `proxy ${proxy.address} (${proxy.variable}) does not connect: it answers ${status}`;
  return new HawserError("connection_lost", text, { facts: { hint, isFinal: status < 500 } });
}
