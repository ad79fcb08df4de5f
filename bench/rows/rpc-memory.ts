// Memory of an rpc server, the peak as the kernel counted it: of one whose host sends calls without end and reads no answer,
// which would be a gigabyte of them, and of one that makes many large calls with many workers.

import { once } from "node:events";
import { createRpcClient, prepareHawser, startServer, type RpcClient } from "../peers/rpc-servers.ts";
import { readFirstLine, startProgram } from "../program.ts";
import type { Row } from "../row.ts";
import { settledPeakBytes } from "./stalled-reader-memory.ts";
import type { PipedChild } from "@hawser/wire/node";

const ours = "hawser rpc, nobody reads";
const busy = "hawser rpc, 64 workers";
const calls = 5_000;

export const rpcMemory: Row = {
  name: "RPC memory",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const hawser = await prepareHawser(context);
    const url = await readFirstLine(await startProgram(context, "http-api"));
    const start = (workers = 16): Promise<PipedChild> =>
      startServer(context, [...hawser, "rpc", "--gateway-url", url, "--api-key", "bench", "--workers", String(workers)]);
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
      {
        name: "Peak memory, rpc server with much input",
        work: `${calls} calls with bodies of 20 kB, 100 MB together`,
        unit: "MB",
        ours: busy,
        rounds: (usual) => Math.ceil(usual / 5),
        contestants: [
          {
            name: busy,
            async round() {
              const server = await start(64);
              await makeCalls(createRpcClient(server));
              const peak = await settledPeakBytes(server.pid);
              await server.stop();
              return [peak / 1e6];
            },
          },
        ],
        targets: [{ atMost: 220 }],
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

/** All at once: the pipe holds back what the server does not take yet. */
async function makeCalls(client: RpcClient): Promise<void> {
  const item = { method: "POST", path: "/things", yes: true, body: { text: "x".repeat(20_000) } };
  const answers = await Promise.all(Array.from({ length: calls }, () => client.request("call", item)));
  if (answers.some(({ ok }) => !ok)) throw new Error("a call failed");
}
