// The connections to the gateway: kept alive, bounded in number, never holding the process open while
// they are idle. undici is loaded with the first request. It never repeats a request by itself: one
// request at a time per connection, so a connection that breaks takes exactly that one with it.

import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { limits } from "@hawser/wire";
import type { Agent, buildConnector, Dispatcher } from "undici";

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

export function createConnectionPool(maxConnections: number = limits.httpConnections): ConnectionPool {
  let agent: Agent | undefined;
  let fresh: ConnectTimes | undefined;
  let isClosed = false;
  const connecting = new Set<Socket>();

  function open(): Agent {
    const undici = loadUndici();
    const connect = undici.buildConnector({ timeout: limits.httpConnectMs });
    const opened = new undici.Agent({
      connections: maxConnections,
      pipelining: 1,
      keepAliveTimeout: limits.httpIdleMs,
      keepAliveMaxTimeout: limits.httpIdleMs,
      // The deadline of the call covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        const opening = watchOpening(() => connect(options, reportOpened) as unknown as Socket);
        connecting.add(opening.socket);
        function reportOpened(...result: Parameters<typeof callback>): void {
          connecting.delete(opening.socket);
          // The waiting request starts within the callback, and asks for these times.
          fresh = opening.times();
          callback(...result);
          fresh = undefined;
        }
      },
    });
    if (isClosed) void opened.destroy();
    return opened;
  }

  return {
    dispatch(options, handler, onRefused) {
      try {
        // In the order of the calls: nothing is waited for here.
        agent ??= open();
        agent.dispatch(options, handler);
      } catch (error) {
        onRefused(error as Error);
      }
    },
    freshConnection: () => fresh,
    async close() {
      isClosed = true;
      await agent?.destroy();
      // undici ends these only once they are open.
      for (const socket of connecting) socket.destroy();
    },
  };
}

// These two alone: the whole, with fetch, WebSocket and mocks, takes three times as long to load, for every `call` anew.
function loadUndici(): { readonly Agent: typeof Agent; readonly buildConnector: typeof buildConnector } {
  const require = createRequire(import.meta.url);
  return {
    Agent: require("undici/lib/dispatcher/agent.js") as typeof Agent,
    buildConnector: require("undici/lib/core/connect.js") as typeof buildConnector,
  };
}

/** Notes when the name was resolved, the connection made and the handshake done. */
function watchOpening(connect: () => Socket): { readonly socket: Socket; times(): ConnectTimes } {
  const startedAt = performance.now();
  let resolvedAt: number | undefined;
  let connectedAt: number | undefined;
  const socket = connect();
  socket.once("lookup", () => (resolvedAt = performance.now()));
  socket.once("connect", () => (connectedAt = performance.now()));
  function times(): ConnectTimes {
    const now = performance.now();
    const isEncrypted = "encrypted" in socket;
    return {
      ...(resolvedAt !== undefined && { dnsMs: resolvedAt - startedAt }),
      connectMs: (connectedAt ?? now) - (resolvedAt ?? startedAt),
      ...(isEncrypted && connectedAt !== undefined && { tlsHandshakeMs: now - connectedAt }),
    };
  }
  return { socket, times };
}
