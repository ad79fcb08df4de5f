// Who may run now: at most `concurrency` calls of one tool, and one call of an exclusive group.
// Calls wait in the order they came; one that is cancelled while it waits gives up its place.

import type { Tool } from "../define-tool.ts";
import { createPlaces, type Places } from "../places.ts";

export interface Gates {
  /** Runs `action` when the tool's turn has come. */
  pass<Result>(tool: Tool, signal: AbortSignal, action: () => Promise<Result>): Promise<Result>;
}

export function createGates(): Gates {
  const byName = new Map<string, Places>();

  function gateFor(name: string, count: number): Places {
    const gate = byName.get(name) ?? createPlaces(count);
    byName.set(name, gate);
    return gate;
  }

  return {
    async pass(tool, signal, action) {
      const gates = [
        ...(tool.exclusiveGroup === undefined ? [] : [gateFor(`group:${tool.exclusiveGroup}`, 1)]),
        ...(tool.concurrency === undefined ? [] : [gateFor(`tool:${tool.name}`, tool.concurrency)]),
      ];
      const held: Places[] = [];
      try {
        for (const gate of gates) {
          await gate.enter(signal);
          held.push(gate);
        }
        return await action();
      } finally {
        for (const gate of held) gate.leave();
      }
    },
  };
}
