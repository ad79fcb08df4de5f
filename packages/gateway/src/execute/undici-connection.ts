// Connections by undici, for everything that connections of our own don't do: TLS, and what goes through a proxy. It is
// loaded when the first such request comes.

import type { Socket } from "node:net";
import { gatewayLimits } from "../limits.ts";
import type { buildConnector, Client } from "undici";
import { watchOpening } from "./connect-times.ts";
import type { ConnectionOwner, Flow, PooledConnection, ResponseHeaders, Sender, WireRequest } from "./connections.ts";
import { openTunnel, toProxyError, type ProxyRoutes } from "./proxy-routes.ts";

export interface UndiciConnections {
  /** What opens connections to this server or proxy. */
  opener(origin: string): (owner: ConnectionOwner) => PooledConnection;
  /** Ends what is being opened, which undici would do only once it is open. */
  close(): void;
}

export async function loadUndici(routes: ProxyRoutes): Promise<UndiciConnections> {
  const undici = await importUndici();
  const connecting = new Set<{ destroy(): unknown }>();
  const connect = undici.buildConnector({ timeout: gatewayLimits.httpConnectMs });

  function openConnection({ options, callback, owner }: Opening, tunnelMs?: number): void {
    const opening = watchOpening(() => connect(options, reportOpened) as unknown as Socket, tunnelMs);
    connecting.add(opening.socket);
    function reportOpened(...result: Parameters<typeof callback>): void {
      connecting.delete(opening.socket);
      // The waiting request starts within the callback, and asks for these times.
      owner.onOpened(opening.times(), () => callback(...result));
    }
  }
  const clientOptions = (owner: ConnectionOwner): Client.Options => ({
    pipelining: 1,
    keepAliveTimeout: gatewayLimits.httpIdleMs,
    keepAliveMaxTimeout: gatewayLimits.httpIdleMs,
    keepAliveTimeoutThreshold: gatewayLimits.httpIdleMarginMs,
    // The deadline of the call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      const { protocol, host = "", port } = options;
      const { tunnel, proxy } = routes.toHost(`${protocol}//${host}`);
      // A proxy that can't be reached is not the server that was asked for.
      const report: ConnectCallback = (...result) =>
        proxy && result[0] ? callback(toProxyError(proxy, result[0]), null) : callback(...result);
      if (!tunnel) return openConnection({ options, callback: report, owner });
      const startedAt = performance.now();
      const target = port ? host : `${host}:443`;
      const asked = openTunnel(tunnel, target, (error, socket) => {
        connecting.delete(asked);
        if (socket) openConnection({ options: { ...options, httpSocket: socket }, callback, owner }, performance.now() - startedAt);
        else callback(error as Error, null);
      });
      connecting.add(asked);
    },
  });
  return {
    opener: (origin) => (owner) => new UndiciConnection(new undici.Client(origin, clientOptions(owner)), owner),
    close() {
      for (const opening of connecting) opening.destroy();
    },
  };
}

/** One client, which keeps at most one connection open; it also tells its sender what becomes of the request, and its owner when it is over. */
class UndiciConnection implements PooledConnection {
  // undici ends its connection by itself, and opens another one when it is used.
  readonly expiresAt = Infinity;
  private readonly client: Client;
  private readonly owner: ConnectionOwner;
  private sender: Sender | undefined;

  constructor(client: Client, owner: ConnectionOwner) {
    this.client = client;
    this.owner = owner;
  }

  send(request: WireRequest, sender: Sender): void {
    this.sender = sender;
    try {
      this.client.dispatch(request, this);
    } catch (error) {
      this.forget()?.refuse(error as Error);
      this.owner.onFree(this);
    }
  }

  /** While it is idle it keeps nothing of the call that it carried last. */
  private forget(): Sender | undefined {
    const { sender } = this;
    this.sender = undefined;
    return sender;
  }

  async destroy(): Promise<void> {
    await this.client.destroy();
  }

  onRequestStart(flow: Flow): void {
    const { sender } = this;
    sender?.onRequestStart(flow);
    // The whole request is written behind this call, in the same turn.
    queueMicrotask(() => sender?.onRequestWritten());
  }

  onResponseStart(flow: Flow, status: number, headers: ResponseHeaders): void {
    this.sender?.onResponseStart(flow, status, headers);
  }

  onResponseData(flow: Flow, chunk: Buffer): void {
    this.sender?.onResponseData(flow, chunk);
  }

  onResponseEnd(): void {
    const sender = this.forget();
    this.owner.onFree(this);
    sender?.onResponseEnd();
  }

  onResponseError(flow: Flow, error: Error): void {
    this.forget()?.onResponseError(flow, error);
    // undici would connect again at once, for the request that has just ended.
    void this.client.destroy();
    this.owner.onGone(this);
  }
}

type ConnectOptions = Parameters<buildConnector.connector>[0];
type ConnectCallback = Parameters<buildConnector.connector>[1];

interface Opening {
  readonly options: ConnectOptions;
  readonly callback: ConnectCallback;
  readonly owner: ConnectionOwner;
}

interface UndiciParts {
  readonly Client: typeof Client;
  readonly buildConnector: typeof buildConnector;
}

// These two alone: the whole, with fetch, WebSocket and mocks, takes three times as long to load. They have no types of their own.
async function importUndici(): Promise<UndiciParts> {
  const client = (await import("undici/lib/dispatcher/client.js" as string)) as { readonly default: typeof Client };
  const connect = (await import("undici/lib/core/connect.js" as string)) as { readonly default: typeof buildConnector };
  return { Client: client.default, buildConnector: connect.default };
}
