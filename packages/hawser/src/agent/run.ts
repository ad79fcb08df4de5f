// `hawser agent`: the agent protocol on stdin and stdout.

import { serveAgent } from "@hawser/agent/internal";
import type { AgentFlags } from "./flags.ts";
import { serveRuntime } from "./serve-runtime.ts";

export const runAgent = (flags: AgentFlags): Promise<void> =>
  serveRuntime(flags, (transport, parts, lifecycle) => serveAgent(transport, parts, { lifecycle }));
