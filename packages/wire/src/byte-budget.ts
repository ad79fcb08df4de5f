// What several connections hold together: the bound of each alone, times their number, would be no bound.
// Every holder has a share and says what it holds. Once the budget is used up, no holder should take more
// on; only one at a time may still finish what it has begun, since many halves would otherwise wait for
// each other for ever. What is held is then at most the budget and one message more.

import { limits } from "./limits.ts";

export interface Share {
  /** What this holder holds from now on; 0 gives everything back. */
  set(bytes: number): void;
  /** Whether it may take more on. If not, its `onRoom` is called when it may. */
  mayGrow(): boolean;
}

export interface ByteBudget {
  /** While it is, start no new work. */
  readonly isFull: boolean;
  whenRoom(): Promise<void>;
  openShare(onRoom?: () => void): Share;
}

interface Holder {
  bytes: number;
  onRoom(): void;
}

export function createByteBudget(maxBytes: number = limits.maxHeldBytes): ByteBudget {
  const waiting = new Set<Holder>();
  let roomWaiters: (() => void)[] = [];
  let heldBytes = 0;
  /** The one that may go on although nothing is left, until it holds nothing. */
  let favoured: Holder | undefined;

  function noticeRoom(): void {
    if (budget.isFull) {
      const [next] = waiting;
      if (favoured || !next) return;
      favoured = next;
      waiting.delete(next);
      return next.onRoom();
    }
    favoured = undefined;
    const wake = [...roomWaiters, ...[...waiting].map(({ onRoom }) => onRoom)];
    roomWaiters = [];
    waiting.clear();
    for (const resume of wake) resume();
  }

  function set(holder: Holder, bytes: number): void {
    const isLess = bytes < holder.bytes;
    heldBytes += bytes - holder.bytes;
    budget.isFull = heldBytes > maxBytes;
    holder.bytes = bytes;
    if (bytes === 0) waiting.delete(holder);
    if (bytes === 0 && favoured === holder) favoured = undefined;
    if (isLess) noticeRoom();
  }

  function mayGrow(holder: Holder): boolean {
    if (!budget.isFull || holder.bytes === 0) return true;
    favoured ??= holder;
    if (favoured === holder) return true;
    waiting.add(holder);
    return false;
  }

  // A plain member: an object with a getter stays until a full collection (decision 0031).
  const budget = {
    isFull: false,
    whenRoom: () => (budget.isFull ? new Promise<void>((resolve) => roomWaiters.push(resolve)) : Promise.resolve()),
    openShare(onRoom = () => {}): Share {
      const holder: Holder = { bytes: 0, onRoom };
      return { set: (bytes) => set(holder, bytes), mayGrow: () => mayGrow(holder) };
    },
  };
  return budget;
}
