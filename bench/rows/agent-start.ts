// What a host waits for when it starts an agent: from the spawn to `ready`, with the offline model.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { timeOf, type Contestant } from "../measure.ts";
import { untilReady } from "../peers/agent-hosts.ts";
import { prepareHawser } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row } from "../row.ts";

const ours = "hawser agent";
const empty = "node -e 0";

export const agentStart: Row = {
  name: "Agent start",
  async prepare(context) {
    const hawser = await prepareHawser(context);
    const folder = createTemporaryDirectory(context);
    const command = [...hawser, "agent", "--model", "offline", "--root", folder, "--data-dir", folder];
    return [
      {
        name: "Agent start",
        work: "spawn to `ready`",
        unit: "ms",
        ours,
        contestants: [untilReadyLine(command), emptyProcess],
        targets: [],
      },
    ];
  },
};

const untilReadyLine = ([program = "", ...args]: readonly string[]): Contestant => ({
  name: ours,
  async round() {
    const agent = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    const exited = once(agent, "exit");
    const ms = await timeOf(() => untilReady(agent));
    agent.stdin.end();
    await exited;
    return [ms];
  },
});

const emptyProcess: Contestant = {
  name: empty,
  round: async () => [await timeOf(async () => void (await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")))],
};
