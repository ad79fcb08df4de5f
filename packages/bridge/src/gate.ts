// Who may run now: at most `concurrency` calls of one tool, and one call of an exclusive group.
// Calls wait in the order they came; one that is cancelled while it waits gives up its place.

import { untilAborted, type Tool } from "@hawser/wire";

export interface Gates {
  /** Runs `action` when the tool's turn has come. */
  pass<Result>(tool: Tool, signal: AbortSignal, action: () => Promise<Result>): Promise<Result>;
}

export function createGates(): Gates {
  const byName = new Map<string, Gate>();

  function gateFor(name: string, places: number): Gate {
    const gate = byName.get(name) ?? createGate(places);
    byName.set(name, gate);
    return gate;
  }

  return {
    async pass(tool, signal, action) {
      const gates = [
        ...(tool.exclusiveGroup === undefined ? [] : [gateFor(`group:${tool.exclusiveGroup}`, 1)]),
        ...(tool.concurrency === undefined ? [] : [gateFor(`tool:${tool.name}`, tool.concurrency)]),
      ];
      const held: Gate[] = [];
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

interface Gate {
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
}

function createGate(places: number): Gate {
  const waiting = new Set<() => void>();
  let free = places;
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return;
      }
      const turn = Promise.withResolvers<void>();
      const admit = (): void => turn.resolve();
      waiting.add(admit);
      try {
        await untilAborted(signal, turn.promise);
      } catch (error) {
        // Admitted and cancelled in the same moment: the place goes to the next one.
        if (!waiting.delete(admit)) this.leave();
        throw error;
      }
    },
    leave() {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else {
        free++;
      }
    },
  };
}
