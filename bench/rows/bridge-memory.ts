// What an idle MCP server costs: its resident memory after it has listed its tools and answered one call.
// A client starts one for every configuration and session, and most of them are idle.

import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Contestant } from "../measure.ts";
import { prepareBridgeServers, type ServerCommand } from "../peers/bridge-servers.ts";
import { startMcpClient } from "../peers/mcp-client.ts";
import type { Row } from "../row.ts";

const ours = "hawser bridge";
const unbridged = "unbridged server, same library";

export const bridgeMemory: Row = {
  name: "Bridge memory",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const servers = await prepareBridgeServers(context);
    return [
      {
        name: "Bridge memory, idle",
        work: "after tools/list and one call",
        unit: "MB",
        ours,
        rounds: () => 3,
        contestants: [idle(ours, servers.warm), idle(unbridged, servers.unbridged)],
        targets: [{ peer: unbridged, atMost: 0.85 }],
      },
    ];
  },
};

const settleMs = 500;

function idle(name: string, command: ServerCommand): Contestant {
  return {
    name,
    async round() {
      const client = startMcpClient(command);
      await client.listTools();
      await client.request("tools/call", { name: "echo", arguments: { text: "once" } });
      await sleep(settleMs);
      const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${client.pid}/status`, "utf8"))?.[1];
      await client.close();
      return [(Number(kibibytes) * 1_024) / 1e6];
    },
  };
}
