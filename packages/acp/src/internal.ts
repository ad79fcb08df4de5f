// The Agent Client Protocol on both sides: agents of others behind the runtime, and the runtime in editors. What speaks ACP is
// loaded when it is used.

import type { ModelProvider, TurnAgent } from "@hawser/agent";
import { HawserError } from "@hawser/protocol";
import type { Transport } from "@hawser/wire";
import type { AcpAgents } from "./agents/acp-agents.ts";
import { agentNames, defineAgent, missingAgent, type ConfiguredAgents } from "./agents/known-agents.ts";
import type { ServeAcpOptions } from "./server/serve-acp.ts";

export type { ServeAcpOptions } from "./server/serve-acp.ts";

/** Our runtime as an ACP agent, for editors. */
export async function serveAcp(transport: Transport, options: ServeAcpOptions): Promise<void> {
  const server = await import("./server/serve-acp.ts");
  return server.serveAcp(transport, options);
}

export interface AcpModelsOptions {
  /** `agents` of the configuration, now. */
  agents?(): ConfiguredAgents | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The product's, for the agents to know. */
  readonly version: string;
  /** Where agents are named, for messages. */
  readonly configFile?: string | undefined;
}

/** ACP agents among the models: `acp/<name>`. */
export function createAcpModels({ agents = () => undefined, env, version, configFile }: AcpModelsOptions): ModelProvider {
  let running: Promise<AcpAgents> | undefined;
  return {
    prefix: "acp",
    get models() {
      return agentNames(agents());
    },
    missing: async (name) => missingAgent(name, { configured: agents(), env, configFile }),
    async create(name): Promise<TurnAgent> {
      const definition = defineAgent(name, agents());
      if (!definition) throw new HawserError("usage", `there is no agent ${name}`);
      running ??= import("./agents/acp-agents.ts").then(({ createAcpAgents }) => createAcpAgents({ env, version }));
      return (await running).toTurnAgent(definition);
    },
  };
}
