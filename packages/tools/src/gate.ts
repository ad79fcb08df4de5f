// Which calls may run now: at most `concurrency` of one tool, and one of an exclusive group. Calls wait in the order they
// came; one that is cancelled while it waits gives up its place.

import { createSemaphore, type Semaphore } from "@hawser/wire/internal";
import type { Tool } from "./define-tool.ts";

export interface Gates {
  /** Runs `action` when the tool's turn has come. */
  pass<Result>(tool: Tool, signal: AbortSignal, action: () => Promise<Result>): Promise<Result>;
}

export function createGates(): Gates {
  const byName = new Map<string, Semaphore>();

  function gateFor(name: string, seats: number): Semaphore {
    const gate = byName.get(name) ?? createSemaphore(seats);
    byName.set(name, gate);
    return gate;
  }

  return {
    pass({ name, concurrency, exclusiveGroup }, signal, action) {
      const passTool = concurrency === undefined ? action : () => gateFor(`tool:${name}`, concurrency).run(action, signal);
      return exclusiveGroup === undefined ? passTool() : gateFor(`group:${exclusiveGroup}`, 1).run(passTool, signal);
    },
  };
}
