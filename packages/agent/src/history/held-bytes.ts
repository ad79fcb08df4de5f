// What all open conversations of a store hold together: the bound of one, times their number, would be none.

import { HawserError } from "@hawser/wire";

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
