// One call at a time between two processes over a Unix socket: how long it takes to come back.
// The 99th percentile is what R14 limits to 10 ms.

import { timeOf } from "../measure.ts";
import type { Row } from "../row.ts";
import { bare, connectEchoContenders, echoOnce, ours } from "../peers/echo-contenders.ts";

const calls = 100;

export const echoRoundTrip: Row = {
  name: "Echo round trip",
  async prepare(context) {
    const contenders = await connectEchoContenders(context);
    return [
      {
        name: "Echo round trip over a Unix socket",
        work: `${calls} calls, one at a time, 200 B`,
        unit: "ms",
        ours,
        // Whether two processes share a core changes every few milliseconds, and changes the time by half.
        rounds: (usual) => usual * 10,
        contestants: contenders.map(({ name, client }) => ({
          name,
          async round() {
            const samples: number[] = [];
            for (let index = 0; index < calls; index++) samples.push(await timeOf(() => echoOnce(client, index)));
            return samples;
          },
        })),
        targets: [
          { peer: bare, atMost: 1.3 },
          { statistic: "p99", atMost: 10 },
        ],
      },
    ];
  },
};
