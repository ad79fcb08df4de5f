// Calls of an HTTP API with the gateway's own client library and nothing around it.

import { createRequire } from "node:module";
import { resolve } from "node:path";

interface BarePool {
  request(options: { path: string; method: "GET" }): Promise<{ body: { text(): Promise<string> } }>;
}

type PoolClass = new (url: string, options: { connections: number; pipelining: 1 }) => BarePool;

// The version that the gateway has, which is its own and no dependency of the bench.
const requireFromGateway = createRequire(resolve(import.meta.dirname, "../../packages/gateway/package.json"));

export function createBareCaller(url: string, connections: number): (path: string) => Promise<string> {
  const { Pool } = requireFromGateway("undici") as { Pool: PoolClass };
  const pool = new Pool(url, { connections, pipelining: 1 });
  return async (path) => (await pool.request({ path, method: "GET" })).body.text();
}
