// All agents of a runtime that are reached through ACP: one process for each conversation that uses one, bounded in number.
// One that is idle for long, or has to make room, is ended; its next turn starts it again.

import { isDeepStrictEqual } from "node:util";
import type { AgentPlace, TurnAgent } from "@hawser/agent";
import { HawserError } from "@hawser/protocol";
import { acpLimits } from "../limits.ts";
import type { AgentDefinition } from "./known-agents.ts";
import { createLiveAgent, type LiveAgent, type LiveAgentOptions } from "./live-agent.ts";

interface HeldAgent {
  readonly key: string;
  readonly definition: AgentDefinition;
  readonly live: LiveAgent;
  /** Turns and other work that is being done with it. */
  users: number;
  timer: NodeJS.Timeout | undefined;
}

export type AcpAgents = ReturnType<typeof createAcpAgents>;

export function createAcpAgents(given: Pick<LiveAgentOptions, "env" | "version">) {
  /** In the order of last use. */
  const held = new Map<string, HeldAgent>();

  async function drop(agent: HeldAgent): Promise<void> {
    clearTimeout(agent.timer);
    if (held.get(agent.key) === agent) held.delete(agent.key);
    await agent.live.stop();
  }

  async function hold(definition: AgentDefinition, conversationId: string): Promise<HeldAgent> {
    const key = keyOf(definition, conversationId);
    const known = held.get(key);
    // The configuration has changed since; one that is at work goes on as it began.
    if (known && known.users === 0 && !isDeepStrictEqual(known.definition, definition)) {
      await drop(known);
      return hold(definition, conversationId);
    }
    if (known) {
      clearTimeout(known.timer);
      known.users++;
      held.delete(key);
      held.set(key, known);
      return known;
    }
    const leaving = held.size < acpLimits.acpProcessEntries ? undefined : [...held.values()].find(({ users }) => users === 0);
    if (held.size >= acpLimits.acpProcessEntries && !leaving)
      throw new HawserError("overloaded", `${acpLimits.acpProcessEntries} agents are at work; retry when one finishes`);
    const agent: HeldAgent = { key, definition, live: createLiveAgent({ ...given, agent: definition }), users: 1, timer: undefined };
    // Before its place is free: nothing else takes it meanwhile.
    held.set(key, agent);
    if (leaving) await drop(leaving);
    return agent;
  }

  async function use<Result>(
    definition: AgentDefinition,
    place: AgentPlace,
    action: (live: LiveAgent) => Promise<Result>,
  ): Promise<Result> {
    const agent = await hold(definition, place.conversationId);
    try {
      return await action(agent.live);
    } finally {
      agent.users--;
      if (agent.users === 0) agent.timer = setTimeout(() => void drop(agent), acpLimits.acpIdleMs).unref();
    }
  }

  return {
    /** The agent as the runtime knows it. Nothing is started before its first turn. */
    toTurnAgent: (definition: AgentDefinition): TurnAgent => ({
      name: definition.name,
      run: (turn) => use(definition, turn, (live) => live.run(turn)),
      runningSession: ({ conversationId, sessionId }) =>
        held.get(keyOf(definition, conversationId))?.live.runs(sessionId) ? sessionId : undefined,
      options: (place) => use(definition, place, (live) => live.options(place)),
      setOption: (place, optionId, value) => use(definition, place, (live) => live.setOption(place, optionId, value)),
      async release(conversationId) {
        const agent = held.get(keyOf(definition, conversationId));
        if (agent) await drop(agent);
      },
      async close() {
        await Promise.allSettled([...held.values()].map(drop));
      },
    }),
  };
}

const keyOf = ({ name }: AgentDefinition, conversationId: string): string => JSON.stringify([name, conversationId]);
