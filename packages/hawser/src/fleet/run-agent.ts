// `hawser fleet agent`: an agent of this machine, or with `--shared` of the fleet's runtimes, for Synadia's agent SDKs, until it is told
// to stop. The program that prompts can't be asked whether a tool may run: what would ask is denied.

import { hostname, userInfo } from "node:os";
import type { SpawnedAgent } from "@hawser/agent/host";
import { servePrompts, type AnswerPrompt } from "@hawser/fleet/internal";
import { logLine, runUntilStopped } from "@hawser/wire/internal/node";
import { checkHostFlags, type AgentFlags } from "../agent/flags.ts";
import { startRuntime, withoutAnybodyToAsk } from "../chat/start-agent.ts";
import { readVersion } from "../command-line/launcher.ts";
import { defaultServers, type FleetFlags } from "./flags.ts";
import { serveUntilTold } from "./serve-until-told.ts";
import { withFleet } from "./with-fleet.ts";

export interface FleetAgentFlags extends AgentFlags, FleetFlags {
  readonly name?: string;
  readonly owner?: string;
  readonly shared?: boolean;
}

export const runAgent = (flags: FleetAgentFlags): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    const { fleet: servers = defaultServers, name: session = "default", owner = toOwner() } = flags;
    await withFleet(flags, `hawser fleet agent ${session}`, async (fleet) => {
      const agent = await startRuntime({ flags: toRuntimeFlags(flags, servers), env: {} }, logLine);
      try {
        const answer = answerBy(agent, `fleet-${owner}-${session}`);
        const served = await servePrompts(fleet, { owner, session, version: readVersion(), machine: hostname(), answer });
        logLine(`hawser: answers prompts at ${served.subject} on ${fleet.servers} until Ctrl-C`);
        await serveUntilTold(fleet, stopping, served);
      } finally {
        await agent.close();
      }
    });
  });

/** Of a runtime of our own, or of a host of the fleet's runtimes. Throws `usage` for flags that are theirs. */
function toRuntimeFlags(flags: FleetAgentFlags, servers: string): AgentFlags {
  const { fleet: _, ...own } = flags;
  if (!flags.shared) return { ...own, permissions: withoutAnybodyToAsk(flags) };
  checkHostFlags({ ...flags, fleet: servers });
  return { ...flags, fleet: servers };
}

/** All prompts are one conversation, as the protocol has it. */
const answerBy =
  (agent: SpawnedAgent, conversationId: string): AnswerPrompt =>
  async (message, { signal, say }) => {
    const turn = agent.send({ message, metadata: { conversationId } }, { signal, onPermission: () => "deny" });
    for await (const event of turn) if (event.type === "token") say(event.token);
  };

/** The user's name as the protocol can carry it. */
const toOwner = (): string =>
  userInfo()
    .username.toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .slice(0, 32) || "somebody";
