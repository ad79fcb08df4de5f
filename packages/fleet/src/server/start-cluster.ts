// Several NATS servers of our own on loopback that form a cluster, for trying out what happens when one of them is lost, and for tests.
// Each has its own folder and ports, keeps both when it is started again, and ends with us.

import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { makeFolder } from "@hawser/wire/internal/node";
import { fleetLimits } from "../limits.ts";
import { readReport } from "./server-report.ts";
import { startServer, type FleetServer, type ServerOptions } from "./start-server.ts";

export interface ClusterOptions extends Omit<ServerOptions, "monitorPort"> {
  readonly count: number;
}

export interface FleetCluster {
  /** Of all servers, as `--fleet` takes it. */
  readonly address: string;
  /** As they run now. */
  readonly servers: readonly FleetServer[];
  /** Starts one again that has ended, with what it holds. Resolves when it listens. */
  restart(index: number): Promise<FleetServer>;
  /** The index of the server that leads; undefined while they have not agreed. */
  findLeader(): Promise<number | undefined>;
  stop(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly routePort: number;
}

/** As far apart as the default ports of NATS are: 4222 for clients, 6222 for other servers, 8222 for reports. */
const routeOffset = 2_000;
const monitorOffset = 4_000;
const pollMs = 50;
/** Ports that were free a moment ago may be taken. */
const attempts = 3;

/** Where a server that listens there is asked for reports; 0, any free one, where there is no such port. */
export const toMonitorPort = (port: number): number => (port === 0 || port + monitorOffset > 65_535 ? 0 : port + monitorOffset);

/** Resolves when the servers have agreed on a leader. Throws `start_failed`. */
export async function startCluster(options: ClusterOptions): Promise<FleetCluster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToStart(options, await chooseMembers(options));
    } catch (error) {
      if (options.port !== 0 || attempt === attempts) throw error;
    }
  }
}

async function tryToStart(options: ClusterOptions, members: readonly Member[]): Promise<FleetCluster> {
  const servers: FleetServer[] = [];

  async function startOne(member: Member): Promise<FleetServer> {
    const folder = join(options.folder, member.name);
    await makeFolder(folder);
    const { port, monitorPort } = member;
    return startServer({ ...options, folder, port, monitorPort, more: `${toClusterLines(member, members)}\n${options.more ?? ""}` });
  }
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
  const findLeader = async (): Promise<number | undefined> => {
    const leaders = await Promise.all(servers.map(leaderOf));
    const [first] = leaders.filter((leader) => leader !== undefined);
    const index = members.findIndex(({ name }) => name === first);
    return index === -1 ? undefined : index;
  };

  try {
    const started = await Promise.allSettled(members.map(startOne));
    for (const outcome of started) if (outcome.status === "fulfilled") servers.push(outcome.value);
    for (const outcome of started) if (outcome.status === "rejected") throw outcome.reason;
    await untilAgreed(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address: servers.map(({ address }) => address).join(","),
    servers,
    async restart(index) {
      const [member, before] = [members[index], servers[index]];
      if (!member || !before) throw new HawserError("usage", `the cluster has ${members.length} servers, and none with the index ${index}`);
      await before.stop();
      return (servers[index] = await startOne(member));
    },
    findLeader,
    stop,
  };
}

/** Every one of them knows the same leader. */
async function untilAgreed(servers: readonly FleetServer[]): Promise<void> {
  const deadline = performance.now() + fleetLimits.fleetClusterMs;
  for (;;) {
    const leaders = await Promise.all(servers.map(leaderOf));
    if (leaders[0] !== undefined && leaders.every((leader) => leader === leaders[0])) return;
    if (performance.now() > deadline)
      throw new HawserError("start_failed", `the ${servers.length} NATS servers have not agreed on a leader in time`);
    await sleep(pollMs);
  }
}

/** Undefined when there is none, or the server does not answer. */
async function leaderOf({ monitor }: FleetServer): Promise<string | undefined> {
  const report = await readReport(monitor, "/jsz").catch(() => undefined);
  const meta = report?.["meta_cluster"];
  const leader = isRecord(meta) ? meta["leader"] : undefined;
  return typeof leader === "string" && leader !== "" ? leader : undefined;
}

const toClusterLines = (member: Member, members: readonly Member[]): string =>
  [
    `server_name: ${member.name}`,
    `cluster {`,
    `  name: hawser`,
    `  listen: "127.0.0.1:${member.routePort}"`,
    `  routes: [${members.map(({ routePort }) => `"nats://127.0.0.1:${routePort}"`).join(", ")}]`,
    `}`,
  ].join("\n");

async function chooseMembers({ count, port }: ClusterOptions): Promise<readonly Member[]> {
  const free = port === 0 ? await findFreePorts(count * 3) : [];
  return Array.from({ length: count }, (_, index) => ({
    name: `server-${index + 1}`,
    port: free[index * 3] ?? port + index,
    routePort: free[index * 3 + 1] ?? port + index + routeOffset,
    monitorPort: free[index * 3 + 2] ?? toMonitorPort(port + index),
  }));
}

/** All at the same time, so that they differ. */
async function findFreePorts(count: number): Promise<number[]> {
  const listening = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = listening.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
