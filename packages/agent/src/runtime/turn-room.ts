// What the running turns hold in memory together: their conversations and what is attached. A turn begins only
// while there is room, and one after the other, so that what one has opened is counted before the next one
// opens something; but nobody waits long for a disk that hangs. Once all of the room is taken, one turn at a time
// goes on and the others wait: those that hold little never do.

import { createByteBudget, limits, untilAborted } from "@hawser/wire";

export interface TurnRoom {
  /** Resolves when the turn may begin; rejects with the signal's reason. The next one may begin after the first `hold`. */
  enter(signal: AbortSignal): Promise<TurnPlace>;
}

export interface TurnPlace {
  /** What the turn holds from now on. */
  hold(bytes: number): void;
  /** Resolves when it may hold more; rejects with the signal's reason. */
  whenMayGrow(signal: AbortSignal): Promise<void>;
  leave(): void;
}

export function createTurnRoom(maxBytes: number = limits.agentHeldBytes, entranceMs: number = limits.agentEntranceMs): TurnRoom {
  const budget = createByteBudget(maxBytes);
  let entrance: Promise<void> = Promise.resolve();

  return {
    async enter(signal) {
      const before = entrance;
      const { promise, resolve } = Promise.withResolvers<void>();
      entrance = promise;
      const whenFree = before.then(() => budget.whenRoom());
      try {
        await untilAborted(signal, whenFree);
      } catch (error) {
        // Whoever waits behind it has still to wait for those before it.
        void before.then(resolve);
        throw error;
      }
      const timer = setTimeout(resolve, entranceMs);
      return createPlace(budget, () => {
        clearTimeout(timer);
        resolve();
      });
    },
  };
}

function createPlace(budget: ReturnType<typeof createByteBudget>, letNextIn: () => void): TurnPlace {
  let waiting: (() => void)[] = [];
  const share = budget.openShare(() => {
    for (const goOn of waiting) goOn();
    waiting = [];
  });
  return {
    hold(bytes) {
      share.set(Math.max(0, bytes - limits.agentLightBytes));
      letNextIn();
    },
    async whenMayGrow(signal) {
      while (!share.mayGrow()) await untilAborted(signal, new Promise<void>((resolve) => waiting.push(resolve)));
    },
    leave() {
      share.set(0);
      letNextIn();
    },
  };
}
