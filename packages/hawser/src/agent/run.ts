// `hawser agent`: the agent protocol on stdin and stdout, or for the hosts of a fleet.

import { serveAgent } from "@hawser/agent/internal";
import { checkFleetFlags } from "../fleet/flags.ts";
import type { AgentFlags } from "./flags.ts";
import { serveRuntime } from "./serve-runtime.ts";

export async function runAgent(flags: AgentFlags): Promise<void> {
  checkFleetFlags(flags);
  if (flags.fleet !== undefined) return (await import("./run-fleet.ts")).runFleetAgent(flags);
  return serveRuntime(flags, (transport, parts, lifecycle) => serveAgent(transport, parts, { lifecycle }));
}
