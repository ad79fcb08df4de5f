// What the running turns hold in memory together: their conversations, what is attached, and arguments that a model
// is sending. A turn begins only while there is room, and one after another, so that what one has opened is counted
// before the next one opens something; but a disk that hangs keeps the next one waiting for a bounded time only. Once
// all of the room is taken, one turn at a time goes on and the others wait, except those that hold little.

import { HawserError } from "@hawser/protocol";
import { createByteBudget, createSemaphore, untilAborted } from "@hawser/wire/internal";
import { agentLimits } from "../limits.ts";

export interface TurnShare {
  /** What the turn holds from now on: its conversation and what is attached. Arguments that are coming are added to it. */
  count(bytes: number): void;
  /** The same, and waits until it may hold more. */
  grow(bytes: number): Promise<void>;
  /** Counts arguments that are coming, until `endStep`. Throws `too_large` when those of one step are too long together. */
  growInput(chars: number): Promise<void>;
  endStep(): void;
  leave(): void;
}

// A conversation is there as it is, and as the text and the bytes of a request to a model.
const copies = 3;

export function createTurnMemory(maxBytes = agentLimits.agentHeldBytes, entranceMs = agentLimits.agentEntranceMs) {
  const budget = createByteBudget(maxBytes);
  const entrance = createSemaphore(1);

  return {
    /** Resolves when the turn may begin; rejects with the signal's reason. The next one may begin after the first `count`. */
    async enter(signal: AbortSignal): Promise<TurnShare> {
      const seat = await entrance.acquire(signal);
      try {
        while (budget.isFull) await untilAborted(signal, budget.whenRoom());
      } catch (error) {
        seat.release();
        throw error;
      }
      const timer = setTimeout(seat.release, entranceMs);
      const share = budget.openShare();
      let [heldBytes, inputChars] = [0, 0];

      function set(bytes: number): void {
        share.set(Math.max(0, bytes - agentLimits.agentLightBytes));
        clearTimeout(timer);
        seat.release();
      }
      function count(bytes: number): void {
        heldBytes = bytes;
        set(copies * (heldBytes + inputChars));
      }
      function grow(bytes: number): Promise<void> {
        count(bytes);
        return share.whenMayGrow(signal);
      }
      return {
        count,
        grow,
        growInput(chars) {
          inputChars += chars;
          const { agentStepInputChars } = agentLimits;
          if (inputChars > agentStepInputChars)
            throw new HawserError("too_large", `the arguments of one step are longer than ${agentStepInputChars} characters together`);
          return grow(heldBytes);
        },
        endStep: () => void (inputChars = 0),
        leave: () => set(0),
      };
    },
  };
}
