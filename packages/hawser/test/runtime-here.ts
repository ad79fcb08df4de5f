// Our runtime in the tests' own process, as a conformance suite starts a command: put together from the same flags, on pipes of this
// process, with an end like that of a process. A suite starts its subject for every scenario, and most of a start is not about them.

import { PassThrough } from "node:stream";
import { wireLimits } from "@hawser/wire";
import { createLifecycle } from "@hawser/wire/internal/node";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import { composeAgent } from "../src/agent/compose-agent.ts";
import type { AgentFlags } from "../src/agent/flags.ts";
import type { ServeRuntime } from "../src/agent/serve-runtime.ts";
import type { StartCommand } from "../../conformance/src/command-subject.ts";

/** What `serveRuntime` does in a process of its own. */
export function runtimeHere(flags: AgentFlags, serve: ServeRuntime): StartCommand {
  return async ({ env = process.env, cwd = process.cwd() }) => {
    const agent = await composeAgent(flags, { env: { ...env, HAWSER_KEYCHAIN: "off" }, cwd });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const transport = createStreamTransport({ readable: input, writable: output, codec: ndjson });
    const lifecycle = createLifecycle();
    input.once("end", () => lifecycle.end("input-ended", wireLimits.eofGraceMs - wireLimits.cancelGraceMs));
    async function run(): Promise<{ code: number; signal: null }> {
      await Promise.race([serve(transport, agent.parts, lifecycle).then(() => agent.close()), lifecycle.overdue]);
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
  };
}
