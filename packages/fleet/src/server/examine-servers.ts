// What the servers of a fleet are and how they are set, as far as they tell: over the connection itself, over JetStream's own questions,
// and over the monitoring port, which alone says whether every write is synced. What can't be known is undefined, never a guess.

import { jetstreamManager, JetStreamApiError, type JetStreamManager, type StreamInfo } from "@nats-io/jetstream";
import { describeThrown } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { readReport } from "./server-report.ts";
import { toMonitorPort } from "./start-cluster.ts";

export interface StreamFacts {
  readonly name: string;
  readonly replicas: number;
  readonly isOnDisk: boolean;
  /** Servers that hold a copy and are behind or away now. */
  readonly lagging: readonly string[];
}

export interface MonitorFacts {
  readonly url: string;
  /** Undefined when it did not answer, or has no JetStream. */
  readonly syncsEveryWrite?: boolean | undefined;
  /** The server's own name. */
  readonly server?: string | undefined;
  /** Why nothing is known. */
  readonly reason?: string | undefined;
}

export interface FleetFacts {
  readonly version: string;
  readonly isEncrypted: boolean;
  readonly maxPayload: number;
  /** Undefined for a server that is alone. */
  readonly cluster: string | undefined;
  /** Addresses of servers that take clients, as the one we talk to knows them; one server may have several. */
  readonly addresses: readonly string[];
  /** Servers that keep streams together, where a report says so. */
  readonly clusterSize: number | undefined;
  /** Undefined where JetStream is off, or not for this account; `jetStreamFault` says which. */
  readonly streams: readonly StreamFacts[] | undefined;
  readonly jetStreamFault: string | undefined;
  readonly monitors: readonly MonitorFacts[];
}

/** `monitors`: where the servers report about themselves; else it is tried beside each address, where NATS has it by default. */
export async function examineServers(fleet: Fleet, monitors?: readonly string[]): Promise<FleetFacts> {
  const { info } = fleet.connection;
  const addresses = toAddresses(fleet);
  const urls = monitors ?? addresses.flatMap((address) => toMonitor(address));
  const [stored, reports] = await Promise.all([
    readStreams(fleet),
    Promise.all(urls.slice(0, fleetLimits.fleetServerEntries).map((url) => examineMonitor(url))),
  ]);
  return {
    version: info?.version ?? "",
    // The library uses TLS wherever a server has it.
    isEncrypted: info?.tls_required === true || info?.tls_available === true,
    maxPayload: fleet.maxPayload,
    cluster: info?.cluster,
    addresses,
    clusterSize: reports.map(({ clusterSize }) => clusterSize).find((size) => size !== undefined),
    ...stored,
    monitors: reports.map(({ monitor }) => monitor),
  };
}

/** Those that the server names, and the one that we talk to. */
function toAddresses({ connection }: Fleet): string[] {
  const named = connection.info?.connect_urls ?? [];
  return [...new Set([connection.getServer(), ...named])];
}

/** The default ports of NATS lie that far apart: 4222 and 8222. */
function toMonitor(address: string): string[] {
  const url = URL.canParse(`nats://${address}`) ? new URL(`nats://${address}`) : undefined;
  const port = toMonitorPort(Number(url?.port));
  return url && port > 0 ? [`http://${url.hostname}:${port}`] : [];
}

async function readStreams({ connection }: Fleet): Promise<Pick<FleetFacts, "streams" | "jetStreamFault">> {
  try {
    const manager = await jetstreamManager(connection, { timeout: fleetLimits.fleetConnectMs });
    return { streams: await listStreams(manager), jetStreamFault: undefined };
  } catch (error) {
    const isOff = error instanceof JetStreamApiError || (error as Error).name === "JetStreamNotEnabled";
    return { streams: undefined, jetStreamFault: isOff ? "JetStream is off, or this account may not use it" : describeThrown(error) };
  }
}

/** Ours only: other programs may keep theirs beside them. */
async function listStreams(manager: JetStreamManager): Promise<StreamFacts[]> {
  const found: StreamFacts[] = [];
  for await (const { config, cluster } of manager.streams.list()) {
    if (!/^(?:KV_)?HAWSER_/.test(config.name) || found.length >= fleetLimits.fleetListedEntries) continue;
    found.push({ name: config.name, replicas: config.num_replicas, isOnDisk: config.storage === "file", lagging: toLagging(cluster) });
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const toLagging = (cluster: StreamInfo["cluster"]): string[] =>
  (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline).map(({ name }) => name);

async function examineMonitor(url: string): Promise<{ monitor: MonitorFacts; clusterSize?: number | undefined }> {
  try {
    const { config, meta_cluster: meta } = await readReport(url, "/jsz?config=true");
    const size = isRecord(meta) ? meta["cluster_size"] : undefined;
    const { server_name: server } = await readReport(url, "/varz");
    const isKnown = isRecord(config) && typeof config["store_dir"] === "string";
    return {
      monitor: {
        url,
        ...(typeof server === "string" && { server }),
        ...(isKnown ? { syncsEveryWrite: config["sync_always"] === true } : { reason: "its report names no store" }),
      },
      ...(typeof size === "number" && { clusterSize: size }),
    };
  } catch (error) {
    return { monitor: { url, reason: describeThrown(error) } };
  }
}
