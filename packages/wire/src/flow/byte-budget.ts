// What several connections hold together: the bound of each alone, times their number, would be no bound. Once the budget is used
// up, only one holder at a time may finish what it has begun, since many halves would otherwise wait for each other for ever.
// What is held is then at most the budget and one message more.

import { wireLimits } from "../limits.ts";
import { untilAborted, type CancelSignal } from "./cancel.ts";
import type { Lease } from "./semaphore.ts";

export interface Share {
  /** What this holder holds from now on; 0 gives everything back. */
  set(bytes: number): void;
  /** Whether it may take more on. If not, its `onRoom` is called when it may. */
  mayGrow(): boolean;
  /** Resolves when it may; rejects with the signal's reason. */
  whenMayGrow(signal?: CancelSignal): Promise<void>;
}

export interface ByteBudget {
  /** While it is, start no new work. */
  readonly isFull: boolean;
  readonly heldBytes: number;
  whenRoom(): Promise<void>;
  /** Undefined when that much more would be too much. */
  tryAcquire(bytes: number): Lease | undefined;
  /** Resolves with the bytes held, when the budget is not full; rejects with the signal's reason. */
  acquire(bytes: number, signal?: CancelSignal): Promise<Lease>;
  openShare(onRoom?: () => void): Share;
}

interface Holder {
  bytes: number;
  onRoom(): void;
}

/** What a share needs of its budget. */
interface Shares {
  set(holder: Holder, bytes: number): void;
  mayGrow(holder: Holder): boolean;
}

// A class, since each of many thousand calls has one.
class BudgetShare implements Share, Holder {
  bytes = 0;
  private waiters: (() => void)[] | undefined;
  private readonly shares: Shares;
  private readonly tellOwner: (() => void) | undefined;

  constructor(shares: Shares, tellOwner: (() => void) | undefined) {
    this.shares = shares;
    this.tellOwner = tellOwner;
  }

  set(bytes: number): void {
    this.shares.set(this, bytes);
  }

  mayGrow(): boolean {
    return this.shares.mayGrow(this);
  }

  async whenMayGrow(signal?: CancelSignal): Promise<void> {
    while (!this.mayGrow()) {
      const woken = new Promise<void>((resolve) => (this.waiters ??= []).push(resolve));
      await (signal ? untilAborted(signal, woken) : woken);
    }
  }

  onRoom(): void {
    this.tellOwner?.();
    const woken = this.waiters ?? [];
    this.waiters = undefined;
    for (const resume of woken) resume();
  }
}

export function createByteBudget(maxBytes: number = wireLimits.maxHeldBytes): ByteBudget {
  const waiting = new Set<Holder>();
  let roomWaiters: (() => void)[] = [];
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
    if (roomWaiters.length === 0 && waiting.size === 0) return;
    const wake = roomWaiters;
    const holders = [...waiting];
    roomWaiters = [];
    waiting.clear();
    for (const resume of wake) resume();
    for (const holder of holders) holder.onRoom();
  }

  function set(holder: Holder, bytes: number): void {
    const isLess = bytes < holder.bytes;
    budget.heldBytes += bytes - holder.bytes;
    budget.isFull = budget.heldBytes > maxBytes;
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

  const shares: Shares = { set, mayGrow };
  const openShare = (onRoom?: () => void): Share => new BudgetShare(shares, onRoom);

  function hold(bytes: number): Lease {
    const holder: Holder = { bytes: 0, onRoom() {} };
    set(holder, bytes);
    return { release: () => set(holder, 0) };
  }

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const budget = {
    isFull: false,
    heldBytes: 0,
    whenRoom: () => (budget.isFull ? new Promise<void>((resolve) => roomWaiters.push(resolve)) : Promise.resolve()),
    tryAcquire: (bytes: number) => (budget.heldBytes + bytes > maxBytes ? undefined : hold(bytes)),
    async acquire(bytes: number, signal?: CancelSignal): Promise<Lease> {
      // A caller that was woken first may have used the room up again.
      while (budget.isFull) await (signal ? untilAborted(signal, budget.whenRoom()) : budget.whenRoom());
      return hold(bytes);
    },
    openShare,
  };
  return budget;
}
