// The bounds of a store, by the names they have among the limits; a store may be given others. And what all of
// its open conversations hold together: the bound of one, times their number, would be none.

import { HawserError, limits } from "@hawser/wire";

export type StoreLimits = Pick<
  typeof limits,
  "maxConversationBytes" | "maxOpenConversationBytes" | "maxJournalBytes" | "journalSlackBytes" | "listedConversationEntries"
>;

export const toStoreLimits = (given: Partial<StoreLimits> = {}): StoreLimits => ({ ...limits, ...given });

export interface HeldBytes {
  /** Throws `overloaded` when so much more would be too much. */
  checkRoom(bytes: number): void;
  /** Negative to give back. */
  take(bytes: number): void;
}

export function createHeldBytes(maxBytes: number): HeldBytes {
  let heldBytes = 0;
  return {
    checkRoom(bytes) {
      if (heldBytes + bytes <= maxBytes) return;
      const message = `the open conversations hold ${heldBytes} bytes together; the limit is ${maxBytes}. Close or delete one first`;
      throw new HawserError("overloaded", message, { facts: { heldBytes, maxBytes } });
    },
    take(bytes) {
      heldBytes += bytes;
    },
  };
}
