// Agents of others behind the runtime. What speaks ACP is loaded when the first of them is used.

import type { ModelProvider, TurnAgent } from "@hawser/agent";
import type { AcpAgents } from "./agents/acp-agents.ts";
import { agentNames, defineAgent, missingAgent, type ConfiguredAgents } from "./agents/known-agents.ts";
import { HawserError } from "@hawser/protocol";

export interface AcpModelsOptions {
  /** `agents` of the configuration. */
  readonly agents?: ConfiguredAgents | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The product's, for the agents to know. */
  readonly version: string;
}

/** ACP agents among the models: `acp/<name>`. */
export function createAcpModels({ agents, env, version }: AcpModelsOptions): ModelProvider {
  let running: Promise<AcpAgents> | undefined;
  return {
    prefix: "acp",
    models: agentNames(agents),
    missing: async (name) => missingAgent(name, agents, env),
    async create(name): Promise<TurnAgent> {
      const definition = defineAgent(name, agents);
      if (!definition) throw new HawserError("usage", `there is no agent ${name}`);
      running ??= import("./agents/acp-agents.ts").then(({ createAcpAgents }) => createAcpAgents({ env, version }));
      return (await running).toTurnAgent(definition);
    },
  };
}
