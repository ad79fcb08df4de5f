// The connections to the gateway, or to its proxy, of a door that makes many calls: kept alive, bounded in number, never
// holding the process open while they are idle. One request at a time per connection, and none is repeated: one that breaks
// takes exactly that one with it. Connections of our own carry what is plain HTTP/1.1, undici's the rest.

import { gatewayLimits } from "../limits.ts";
import type { Environment } from "../config/config-file.ts";
import type { ConnectTimes } from "./connect-times.ts";
import type { Connections, OpenConnections, Sender, WireRequest } from "./connections.ts";
import { PlainConnection } from "./plain-connection.ts";
import { closed, PooledHost } from "./pooled-host.ts";
import { createRoutes } from "./proxy-routes.ts";
import { loadUndici, type UndiciConnections } from "./undici-connection.ts";

export const createConnectionPool: OpenConnections = (maxConnections, env) => createPool(isPlain, maxConnections, env);

/** The same with undici's connections alone: what is promised of a call is promised with both. */
export const createUndiciPool: OpenConnections = (maxConnections, env) => createPool(() => false, maxConnections, env);

/** Neither TLS nor a proxy, which is asked for the address of another server. */
const isPlain = (asked: WireRequest, routed: WireRequest): boolean => asked === routed && asked.origin.startsWith("http:");

function createPool(
  isOurs: typeof isPlain,
  maxConnections: number = gatewayLimits.httpConnections,
  env: Environment = process.env,
): Connections {
  const routes = createRoutes(env);
  const hosts = new Map<string, PooledHost>();
  const opened: { times: ConnectTimes | undefined } = { times: undefined };
  let isClosed = false;
  let undici: UndiciConnections | undefined;
  /** Calls that wait for undici, in their order; undefined while it is not being loaded. */
  let early: ((failure?: Error) => void)[] | undefined;

  function start(asked: WireRequest, sender: Sender): void {
    try {
      if (isClosed) throw closed();
      const routed = routes.of(asked);
      const { origin } = routed;
      let host = hosts.get(origin);
      if (!host) {
        if (isOurs(asked, routed)) host = new PooledHost({ maxConnections, opened, open: (owner) => new PlainConnection(origin, owner) });
        else if (undici) host = new PooledHost({ maxConnections, opened, open: undici.opener(origin) });
        else return startLater(asked, sender);
        hosts.set(origin, host);
      }
      host.start(routed, sender);
    } catch (error) {
      sender.refuse(error as Error);
    }
  }

  function startLater(asked: WireRequest, sender: Sender): void {
    if (!early) void load((early = []));
    early.push((failure) => (failure ? sender.refuse(failure) : start(asked, sender)));
  }

  async function load(calls: ((failure?: Error) => void)[]): Promise<void> {
    let failure: Error | undefined;
    try {
      undici = await loadUndici(routes);
    } catch (error) {
      failure = error as Error;
    }
    early = undefined;
    for (const call of calls) call(failure);
  }

  return {
    dispatch: start,
    freshConnection: () => opened.times,
    async close() {
      isClosed = true;
      await Promise.all([...hosts.values()].map((host) => host.close()));
      undici?.close();
    },
  };
}
