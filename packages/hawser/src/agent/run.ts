// `hawser agent`: the agent protocol on stdin and stdout. Nothing is read from stdin before flags and
// configuration are known to be right; `ready` comes before anything heavy is loaded.

import { guardProcessFromTools, serveAgent } from "@hawser/agent/internal";
import { wireLimits } from "@hawser/wire";
import { ndjson, runStdio } from "@hawser/wire/node";
import { composeAgent } from "./compose-agent.ts";
import type { AgentFlags } from "./flags.ts";
import { keepMemorySmall } from "./small-memory.ts";

export async function runAgent(flags: AgentFlags): Promise<void> {
  if (flags.debugProtocol) process.env["HAWSER_DEBUG"] = [process.env["HAWSER_DEBUG"], "protocol"].filter(Boolean).join(",");
  const agent = await composeAgent(flags, { env: process.env, cwd: process.cwd() });
  guardProcessFromTools();
  return runStdio({
    codec: ndjson,
    // All of it, with the time to answer what is cancelled, is to be over within `eofGraceMs`.
    eofGraceMs: wireLimits.eofGraceMs - wireLimits.cancelGraceMs,
    async serve(transport, lifecycle) {
      const serving = serveAgent(transport, agent.parts, { lifecycle });
      // Once `ready` is out.
      setImmediate(() => {
        keepMemorySmall();
        agent.warmUp();
      });
      await serving;
      await agent.close();
    },
  });
}
