// A tool call through bridge and socket beside the same tool in a server without a bridge, with the same
// client: one at a time, sixteen at a time, and eight that take a second each.

import { timeOf } from "../measure.ts";
import { prepareBridgeServers } from "../peers/bridge-servers.ts";
import { startMcpClient, type McpClient } from "../peers/mcp-client.ts";
import type { Row, RowContext } from "../row.ts";

const ours = "hawser bridge";
const unbridged = "unbridged server, same library";

interface Contender {
  readonly name: string;
  readonly client: McpClient;
}

async function connectContenders(context: RowContext): Promise<Contender[]> {
  const { warm, unbridged: peer } = await prepareBridgeServers(context);
  const contenders = [
    { name: ours, client: startMcpClient(warm) },
    { name: unbridged, client: startMcpClient(peer) },
  ];
  for (const { client } of contenders) {
    context.defer(() => client.close());
    await client.listTools();
  }
  return contenders;
}

/** An answer that belongs to another call is no answer. */
async function call(client: McpClient, name: string, text: string, ms = 0): Promise<void> {
  const result = (await client.request("tools/call", { name, arguments: { text, ms } })) as { content?: { text?: string }[] };
  if (result.content?.[0]?.text !== text) throw new Error("a call came back with another answer");
}

const sampleText = (index: number): string => `line ${index}: the rope ties a ship to its quay while tide and wind pull at both ends of it`;

const callsAtOnce = 100;

export const bridgeRoundTrip: Row = {
  name: "Bridge round trip",
  async prepare(context) {
    const contenders = await connectContenders(context);
    return [
      {
        name: "Bridge round trip, tools/call",
        work: `${callsAtOnce} calls, one at a time`,
        unit: "ms",
        ours,
        rounds: (usual) => usual * 10,
        contestants: contenders.map(({ name, client }) => ({
          name,
          async round() {
            const samples: number[] = [];
            for (let index = 0; index < callsAtOnce; index++) samples.push(await timeOf(() => call(client, "echo", sampleText(index))));
            return samples;
          },
        })),
        targets: [
          { peer: unbridged, atMost: 1.6 },
          { statistic: "p99", atMost: 10 },
        ],
      },
    ];
  },
};

const inFlight = 16;
const callsInFlight = 1_000;

export const bridgeInFlight: Row = {
  name: "Bridge with 16 in flight",
  async prepare(context) {
    const contenders = await connectContenders(context);
    return [
      {
        name: "Bridge with 16 calls in flight",
        work: `${callsInFlight} calls`,
        unit: "calls/s",
        ours,
        rounds: (usual) => usual * 4,
        contestants: contenders.map(({ name, client }) => ({
          name,
          round: async () => [(callsInFlight / (await timeOf(() => keepInFlight(client)))) * 1e3],
        })),
        targets: [{ peer: unbridged, atLeast: 0.9 }],
      },
    ];
  },
};

async function keepInFlight(client: McpClient): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < callsInFlight) await call(client, "echo", sampleText(next++));
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
}

const slowMs = 1_000;
const parallel = 8;

export const bridgeParallel: Row = {
  name: "Bridge, parallel tools",
  async prepare(context) {
    const contenders = await connectContenders(context);
    return [
      {
        name: `Bridge, ${parallel} tools of one second at once`,
        work: `${parallel} calls`,
        unit: "ms",
        ours,
        rounds: () => 3,
        contestants: contenders.map(({ name, client }) => ({
          name,
          round: async () => [await timeOf(() => sleepSideBySide(client))],
        })),
        targets: [{ peer: unbridged, atMost: 1.2 }, { atMost: 1.5 * slowMs }],
      },
    ];
  },
};

async function sleepSideBySide(client: McpClient): Promise<void> {
  await Promise.all(Array.from({ length: parallel }, (_, index) => call(client, "sleep", `sleeper ${index}`, slowMs)));
}
