// The way of each request: as it is, in a tunnel through a proxy (https), or as a request to the proxy that names the
// whole address (http). The proxy of an origin is looked up once.

import type { Dispatcher } from "undici";
import type { Environment } from "../config/config-file.ts";
import { findProxy, type Proxy } from "../config/proxy.ts";

export interface ProxyRoutes {
  /** The request as it is dispatched. Throws `usage` where the environment names a proxy that can't be used. */
  of(request: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions;
  /** What a connection to this origin is for. */
  toHost(origin: string): { readonly tunnel?: Proxy | undefined; readonly proxy?: Proxy | undefined };
}

export function createRoutes(env: Environment): ProxyRoutes {
  const known = new Map<string, Proxy | undefined>();
  const forwarders = new Map<string, Proxy>();

  function proxyOf(origin: string): Proxy | undefined {
    if (!known.has(origin)) known.set(origin, findProxy(new URL(origin), env));
    return known.get(origin);
  }
  return {
    of(request) {
      const origin = String(request.origin);
      const proxy = proxyOf(origin);
      if (!proxy || origin.startsWith("https:")) return request;
      forwarders.set(proxy.origin, proxy);
      return toForwarded(request, origin, proxy);
    },
    toHost: (origin) => {
      const tunnel = origin.startsWith("https:") ? known.get(origin) : undefined;
      return tunnel ? { tunnel } : { proxy: forwarders.get(origin) };
    },
  };
}

// The token is in the headers, which this proxy reads, as everyone on the way does without TLS.
function toForwarded(request: Dispatcher.DispatchOptions, origin: string, proxy: Proxy): Dispatcher.DispatchOptions {
  const own = ["host", new URL(origin).host, ...(proxy.authorization === undefined ? [] : ["proxy-authorization", proxy.authorization])];
  return {
    ...request,
    origin: proxy.origin,
    path: `${origin}${request.path}`,
    headers: [...(request.headers as readonly string[]), ...own],
  };
}
