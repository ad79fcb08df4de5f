// A real NATS server for a test file, and connections to it. Where no server can be had, tests are skipped with the reason.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, type TestContext } from "vitest";
import { connectFleet, type Fleet, type FleetAddress } from "../../packages/fleet/src/connect.ts";
import { findServer } from "../../packages/fleet/src/server/find-server.ts";
import { startCluster, type ClusterOptions, type FleetCluster } from "../../packages/fleet/src/server/start-cluster.ts";
import { startServer, type FleetServer, type ServerOptions } from "../../packages/fleet/src/server/start-server.ts";

const found = await findServer().then(
  (program) => ({ program, reason: "" }),
  (error: Error) => ({ program: "", reason: error.message }),
);

/** The program. */
export const serverProgram: string = found.program;

/** For the tests of a file, which need a server. */
export const skipWithoutServer = (context: TestContext): void => void (found.reason !== "" && context.skip(found.reason));

const root = mkdtempSync(join(tmpdir(), "hawser-fleet-"));
const opened: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
  rmSync(root, { recursive: true, force: true });
});

/** Goes away with the servers. */
export const makeFolder = (name: string): string => mkdtempSync(join(root, `${name}-`));

export async function openServer(options: Partial<ServerOptions> = {}): Promise<FleetServer> {
  const server = await startServer({ program: found.program, folder: makeFolder("server"), port: 0, ...options });
  opened.push({ close: () => server.stop() });
  return server;
}

/** Three servers unless told otherwise. */
export async function openCluster(options: Partial<ClusterOptions> = {}): Promise<FleetCluster> {
  const cluster = await startCluster({
    program: found.program,
    folder: makeFolder("cluster"),
    port: 0,
    count: 3,
    ...options,
  });
  opened.push({ close: () => cluster.stop() });
  return cluster;
}

export async function openFleet(
  server: Pick<FleetServer, "address">,
  name = "test",
  files: Omit<FleetAddress, "servers"> = {},
): Promise<Fleet> {
  const fleet = await connectFleet({ servers: server.address, ...files }, name);
  opened.push(fleet);
  return fleet;
}

/** By a question of NATS itself, for tests of packages that don't have its library. */
export async function addStream(
  { connection }: Fleet,
  config: { readonly name: string; readonly [setting: string]: unknown },
): Promise<void> {
  const settings = { storage: "file", retention: "limits", num_replicas: 1, max_consumers: -1, max_msgs: -1, max_bytes: -1, ...config };
  const answer = await connection.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(settings), { timeout: 30_000 });
  const { error } = answer.json<{ error?: { description: string } }>();
  if (error) throw new Error(`no stream ${config.name}: ${error.description}`);
}
