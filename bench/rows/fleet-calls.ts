// A call of a tool on another machine, over a NATS server on loopback, beside a bare request of NATS with the same message and the
// same answer: what discovery, the check of arguments, signs of life and the one end of every call cost.

import { connectFleet, createFleetCalls, findServer, startServer, watchTools } from "@hawser/fleet/internal";
import { timeOf } from "../measure.ts";
import { createTemporaryDirectory, readFirstLine, startProgram } from "../program.ts";
import type { Row } from "../row.ts";

const [ours, bare] = ["hawser fleet", "bare NATS request"];
const calls = 100;
const note = "the rope ties a ship to its quay while tide and wind pull";
const toParams = (index: number) => ({ name: "echo", arguments: { path: "src/harbour/moorings.ts", from: 120, to: 160, note, index } });

export const fleetCalls: Row = {
  name: "Fleet tool call",
  async prepare(context) {
    const server = await startServer({ program: await findServer(), folder: createTemporaryDirectory(context), port: 0 });
    context.defer(() => server.stop());
    await readFirstLine(await startProgram(context, "fleet-tools", { args: [server.address] }));
    const fleet = await connectFleet({ servers: server.address }, "bench");
    context.defer(() => fleet.close());
    const { call } = createFleetCalls(fleet, "bench", await watchTools(fleet, "bench"));
    const { signal } = new AbortController();
    const silent = { signal, onProgress: () => {}, onLog: () => {} };

    const ask: Record<string, (index: number) => Promise<unknown>> = {
      [ours]: async (index) => (await call({ params: toParams(index), ...silent })).result.structuredContent,
      [bare]: async (index) => {
        const request = JSON.stringify({ method: "call_tool", params: toParams(index) });
        const answer = await fleet.connection.request("bench.bare", request, { timeout: 60_000 });
        return answer.json<{ result: { structuredContent: unknown } }>().result.structuredContent;
      },
    };
    const contestants = Object.entries(ask).map(([name, askOnce]) => ({
      name,
      async round() {
        const samples: number[] = [];
        for (let index = 0; index < calls; index++) {
          let answer: unknown;
          samples.push(
            await timeOf(async () => {
              answer = await askOnce(index);
            }),
          );
          if ((answer as { index?: unknown } | undefined)?.index !== index) throw new Error("a call came back with another answer");
        }
        return samples;
      },
    }));
    return [
      {
        name: "Tool call over a NATS server",
        work: `${calls} calls, one at a time, 200 B`,
        unit: "ms",
        ours,
        rounds: (usual) => usual * 5,
        contestants,
        targets: [{ peer: bare, atMost: 2 }],
      },
    ];
  },
};
