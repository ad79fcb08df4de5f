// What a client waits for when it starts an MCP server: from the spawn to the answered list of 20 tools.
// Once with compiled code in Node's cache, as on every start but the first, and once without.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { timeOf, type Contestant } from "../measure.ts";
import { prepareBridgeServers, type ServerCommand } from "../peers/bridge-servers.ts";
import { startBareClient, type BareMcpClient } from "../peers/mcp-client.ts";
import type { Row } from "../row.ts";

const warm = "hawser bridge";
const cold = "hawser bridge, empty cache";
const empty = "node -e 0";
const unbridged = "unbridged server, same library";

export const bridgeStart: Row = {
  name: "Bridge start",
  async prepare(context) {
    const servers = await prepareBridgeServers(context);
    const shared = { work: "spawn, initialize, tools/list with 20 tools", unit: "ms" } as const;
    const peers = [emptyProcess, untilListed(unbridged, () => servers.unbridged)];
    return [
      {
        ...shared,
        name: "Bridge start",
        ours: warm,
        contestants: [
          untilListed(warm, () => servers.warm),
          ...peers,
          untilListed("unbridged, with a cache", () => servers.unbridgedCached),
        ],
        targets: [
          { peer: empty, atMost: 3.2 },
          { peer: unbridged, atMost: 0.65 },
        ],
      },
      {
        ...shared,
        name: "Bridge start, for the first time",
        ours: cold,
        contestants: [untilListed(cold, servers.cold), ...peers],
        targets: [],
      },
    ];
  },
};

function untilListed(name: string, command: () => ServerCommand): Contestant {
  return {
    name,
    async round() {
      const server = command();
      let client: BareMcpClient | undefined;
      const ms = await timeOf(async () => {
        client = await startBareClient(server);
        if ((await client.listTools()) !== 20) throw new Error(`${name} did not list its tools`);
      });
      await client?.close();
      return [ms];
    },
  };
}

const emptyProcess: Contestant = {
  name: empty,
  round: async () => [await timeOf(async () => void (await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")))],
};
