// `hawser fleet up`: NATS servers of its own, on loopback, until it is told to stop. They end with it, also when it is killed.

import { join } from "node:path";
import { findServer, startCluster, startServer, toMonitorPort, type FleetServer } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol";
import { whenAborted } from "@hawser/wire/internal";
import { makeFolder, runUntilStopped, userFolder } from "@hawser/wire/internal/node";
import { notify, printTo } from "../command-line/output.ts";

export interface UpFlags {
  readonly port?: number;
  readonly servers?: number;
}

export const runUp = (port: number, count: number): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    notify("looking for nats-server; the first time it may have to be fetched, 7 MB");
    const program = await findServer();
    // What their streams hold stays, as a server's data does.
    const folder = join(userFolder("data", process.env), "hawser", "fleet", count === 1 ? String(port) : `${port}-of-${count}`);
    await makeFolder(folder);
    const { address, servers, stop } = await startServers({ program, folder, port, isGuarded: true }, count);
    try {
      printTo(process.stdout, `${address}\n`);
      const what = count === 1 ? "a NATS server runs at the address" : `${count} NATS servers run as a cluster at the addresses`;
      notify(`${what} above, for this machine only; the data is in ${folder}. Ctrl-C ends ${count === 1 ? "it" : "them"}`);
      notify(`reports for hawser doctor --fleet-monitor: ${servers.map(({ monitor }) => monitor).join(",")}`);
      await Promise.race([whenAllEnded(servers), whenAborted(stopping)]);
      if (!stopping.aborted)
        throw new HawserError("start_failed", count === 1 ? "the NATS server ended by itself" : "the NATS servers ended by themselves");
    } finally {
      await stop();
    }
  });

interface Started {
  readonly address: string;
  readonly servers: readonly FleetServer[];
  stop(): Promise<void>;
}

type StartOptions = Pick<Parameters<typeof startServer>[0], "program" | "folder" | "port" | "isGuarded">;

async function startServers(options: StartOptions, count: number): Promise<Started> {
  if (count > 1) return startCluster({ ...options, count });
  const monitorPort = toMonitorPort(options.port);
  const server = await startServer({ ...options, monitorPort });
  return { address: server.address, servers: [server], stop: () => server.stop() };
}

/** A cluster goes on without one of its servers, so that its loss can be tried out. */
async function whenAllEnded(servers: readonly FleetServer[]): Promise<void> {
  const tell =
    servers.length > 1 ? (address: string): void => notify(`the server at ${address} has ended; the others go on`) : (): void => {};
  await Promise.all(servers.map(async ({ exited, address }) => (await exited, tell(address))));
}
