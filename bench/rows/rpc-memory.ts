// Memory of an rpc server whose host sends calls without end and reads no answer: the peak, as the
// kernel counted it. The answers that nobody reads would be a gigabyte.

import { once } from "node:events";
import { createRpcClient, prepareHawser, startServer } from "../peers/rpc-servers.ts";
import { readFirstLine, startProgram } from "../program.ts";
import type { Row } from "../row.ts";
import { settledPeakBytes } from "./stalled-reader-memory.ts";
import type { PipedChild } from "@hawser/wire/node";

const ours = "hawser rpc, nobody reads";
const calls = 5_000;

export const rpcMemory: Row = {
  name: "RPC memory behind a stalled reader",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const hawser = await prepareHawser(context);
    const url = await readFirstLine(await startProgram(context, "http-api"));
    const start = (): Promise<PipedChild> =>
      startServer(context, [...hawser, "rpc", "--gateway-url", url, "--api-key", "bench", "--workers", "16"]);
    return [
      {
        name: "Peak memory, rpc server with a stalled reader",
        work: `${calls} calls of 200 kB`,
        unit: "MB",
        ours,
        rounds: () => 1,
        contestants: [
          {
            name: ours,
            async round() {
              const server = await start();
              void sendCalls(server).catch(() => {});
              const peak = await settledPeakBytes(server.pid);
              if (!server.stdin.writableNeedDrain) throw new Error("the server took every call although nobody reads its answers");
              return [peak / 1e6];
            },
          },
          {
            name: "the same process, idle",
            async round() {
              const server = await start();
              await createRpcClient(server).request("hello");
              return [(await settledPeakBytes(server.pid)) / 1e6];
            },
          },
        ],
        targets: [{ atMost: 256 }],
      },
    ];
  },
};

async function sendCalls({ stdin }: PipedChild): Promise<void> {
  for (let id = 0; id < calls; id++) {
    const line = JSON.stringify({ id, op: "call", args: { method: "GET", path: "/large/200", query: [`pad=${"x".repeat(1_000)}`] } });
    if (!stdin.write(`${line}\n`)) await once(stdin, "drain");
  }
}
