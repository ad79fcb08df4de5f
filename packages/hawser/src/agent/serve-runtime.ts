// A runtime on stdin and stdout, in whatever protocol. Nothing is read from stdin before flags and configuration are known to be
// right; the first answer comes before anything heavy is loaded.

import { guardProcessFromTools, type AgentParts } from "@hawser/agent/internal";
import { wireLimits, type Transport } from "@hawser/wire";
import type { Lifecycle } from "@hawser/wire/internal/node";
import { ndjson, runStdio } from "@hawser/wire/node";
import { composeAgent } from "./compose-agent.ts";
import type { AgentFlags } from "./flags.ts";
import { keepMemorySmall } from "./small-memory.ts";

export type ServeRuntime = (transport: Transport, parts: AgentParts, lifecycle: Lifecycle) => Promise<void>;

export async function serveRuntime(flags: AgentFlags, serve: ServeRuntime): Promise<void> {
  if (flags.debugProtocol) process.env["HAWSER_DEBUG"] = [process.env["HAWSER_DEBUG"], "protocol"].filter(Boolean).join(",");
  const agent = await composeAgent(flags, { env: process.env, cwd: process.cwd() });
  guardProcessFromTools();
  return runStdio({
    codec: ndjson,
    // All of it, with the time to answer what is cancelled, is to be over within `eofGraceMs`.
    eofGraceMs: wireLimits.eofGraceMs - wireLimits.cancelGraceMs,
    async serve(transport, lifecycle) {
      const serving = serve(transport, agent.parts, lifecycle);
      setImmediate(() => {
        keepMemorySmall();
        agent.warmUp();
      });
      await serving;
      await agent.close();
    },
  });
}
