// The way of each request: as it is, in a tunnel through a proxy (https), which learns only the server's host and port, or
// as a request to the proxy that names the whole address (http).

import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HawserError } from "@hawser/protocol";
import type { Environment } from "../config/config-file.ts";
import { findProxy, type Proxy } from "../config/proxy.ts";
import { gatewayLimits } from "../limits.ts";
import type { WireRequest } from "./connections.ts";
import { describeCause } from "./network-error.ts";

export interface ProxyRoutes {
  /** The request as it is dispatched. Throws `usage` where the environment names a proxy that can't be used. */
  of(request: WireRequest): WireRequest;
  /** What a connection to this origin is for. */
  toHost(origin: string): { readonly tunnel?: Proxy | undefined; readonly proxy?: Proxy | undefined };
}

export function createRoutes(env: Environment): ProxyRoutes {
  const known = new Map<string, Proxy | undefined>();
  const forwarders = new Map<string, Proxy>();

  return {
    of(request) {
      const { origin } = request;
      if (!known.has(origin)) known.set(origin, findProxy(new URL(origin), env));
      const proxy = known.get(origin);
      if (!proxy || origin.startsWith("https:")) return request;
      forwarders.set(proxy.origin, proxy);
      // The token is in the headers, which this proxy reads, as everyone on the way does without TLS.
      const headers = [...request.headers, "host", new URL(origin).host];
      if (proxy.authorization !== undefined) headers.push("proxy-authorization", proxy.authorization);
      return { ...request, origin: proxy.origin, path: `${origin}${request.path}`, headers };
    },
    toHost: (origin) => {
      const tunnel = origin.startsWith("https:") ? known.get(origin) : undefined;
      return tunnel ? { tunnel } : { proxy: forwarders.get(origin) };
    },
  };
}

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
    timeout: gatewayLimits.httpConnectMs,
  });
  asked.once("connect", ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    socket.setTimeout(0);
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      return done(undefined, socket);
    }
    socket.destroy();
    const hint = statusCode === 407 ? authenticationHint : "ask those who run the proxy, or name the host in NO_PROXY";
    const text = `proxy ${proxy.address} (${proxy.variable}) does not connect: it answers ${statusCode}`;
    done(new HawserError("connection_lost", text, { facts: { hint, isFinal: statusCode < 500 } }));
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
