// Memory of an agent runtime, as the kernel counted its peak: with a hundred conversations behind it, and
// with a gigabyte of tokens to come for a host that does not read.

import type { PipedChild } from "@hawser/wire/node";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Contestant } from "../measure.ts";
import { untilReady } from "../peers/agent-hosts.ts";
import { prepareHawser, startServer } from "../peers/rpc-servers.ts";
import type { TokenOrder } from "../peers/token-order.ts";
import { createTemporaryDirectory, startProgram } from "../program.ts";
import type { Row, RowContext } from "../row.ts";
import { settledPeakBytes } from "./stalled-reader-memory.ts";

const conversations = 100;
const turnsEach = 5;
const busy = `hawser agent, ${conversations} conversations`;
const stalled = "hawser runtime, nobody reads";
// As many turns as may run at the same time, each nearly as long as one may be: one gigabyte.
const stalledTurns = 64;
const order: TokenOrder = { count: 255, chars: 65_536, pauseMs: 0 };

export const agentMemory: Row = {
  name: "Agent memory",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const hawser = await prepareHawser(context);
    const shared = { unit: "MB", rounds: () => 1, targets: [{ atMost: 256 }] } as const;
    const startAgent = (): Promise<PipedChild> => {
      const folder = createTemporaryDirectory(context);
      return startServer(context, [...hawser, "agent", "--model", "offline", "--root", folder, "--data-dir", folder]);
    };
    return [
      {
        ...shared,
        name: "Peak memory, agent with 100 conversations",
        work: `${turnsEach} turns in each of ${conversations} conversations, on disk`,
        ours: busy,
        contestants: [peakOf(busy, startAgent, talk), peakOf("the same process, idle", startAgent)],
      },
      {
        ...shared,
        name: "Peak memory, agent with a stalled reader",
        work: `${stalledTurns} turns of ${Math.round((order.count * order.chars) / 1e6)} MB at once`,
        ours: stalled,
        contestants: await stalledContestants(context),
      },
    ];
  },
};

async function stalledContestants(context: RowContext): Promise<Contestant[]> {
  const env = { NODE_COMPILE_CACHE: createTemporaryDirectory(context) };
  const start = (): Promise<PipedChild> => startProgram(context, "agent-stream", { env });
  // Once before it counts, so that what is measured does not include the compiler.
  await peakOf("", start).round();
  return [peakOf(stalled, start, askForMuch), peakOf("the same process, idle", start)];
}

function peakOf(name: string, start: () => Promise<PipedChild>, work?: (agent: PipedChild) => Promise<void>): Contestant {
  return {
    name,
    async round() {
      const agent = await start();
      if (work) await work(agent);
      else await untilReady(agent);
      const peak = await settledPeakBytes(agent.pid);
      await agent.stop();
      return [peak / 1e6];
    },
  };
}

async function talk({ stdin, stdout }: PipedChild): Promise<void> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  for (let turn = 0; turn < conversations * turnsEach; turn++) {
    const metadata = { conversationId: `bench-${turn % conversations}` };
    stdin.write(`${JSON.stringify({ id: `t${turn}`, kind: "user_message", message: "what can you do?", metadata })}\n`);
    for (let isOver = false; !isOver;) {
      const { value, done } = await lines.next();
      if (done || /"type":"error"/.test(value)) throw new Error(`a turn failed: ${value}`);
      isOver = /"type":"done"/.test(value);
    }
  }
}

async function askForMuch({ stdin, stdout }: PipedChild): Promise<void> {
  for (let turn = 0; turn < stalledTurns; turn++) {
    const metadata = { conversationId: `bench-${turn}` };
    const line = JSON.stringify({ id: `t${turn}`, kind: "user_message", message: JSON.stringify(order), metadata });
    if (!stdin.write(`${line}\n`)) await once(stdin, "drain");
  }
  // Bytes wait in the pipe: a process that never began to send would look modest, too.
  await once(stdout, "readable");
}
