// `hawser agent`: the agent protocol on stdin and stdout. Nothing is read from stdin before flags and
// configuration are known to be right; `ready` comes before anything heavy is loaded.

import { guardProcessFromTools, serveAgent } from "@hawser/agent";
import { ndjson, runStdio } from "@hawser/wire/node";
import type { AgentFlags } from "./agent-flags.ts";
import { composeAgent } from "./compose-agent.ts";

export async function runAgent(flags: AgentFlags): Promise<void> {
  if (flags.debugProtocol) process.env["HAWSER_DEBUG"] = [process.env["HAWSER_DEBUG"], "protocol"].filter(Boolean).join(",");
  const agent = await composeAgent(flags, { env: process.env, cwd: process.cwd() });
  guardProcessFromTools();
  return runStdio({
    codec: ndjson,
    async serve(transport, lifecycle) {
      const serving = serveAgent(transport, agent.parts, { lifecycle });
      // Once `ready` is out.
      setImmediate(agent.warmUp);
      await serving;
      await agent.close();
    },
  });
}
