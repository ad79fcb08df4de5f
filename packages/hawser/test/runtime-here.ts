// Our servers in the tests' own process, as a conformance suite starts a command: put together from the same flags, on pipes of this
// process, with an end like that of a process. A suite starts its subject for every scenario, and most of a start is not about them.

import { PassThrough } from "node:stream";
import { parseArgs } from "node:util";
import { createCallCore, rpcCodec, serveRpc } from "@hawser/gateway";
import { wireLimits } from "@hawser/wire";
import { createLifecycle } from "@hawser/wire/internal/node";
import { createStreamTransport, ndjson, type RunStdioOptions } from "@hawser/wire/node";
import { composeAgent } from "../src/agent/compose-agent.ts";
import type { AgentFlags } from "../src/agent/flags.ts";
import type { ServeRuntime } from "../src/agent/serve-runtime.ts";
import { openTarget } from "../src/api-target/target.ts";
import type { StartCommand } from "../../conformance/src/command-subject.ts";

type Started = Awaited<ReturnType<StartCommand>>;

/** What `runStdio` does with the stdin and stdout of a process of its own. */
function startHere({ codec, serve, eofGraceMs = wireLimits.eofGraceMs, ...reading }: RunStdioOptions): Started {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createStreamTransport({ readable: input, writable: output, codec, ...reading });
  const lifecycle = createLifecycle();
  input.once("end", () => lifecycle.end("input-ended", eofGraceMs));
  async function run(): Promise<{ code: number; signal: null }> {
    await Promise.race([serve(transport, lifecycle), lifecycle.overdue]);
    await transport.close();
    lifecycle.dispose();
    return { code: 0, signal: null };
  }
  const exited = run();
  async function close(): Promise<void> {
    input.end();
    output.resume();
    lifecycle.end("signal", 0);
    await exited;
  }
  const kill = (): void => lifecycle.end("signal", wireLimits.signalGraceMs);
  return { input, output, process: { pid: process.pid, exited, kill }, lastWords: () => "", close };
}

/** What `serveRuntime` does. */
export function runtimeHere(flags: AgentFlags, serve: ServeRuntime): StartCommand {
  return async ({ env = process.env, cwd = process.cwd() }) => {
    const agent = await composeAgent(flags, { env: { ...env, HAWSER_KEYCHAIN: "off" }, cwd });
    return startHere({
      codec: ndjson,
      eofGraceMs: wireLimits.eofGraceMs - wireLimits.cancelGraceMs,
      async serve(transport, lifecycle) {
        await serve(transport, agent.parts, lifecycle);
        await agent.close();
      },
    });
  };
}

const rpcOptions = {
  "gateway-url": { type: "string" },
  "api-key": { type: "string" },
  "spec-file": { type: "string" },
  timeout: { type: "string", default: "50s" },
  workers: { type: "string", default: "1" },
  "queue-size": { type: "string", default: "64" },
  overflow: { type: "string" },
  "include-headers": { type: "boolean" },
} as const;

/** What `runRpc` does, with the flags that the suite gives. */
export const rpcHere: StartCommand = async ({ args = [], env }) => {
  const { values } = parseArgs({ args: [...args], options: rpcOptions });
  const { timeout, workers, "queue-size": queueSize, overflow } = values;
  const flags = { gatewayUrl: values["gateway-url"], apiKey: values["api-key"], specFile: values["spec-file"], timeout };
  const includeHeaders = values["include-headers"];
  const defined = Object.fromEntries(Object.entries({ ...flags, includeHeaders }).filter(([, value]) => value !== undefined));
  const target = await openTarget(defined);
  const core = createCallCore({ ...target.options, env, maxConnections: Number(workers) });
  return startHere({
    codec: rpcCodec,
    maxUnreadChars: 0,
    gathersTurn: true,
    async serve(transport, lifecycle) {
      const sizes = { workers: Number(workers), queueSize: Number(queueSize) };
      await serveRpc(transport, core, { version: "1.2.3", ...sizes, overflow: overflow === "reject" ? "reject" : "block", lifecycle });
      await core.close();
    },
  });
};
