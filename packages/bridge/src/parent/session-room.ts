// What the connections of one session may hold together. A call or an answer that finds no room waits a little, since clients that
// read make room soon, and is then refused. So clients that never read cost a fixed amount of memory, however many they are.

import { HawserError } from "@hawser/protocol";
import { createByteBudget, createSemaphore, type Lease } from "@hawser/wire/internal";
import { bridgeLimits } from "../limits.ts";

export type SessionRoom = ReturnType<typeof createSessionRoom>;

const maxWaitMs = 5_000;

export function createSessionRoom(waitMs: number = maxWaitMs) {
  const budget = createByteBudget();
  // An answer that waits takes memory as well, so only as many may wait as one bridge makes at a time.
  const waitingAnswers = createSemaphore(bridgeLimits.bridgeConnections);

  /** Resolves when a call may begin; its arguments are held until the lease is released. Rejects with the signal's reason, too. */
  async function acquire(heldBytes: number, signal?: AbortSignal): Promise<Lease> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(overloaded()), waitMs);
    try {
      return await budget.acquire(heldBytes, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async function waitToSend(): Promise<void> {
    const seat = waitingAnswers.tryAcquire();
    if (!seat) throw overloaded();
    await acquire(0).finally(seat.release);
  }

  return {
    /** For the transports: they count what is unsent and unread. */
    budget,
    acquire,
    /** Resolves when an answer may be sent; undefined when it may be now. */
    whenSendable: () => (budget.isFull ? waitToSend() : undefined),
  };
}

const overloaded = (): HawserError =>
  new HawserError("overloaded", "too much waits for clients that do not read their answers; call again when they have");
