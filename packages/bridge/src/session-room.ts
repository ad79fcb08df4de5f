// What the connections of one session may hold together. A call begins, and an answer leaves, only while there is
// room; who finds none waits a little, since clients that read make room soon, and is then refused with
// an error that says so. Clients that never read thus cost a fixed amount of memory, not one times their number.

import { createByteBudget, HawserError, limits, untilAborted, type ByteBudget } from "@hawser/wire";

export interface SessionRoom {
  /** For the transports: they count what is unsent and unread. */
  readonly budget: ByteBudget;
  /** Resolves when a call may begin; what its arguments weigh is held until it leaves. Rejects with the signal's reason, too. */
  enter(heldBytes: number, signal: AbortSignal): Promise<{ leave(): void }>;
  /** Resolves when an answer may be sent. */
  whenSendable(): Promise<void>;
}

const maxWaitMs = 5_000;

export function createSessionRoom(waitMs: number = maxWaitMs): SessionRoom {
  const budget = createByteBudget();
  let waitingAnswers = 0;

  async function whenRoom(): Promise<void> {
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    const timer = setTimeout(() => late.reject(overloaded()), waitMs);
    try {
      // Whoever was woken first may have used it up again.
      while (budget.isFull) await Promise.race([budget.whenRoom(), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    budget,
    async enter(heldBytes, signal) {
      if (budget.isFull) await untilAborted(signal, whenRoom());
      const share = budget.openShare();
      share.set(heldBytes);
      return { leave: () => share.set(0) };
    },
    async whenSendable() {
      if (!budget.isFull) return;
      // An answer that waits takes memory as well, so only as many do as one bridge makes at a time.
      if (waitingAnswers >= limits.bridgeConnections) throw overloaded();
      waitingAnswers++;
      try {
        await whenRoom();
      } finally {
        waitingAnswers--;
      }
    },
  };
}

const overloaded = (): HawserError =>
  new HawserError("overloaded", "too much waits for clients that do not read their answers; call again when they have");
