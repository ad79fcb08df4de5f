// What an idle MCP server costs: its memory after it has listed its tools. A client starts one for every
// entry of its configuration, and most of them are never called. Resident memory counts Node's own program
// file, 40 MB and more that all Node processes on a machine share; private memory does not.

import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Contestant } from "../measure.ts";
import { prepareBridgeServers, type BridgeServers, type ServerCommand } from "../peers/bridge-servers.ts";
import { startBareClient } from "../peers/mcp-client.ts";
import type { Case, Row } from "../row.ts";

const ours = "hawser bridge";
const unbridged = "unbridged server, same library";

export const bridgeMemory: Row = {
  name: "Bridge memory",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const servers = await prepareBridgeServers(context);
    return [toCase("Bridge memory, idle, resident", "VmRSS", servers), toCase("Bridge memory, idle, private", "RssAnon", servers)];
  },
};

function toCase(name: string, field: string, servers: BridgeServers): Case {
  return {
    name,
    work: "after tools/list",
    unit: "MB",
    ours,
    rounds: () => 5,
    contestants: [idle(ours, servers.warm, field), idle(unbridged, servers.unbridged, field)],
    targets: [{ peer: unbridged, atMost: 0.85 }],
  };
}

const settleMs = 500;

function idle(name: string, command: ServerCommand, field: string): Contestant {
  return {
    name,
    async round() {
      const client = await startBareClient(command);
      await client.listTools();
      await sleep(settleMs);
      const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(fs.readFileSync(`/proc/${client.pid}/status`, "utf8"))?.[1];
      await client.close();
      return [(Number(kibibytes) * 1_024) / 1e6];
    },
  };
}
