// The connections to the gateway: kept alive, bounded in number, never holding the process open while
// they are idle. undici is loaded with the first request. It never repeats a request by itself: one
// request at a time per connection, so a connection that breaks takes exactly that one with it.

import type { Socket } from "node:net";
import { limits } from "@hawser/wire";
import type { Agent, Dispatcher } from "undici";

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
  let opening: Promise<Agent> | undefined;
  let fresh: ConnectTimes | undefined;
  let isClosed = false;
  const connecting = new Set<Socket>();

  async function open(): Promise<Agent> {
    const { Agent, buildConnector } = await import("undici");
    const connect = buildConnector({ timeout: limits.httpConnectMs });
    agent = new Agent({
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
    if (isClosed) await agent.destroy();
    return agent;
  }

  return {
    dispatch(options, handler, onRefused) {
      const send = (ready: Agent): void => void ready.dispatch(options, handler);
      if (!agent) {
        (opening ??= open()).then(send).catch(onRefused);
        return;
      }
      try {
        send(agent);
      } catch (error) {
        onRefused(error as Error);
      }
    },
    freshConnection: () => fresh,
    async close() {
      isClosed = true;
      await (await opening)?.destroy();
      // undici ends these only once they are open.
      for (const socket of connecting) socket.destroy();
    },
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
