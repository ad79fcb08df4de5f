// The connections to the gateway, or to its proxy: kept alive, bounded in number, never holding the process open while they
// are idle. One request at a time per connection, and none is repeated: one that breaks takes exactly that one with it.

import type { Socket } from "node:net";
import { gatewayLimits } from "../limits.ts";
import type { Agent, buildConnector, Dispatcher } from "undici";
import type { Environment } from "../config/config-file.ts";
import { createRoutes, openTunnel, toProxyError } from "./proxy-routes.ts";

/** How long the opening of a connection took. */
export interface ConnectTimes {
  readonly dnsMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly tlsHandshakeMs?: number | undefined;
}

export interface ConnectionPool {
  /** Calls back when undici could not be loaded or refuses the request. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, onRefused: (error: Error) => void): void;
  /** The times of the connection that was just opened for the request that starts now; undefined if it uses an older one. */
  freshConnection(): ConnectTimes | undefined;
  /** Ends every connection, also those in use. */
  close(): Promise<void>;
}

export function createConnectionPool(
  maxConnections: number = gatewayLimits.httpConnections,
  env: Environment = process.env,
): ConnectionPool {
  let agent: Agent | undefined;
  let fresh: ConnectTimes | undefined;
  let isClosed = false;
  const connecting = new Set<{ destroy(): unknown }>();
  const routes = createRoutes(env);

  function open(undici: UndiciParts): Agent {
    const connect = undici.buildConnector({ timeout: gatewayLimits.httpConnectMs });
    function openConnection(options: ConnectOptions, callback: ConnectCallback, tunnelMs?: number): void {
      const opening = watchOpening(() => connect(options, reportOpened) as unknown as Socket, tunnelMs);
      connecting.add(opening.socket);
      function reportOpened(...result: Parameters<typeof callback>): void {
        connecting.delete(opening.socket);
        // The waiting request starts within the callback, and asks for these times.
        fresh = opening.times();
        callback(...result);
        fresh = undefined;
      }
    }
    const opened = new undici.Agent({
      connections: maxConnections,
      pipelining: 1,
      keepAliveTimeout: gatewayLimits.httpIdleMs,
      keepAliveMaxTimeout: gatewayLimits.httpIdleMs,
      // The deadline of the call covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        const { protocol, host = "", port } = options;
        const { tunnel, proxy } = routes.toHost(`${protocol}//${host}`);
        // A proxy that can't be reached is not the server that was asked for.
        const report: ConnectCallback = (...result) =>
          proxy && result[0] ? callback(toProxyError(proxy, result[0]), null) : callback(...result);
        if (!tunnel) return openConnection(options, report);
        const startedAt = performance.now();
        const target = port ? host : `${host}:443`;
        const asked = openTunnel(tunnel, target, (error, socket) => {
          connecting.delete(asked);
          if (socket) openConnection({ ...options, httpSocket: socket }, callback, performance.now() - startedAt);
          else callback(error as Error, null);
        });
        connecting.add(asked);
      },
    });
    if (isClosed) void opened.destroy();
    return opened;
  }

  /** Calls that wait for undici, in their order; undefined once it is there. */
  let waiting: ((failure?: Error) => void)[] | undefined = [];

  function load(): void {
    const release = (failure?: Error): void => {
      const calls = waiting ?? [];
      waiting = failure && [];
      for (const start of calls) start(failure);
    };
    loadUndici().then((undici) => {
      agent = open(undici);
      release();
    }, release);
  }

  return {
    dispatch(options, handler, onRefused) {
      function start(failure?: Error): void {
        try {
          if (failure) throw failure;
          agent?.dispatch(routes.of(options), handler);
        } catch (error) {
          onRefused(error as Error);
        }
      }
      if (!waiting) return start();
      if (waiting.push(start) === 1) load();
    },
    freshConnection: () => fresh,
    async close() {
      isClosed = true;
      await agent?.destroy();
      // undici ends these only once they are open.
      for (const opening of connecting) opening.destroy();
    },
  };
}

type ConnectOptions = Parameters<buildConnector.connector>[0];
type ConnectCallback = Parameters<buildConnector.connector>[1];

interface UndiciParts {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

// These two alone: the whole, with fetch, WebSocket and mocks, takes three times as long to load. They have no types of their own.
async function loadUndici(): Promise<UndiciParts> {
  const agent = (await import("undici/lib/dispatcher/agent.js" as string)) as { readonly default: typeof Agent };
  const connect = (await import("undici/lib/core/connect.js" as string)) as { readonly default: typeof buildConnector };
  return { Agent: agent.default, buildConnector: connect.default };
}

/** Notes when the name was resolved, the connection made and the handshake done. */
function watchOpening(connect: () => Socket, tunnelMs: number | undefined): { readonly socket: Socket; times(): ConnectTimes } {
  const startedAt = performance.now();
  let resolvedAt: number | undefined;
  let connectedAt: number | undefined;
  const socket = connect();
  socket.once("lookup", () => (resolvedAt = performance.now()));
  socket.once("connect", () => (connectedAt = performance.now()));
  function times(): ConnectTimes {
    const now = performance.now();
    // Through a proxy only that is connected to, and the handshake is all that is left to do.
    if (tunnelMs !== undefined) return { connectMs: tunnelMs, tlsHandshakeMs: now - startedAt };
    const isEncrypted = "encrypted" in socket;
    return {
      ...(resolvedAt !== undefined && { dnsMs: resolvedAt - startedAt }),
      connectMs: (connectedAt ?? now) - (resolvedAt ?? startedAt),
      ...(isEncrypted && connectedAt !== undefined && { tlsHandshakeMs: now - connectedAt }),
    };
  }
  return { socket, times };
}
