// What a command costs before it does anything: the version, and one call of an API by a process that
// is started for it, which is what a script without rpc pays for every call.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { timeOf, type Contestant } from "../measure.ts";
import { findIgw, prepareHawser } from "../peers/rpc-servers.ts";
import { readFirstLine, startProgram } from "../program.ts";
import type { Row } from "../row.ts";

const version = "hawser --version";
const oneCall = "hawser call";
const empty = "node -e 0";

export const gatewayStart: Row = {
  name: "Command start",
  async prepare(context) {
    const hawser = await prepareHawser(context);
    const url = await readFirstLine(await startProgram(context, "http-api"));
    const flags = ["call", "--gateway-url", url, "--api-key", "bench", "--method", "GET", "--path", "/one"];
    const igw = findIgw();
    const emptyProcess = untilExit(empty, [process.execPath, "-e", "0"]);
    return [
      {
        name: "Version",
        work: "spawn to exit",
        unit: "ms",
        ours: version,
        contestants: [untilExit(version, [...hawser, "--version"]), emptyProcess],
        targets: [{ peer: empty, atMost: 1.3 }],
      },
      {
        name: "One call by a process of its own",
        work: "spawn to exit",
        unit: "ms",
        ours: oneCall,
        contestants: [
          untilExit(oneCall, [...hawser, ...flags]),
          emptyProcess,
          ...(igw === undefined ? [] : [untilExit("igw call", [igw, ...flags])]),
        ],
        targets: [],
      },
    ];
  },
};

function untilExit(name: string, [program = "", ...args]: readonly string[]): Contestant {
  return {
    name,
    async round() {
      let code: unknown;
      const ms = await timeOf(async () => {
        [code] = await once(spawn(program, args, { stdio: "ignore" }), "exit");
      });
      if (code !== 0) throw new Error(`${name} ended with ${String(code)}`);
      return [ms];
    },
  };
}
