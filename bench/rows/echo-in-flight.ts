// Many calls at a time between two processes over a Unix socket: how many come back per second.
// The target is that of a single call, which may take 1.3 times as long as a bare one.

import { timeOf } from "../measure.ts";
import type { EchoClient } from "../peers/echo-clients.ts";
import type { Row } from "../row.ts";
import { bare, connectEchoContenders, echoOnce, ours } from "../peers/echo-contenders.ts";

const inFlight = 16;
const calls = 1_000;

export const echoInFlight: Row = {
  name: "Echo with 16 in flight",
  async prepare(context) {
    const contenders = await connectEchoContenders(context);
    return [
      {
        name: "Echo with 16 calls in flight",
        work: `${calls} calls, 200 B`,
        unit: "calls/s",
        ours,
        rounds: (usual) => usual * 4,
        contestants: contenders.map(({ name, client }) => ({
          name,
          round: async () => [(calls / (await timeOf(() => keepInFlight(client)))) * 1e3],
        })),
        targets: [{ peer: bare, atLeast: 1 / 1.3 }],
      },
    ];
  },
};

/** Sixteen loops that share one counter: each sends its next call when its last one is back. */
async function keepInFlight(client: EchoClient): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < calls) await echoOnce(client, next++);
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
}
