// A tool call through bridge and socket beside the same tool in a server without a bridge: one at a
// time, sixteen at a time, and eight that take a second each. The targets are for the official client,
// whose own work all servers pay; the bare client shows what is left when that is taken away. The relay
// passes calls on to a program that echoes them, without library and checks: no bridge can be faster.

import { timeOf } from "../measure.ts";
import { prepareBridgeServers, type ServerCommand } from "../peers/bridge-servers.ts";
import { connectBareClient, connectOfficialClient, type McpClient } from "../peers/mcp-client.ts";
import type { Case, Row, RowContext, Target } from "../row.ts";

const ours = "hawser bridge";
const unbridged = "unbridged server, same library";
const relay = "relay of a few lines, echoing program (bound)";

interface Contender {
  readonly name: string;
  readonly client: McpClient;
}

type Connect = (command: ServerCommand) => Promise<McpClient>;

async function connectContenders(context: RowContext, connect: Connect): Promise<Contender[]> {
  const servers = await prepareBridgeServers(context);
  const contenders: Contender[] = [];
  for (const [name, command] of [
    [ours, servers.warm],
    [unbridged, servers.unbridged],
    [relay, servers.relay],
  ] as const) {
    const client = await connect(command);
    context.defer(() => client.close());
    contenders.push({ name, client });
  }
  return contenders;
}

/** An answer that belongs to another call is no answer. */
async function call(client: McpClient, name: string, text: string, ms = 0): Promise<void> {
  const result = (await client.callTool(name, { text, ms })) as { content?: { text?: string }[] };
  if (result.content?.[0]?.text !== text) throw new Error("a call came back with another answer");
}

const sampleText = (index: number): string => `line ${index}: the rope ties a ship to its quay while tide and wind pull at both ends of it`;

const callsPerRound = 100;

export const bridgeRoundTrip: Row = {
  name: "Bridge round trip",
  async prepare(context) {
    return [
      roundTrip("Bridge round trip, official client", await connectContenders(context, connectOfficialClient), [
        { peer: unbridged, atMost: 1.5 },
        { statistic: "p99", atMost: 10 },
      ]),
      roundTrip("Bridge round trip, bare client", await connectContenders(context, connectBareClient), []),
    ];
  },
};

function roundTrip(name: string, contenders: readonly Contender[], targets: readonly Target[]): Case {
  return {
    name,
    work: `${callsPerRound} calls, one at a time`,
    unit: "ms",
    ours,
    rounds: (usual) => usual * 10,
    contestants: contenders.map(({ name: contestant, client }) => ({
      name: contestant,
      async round() {
        const samples: number[] = [];
        for (let index = 0; index < callsPerRound; index++) samples.push(await timeOf(() => call(client, "echo", sampleText(index))));
        return samples;
      },
    })),
    targets,
  };
}

const inFlight = 16;
const callsInFlight = 1_000;

export const bridgeInFlight: Row = {
  name: "Bridge with 16 in flight",
  async prepare(context) {
    return [
      throughput("Bridge with 16 calls in flight, official client", await connectContenders(context, connectOfficialClient), [
        { peer: unbridged, atLeast: 0.75 },
      ]),
      throughput("Bridge with 16 calls in flight, bare client", await connectContenders(context, connectBareClient), []),
    ];
  },
};

function throughput(name: string, contenders: readonly Contender[], targets: readonly Target[]): Case {
  return {
    name,
    work: `${callsInFlight} calls`,
    unit: "calls/s",
    ours,
    rounds: (usual) => usual * 4,
    contestants: contenders.map(({ name: contestant, client }) => ({
      name: contestant,
      round: async () => [(callsInFlight / (await timeOf(() => keepInFlight(client)))) * 1e3],
    })),
    targets,
  };
}

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
    const contenders = await connectContenders(context, connectOfficialClient);
    const sleepSideBySide = async (client: McpClient): Promise<void> => {
      await Promise.all(Array.from({ length: parallel }, (_, index) => call(client, "sleep", `sleeper ${index}`, slowMs)));
    };
    return [
      {
        name: `Bridge, ${parallel} tools of one second at once`,
        work: `${parallel} calls`,
        unit: "ms",
        ours,
        rounds: () => 3,
        contestants: contenders.map(({ name, client }) => ({ name, round: async () => [await timeOf(() => sleepSideBySide(client))] })),
        targets: [{ peer: unbridged, atMost: 1.2 }, { atMost: 1.5 * slowMs }],
      },
    ];
  },
};
