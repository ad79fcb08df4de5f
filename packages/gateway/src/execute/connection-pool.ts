// The connections to the gateway, or to its proxy, of a door that makes many calls: kept alive, bounded in number, never
// holding the process open while they are idle. One request at a time per connection, and none is repeated: one that breaks
// takes exactly that one with it.

import type { Socket } from "node:net";
import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";
import type { buildConnector, Client, Dispatcher } from "undici";
import type { Environment } from "../config/config-file.ts";
import { watchOpening, type ConnectTimes } from "./connect-times.ts";
import type { Connection, Connections, Sender, WireRequest } from "./connections.ts";
import { createRoutes, openTunnel, toProxyError } from "./proxy-routes.ts";

export function createConnectionPool(maxConnections: number = gatewayLimits.httpConnections, env: Environment = process.env): Connections {
  /** What opens a connection; undefined until undici is there. */
  let createClient: CreateClient | undefined;
  let fresh: ConnectTimes | undefined;
  let isClosed = false;
  const connecting = new Set<{ destroy(): unknown }>();
  const routes = createRoutes(env);
  const hosts = new Map<string, Host>();

  function prepare(undici: UndiciParts): CreateClient {
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
    const clientOptions: Client.Options = {
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
    };
    return (origin) => new undici.Client(origin, clientOptions);
  }

  // Not undici's own pool: that looks through its connections for each request, and lets one rest for two turns.
  function start(request: WireRequest, sender: Sender): void {
    try {
      if (!createClient || isClosed) throw closed();
      const routed = routes.of(request);
      const origin = String(routed.origin);
      let host = hosts.get(origin);
      if (!host) hosts.set(origin, (host = { origin, free: [], clients: new Set(), waiting: [] }));
      const connection = host.free.pop() ?? (host.clients.size < maxConnections ? addConnection(host, createClient) : undefined);
      if (connection) connection.send(routed, sender);
      else host.waiting.push({ routed, sender });
    } catch (error) {
      sender.refuse(error as Error);
    }
  }

  function addConnection(host: Host, create: CreateClient): FreeConnection {
    const client = create(host.origin);
    host.clients.add(client);
    const connection: FreeConnection = {
      send(routed, sender) {
        sender.connection = connection;
        try {
          client.dispatch(routed, sender);
        } catch (error) {
          sender.refuse(error as Error);
          connection.release(false);
        }
      },
      release(isBroken) {
        // undici would connect again at once, for the request that has just ended.
        if (isBroken) void client.destroy();
        if (isBroken) host.clients.delete(client);
        const next = takeWanted(host.waiting);
        if (next) (isBroken ? addConnection(host, create) : connection).send(next.routed, next.sender);
        else if (!isBroken) host.free.push(connection);
      },
    };
    return connection;
  }

  /** Calls that wait for undici, in their order; undefined once it is there. */
  let early: [WireRequest, Sender][] | undefined = [];

  async function load(): Promise<void> {
    let failure: Error | undefined;
    try {
      createClient = prepare(await loadUndici());
    } catch (error) {
      failure = error as Error;
    }
    const calls = early ?? [];
    early = failure && [];
    for (const [request, sender] of calls) {
      if (failure) sender.refuse(failure);
      else start(request, sender);
    }
  }

  return {
    dispatch(request, sender) {
      if (!early) start(request, sender);
      else if (early.push([request, sender]) === 1) void load();
    },
    freshConnection: () => fresh,
    async close() {
      isClosed = true;
      const all = [...hosts.values()];
      for (const { sender } of all.flatMap(({ waiting }) => waiting.splice(0))) sender.refuse(closed());
      await Promise.all(all.flatMap(({ clients }) => [...clients].map((client) => client.destroy())));
      // undici ends these only once they are open.
      for (const opening of connecting) opening.destroy();
    },
  };
}

type CreateClient = (origin: string) => Client;

/** The connections to one server or proxy. */
interface Host {
  readonly origin: string;
  /** The one that was used last is used next; the others become idle and end. */
  readonly free: FreeConnection[];
  readonly clients: Set<Client>;
  readonly waiting: WaitingRequest[];
}

interface WaitingRequest {
  readonly routed: Dispatcher.DispatchOptions;
  readonly sender: Sender;
}

interface FreeConnection extends Connection {
  send(routed: Dispatcher.DispatchOptions, sender: Sender): void;
}

function takeWanted(waiting: WaitingRequest[]): WaitingRequest | undefined {
  let next = waiting.shift();
  while (next?.sender.isOver()) next = waiting.shift();
  return next;
}

export const closed = (): HawserError => new HawserError("closed", "the connections are closed");

type ConnectOptions = Parameters<buildConnector.connector>[0];
type ConnectCallback = Parameters<buildConnector.connector>[1];

interface UndiciParts {
  readonly Client: typeof Client;
  readonly buildConnector: typeof buildConnector;
}

// These two alone: the whole, with fetch, WebSocket and mocks, takes three times as long to load. They have no types of their own.
async function loadUndici(): Promise<UndiciParts> {
  const client = (await import("undici/lib/dispatcher/client.js" as string)) as { readonly default: typeof Client };
  const connect = (await import("undici/lib/core/connect.js" as string)) as { readonly default: typeof buildConnector };
  return { Client: client.default, buildConnector: connect.default };
}
