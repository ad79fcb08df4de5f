// `hawser doctor --fleet`: what the servers of a fleet are, how they are set, and what can therefore be promised. A setting that takes a
// promise away is a failure; one that can't be known is said to be unknown, and nothing is promised on it.

import { examineServers, isNewEnough, oldestVersion, type FleetFacts } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol";
import { printAnswer, type OutputFlags } from "../api-target/json-output.ts";
import { toFlag } from "../command-line/command.ts";
import type { FleetFlags } from "../fleet/flags.ts";
import { withFleet } from "../fleet/with-fleet.ts";

export interface FleetDoctorFlags extends FleetFlags, OutputFlags {
  readonly fleetMonitor?: string;
}

interface FleetCheck {
  readonly name: `fleet_${"connect" | "version" | "tls" | "payload" | "servers" | "jetstream" | "sync" | "replicas"}`;
  readonly ok: boolean;
  /** It can't be known, or does not matter here. */
  readonly skipped?: true;
  readonly message: string;
  readonly hint?: string;
}

interface FleetPromise {
  readonly what: string;
  readonly holds: "yes" | "no" | "unknown";
  readonly why: string;
}

/** As `hawser exit-codes` calls it: what was looked at is not as it should be. */
const invalidCode = 1;

export const runFleetDoctor = (servers: string, flags: FleetDoctorFlags): Promise<void> =>
  printAnswer(flags, async () => {
    refuseOthers(flags);
    const monitors = flags.fleetMonitor?.split(",").map((url) => checkMonitor(url.trim()));
    return withFleet(flags, "hawser doctor", async (fleet) => {
      const facts = await examineServers(fleet, monitors);
      const checks = toChecks(facts, fleet.servers);
      const promises = toPromises(facts, servers);
      const failed = checks.find(({ ok }) => !ok);
      process.exitCode = failed ? invalidCode : 0;
      return {
        json: { ok: !failed, ...(failed && { code: invalidCode, error: failed.message }), fleet: fleet.servers, checks, promises, facts },
        text: `${checks.map(toLine).join("")}\n${promises.map(toSentence).join("")}`,
      };
    });
  });

/** Options of the other checks would be ignored. */
function refuseOthers(flags: FleetDoctorFlags): void {
  const own = ["json", "select", "raw", "compact", "timing", "jsonStats"];
  const other = Object.keys(flags).find((name) => !name.startsWith("fleet") && !own.includes(name));
  if (other === undefined) return;
  throw new HawserError("usage", `${toFlag(other)} is about an API, and --fleet checks the servers of a fleet; leave one of them out`);
}

function checkMonitor(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new HawserError("usage", "--fleet-monitor takes addresses that begin with http:// or https://, e.g. http://127.0.0.1:8222");
}

function toChecks(facts: FleetFacts, servers: string): FleetCheck[] {
  const { version, isEncrypted, maxPayload, addresses, cluster, clusterSize } = facts;
  const isRight = isNewEnough(version);
  const size = clusterSize === undefined ? `${addresses.length} known` : `${clusterSize} that keep streams together`;
  return [
    { name: "fleet_connect", ok: true, message: servers },
    {
      name: "fleet_version",
      ok: isRight,
      message: `nats-server ${version}`,
      ...(!isRight && { hint: `install nats-server ${oldestVersion} or newer` }),
    },
    { name: "fleet_tls", ok: true, message: isEncrypted ? "the connection is encrypted" : "the connection is not encrypted" },
    { name: "fleet_payload", ok: true, message: `a message may have ${maxPayload} bytes` },
    { name: "fleet_servers", ok: true, message: cluster === undefined ? "one server, alone" : `cluster ${cluster}, servers: ${size}` },
    ...toStorageChecks(facts),
  ];
}

function toStorageChecks({ streams, jetStreamFault, monitors, cluster }: FleetFacts): FleetCheck[] {
  if (!streams) {
    const message = `${jetStreamFault}: tools work, conversations and batches can't be kept`;
    return [{ name: "fleet_jetstream", ok: true, skipped: true, message, hint: "switch JetStream on in the server's configuration" }];
  }
  const behind = streams.filter(({ lagging }) => lagging.length > 0);
  const names = streams.map(({ name, replicas, isOnDisk }) => `${name} ${replicas}${isOnDisk ? "" : " in memory"}`).join(", ");
  const few = streams.filter(({ replicas, isOnDisk }) => isOnDisk && replicas < 3);
  const isReplicated = cluster === undefined || few.length === 0;
  return [
    { name: "fleet_jetstream", ok: true, message: `on; streams of Hawser: ${streams.length}` },
    toSyncCheck(monitors),
    {
      name: "fleet_replicas",
      ok: isReplicated && behind.length === 0,
      ...(streams.length === 0 && { skipped: true }),
      message: [
        streams.length === 0 ? "no stream was made yet" : `copies: ${names}`,
        ...behind.map(({ name, lagging }) => `${name} is behind on ${lagging.join(", ")}`),
      ].join("; "),
      ...(!isReplicated && { hint: `nats stream edit ${few[0]?.name} --replicas 3, and so on` }),
    },
  ];
}

function toSyncCheck(monitors: FleetFacts["monitors"]): FleetCheck {
  const name = "fleet_sync";
  const lazy = monitors.filter(({ syncsEveryWrite }) => syncsEveryWrite === false);
  const unknown = monitors.filter(({ syncsEveryWrite }) => syncsEveryWrite === undefined);
  const hint = "set sync_interval: always in the jetstream block of every server";
  if (lazy.length > 0) return { name, ok: false, message: `not every write is synced at ${listUrls(lazy)}`, hint };
  if (monitors.length > 0 && unknown.length === 0) return { name, ok: true, message: `every write is synced at ${listUrls(monitors)}` };
  const reasons = unknown.map(({ url, reason }) => `${url}: ${reason}`).join("; ");
  return {
    name,
    ok: true,
    skipped: true,
    message: `can't be known: ${reasons || "no monitoring port was found"}`,
    hint: "name the monitoring ports of all servers with --fleet-monitor",
  };
}

const listUrls = (monitors: FleetFacts["monitors"]): string =>
  monitors.map(({ url, server }) => (server === undefined ? url : `${server} (${url})`)).join(", ");

function toPromises(facts: FleetFacts, servers: string): FleetPromise[] {
  const isLocal = servers.split(",").every((server) => ["127.0.0.1", "localhost", "[::1]"].includes(new URL(server.trim()).hostname));
  const isPrivate = facts.isEncrypted || isLocal;
  return [
    { what: "A tool call runs at most once and ends once", holds: "yes", why: "a request is never sent again, whatever the settings" },
    toKeptPromise(facts),
    toLossPromise(facts),
    {
      what: "What is said can't be read on the way",
      holds: isPrivate ? "yes" : "no",
      why: facts.isEncrypted ? "TLS" : isLocal ? "it does not leave this machine" : "there is no TLS; use tls:// and certificates",
    },
    {
      what: `Arguments and results up to ${facts.maxPayload} bytes pass`,
      holds: "yes",
      why: "max_payload; larger ones are refused with both sizes",
    },
  ];
}

function toKeptPromise({ streams, jetStreamFault, monitors }: FleetFacts): FleetPromise {
  const what = "What a conversation or batch has acknowledged survives a crash or power failure";
  if (!streams) return { what, holds: "no", why: jetStreamFault ?? "there is no JetStream" };
  const states = monitors.map(({ syncsEveryWrite }) => syncsEveryWrite);
  if (states.includes(false))
    return { what, holds: "no", why: "a server syncs only now and then: what it acknowledged since then is lost with its power" };
  if (states.length === 0 || states.includes(undefined))
    return { what, holds: "unknown", why: "no report says whether every write is synced; by default it is not" };
  return { what, holds: "yes", why: "sync_interval: always" };
}

function toLossPromise({ streams, cluster, clusterSize, addresses }: FleetFacts): FleetPromise {
  const what = "It also survives the loss of one server with its disk";
  if (!streams) return { what, holds: "no", why: "nothing is kept" };
  const count = clusterSize ?? addresses.length;
  if (cluster === undefined || count < 3) return { what, holds: "no", why: "that takes three servers in a cluster" };
  const kept = streams.filter(({ isOnDisk }) => isOnDisk);
  if (kept.length === 0) return { what, holds: "unknown", why: "no stream was made yet" };
  const few = kept.filter(({ replicas }) => replicas < 3).map(({ name }) => name);
  return few.length === 0
    ? { what, holds: "yes", why: "every stream has three copies" }
    : { what, holds: "no", why: `fewer than three copies: ${few.join(", ")}` };
}

const toLine = ({ name, ok, skipped, message, hint }: FleetCheck): string =>
  `${ok ? (skipped ? "skip" : "ok") : "fail"}\t${name}\t${message}${hint === undefined ? "" : `\thint: ${hint}`}\n`;

const words = { yes: "promised", no: "not promised", unknown: "not known" } as const;

const toSentence = ({ what, holds, why }: FleetPromise): string => `${words[holds]}\t${what}: ${why}\n`;
