// Tokens of a scripted model on their way through runtime, pipe and host client: how many arrive per second,
// and how long one takes. The peer writes the same lines without a runtime and parses them without a client.

import { timeOf, type Contestant } from "../measure.ts";
import { startBareHost, startOurHost, type Host } from "../peers/agent-hosts.ts";
import type { TokenOrder } from "../peers/token-order.ts";
import type { Row } from "../row.ts";

const ours = "hawser runtime and host client";
const bare = "bare write, split, JSON.parse";
const stream: TokenOrder = { count: 10_000, chars: 12, pauseMs: 0 };
const trickle: TokenOrder = { count: 200, chars: 0, pauseMs: 1 };

export const agentStream: Row = {
  name: "Agent stream",
  async prepare(context) {
    const hosts: readonly (readonly [string, Host])[] = [
      [ours, await startOurHost(context)],
      [bare, await startBareHost(context)],
    ];
    return [
      {
        name: "Agent: tokens from the runtime to the host's program",
        work: `${stream.count} tokens of ${stream.chars} characters`,
        unit: "messages/s",
        ours,
        rounds: (usual) => usual * 2,
        contestants: hosts.map(([name, host]) => throughput(name, host)),
        targets: [{ peer: bare, atLeast: 0.6 }],
      },
      {
        name: "Agent: the way of one token, from the model to the host's program",
        work: `${trickle.count} tokens, one per millisecond`,
        unit: "ms",
        ours,
        contestants: hosts.map(([name, host]) => latency(name, host)),
        targets: [{ atMost: 1 }],
      },
    ];
  },
};

const throughput = (name: string, host: Host): Contestant => ({
  name,
  async round() {
    let tokens = 0;
    const ms = await timeOf(() => host(stream, () => void tokens++));
    if (tokens !== stream.count) throw new Error(`${name} delivered ${tokens} of ${stream.count} tokens`);
    return [(tokens / ms) * 1e3];
  },
});

const latency = (name: string, host: Host): Contestant => ({
  name,
  async round() {
    const samples: number[] = [];
    await host(trickle, (token) => void samples.push(Number(process.hrtime.bigint() - BigInt(token)) / 1e6));
    return samples;
  },
});
