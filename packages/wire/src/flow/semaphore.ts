// A fixed number of seats, first come, first served; a caller that is cancelled while it waits leaves the line. How many may wait
// can be bounded, so that a reader can stop (`whenRoom`) before the line is too long.

import { HawserError } from "@hawser/protocol";
import type { CancelSignal } from "./cancel.ts";

export interface Lease {
  /** Gives the seat or the bytes back. Calling it again does nothing. */
  release(): void;
}

export interface SemaphoreOptions {
  /** How many may wait; unbounded unless given. */
  readonly maxWaiting?: number | undefined;
  /** What those with a seat may weigh together; one alone may weigh more. Unbounded unless given. */
  readonly maxWeight?: number | undefined;
}

export interface Semaphore {
  /** Seats that are taken. */
  readonly used: number;
  readonly waiting: number;
  /** No seat is free, and no more may wait for one. */
  readonly isFull: boolean;
  tryAcquire(weight?: number): Lease | undefined;
  /** Rejects with the signal's reason, with the one of `close`, or with `overloaded` when the line is full. */
  acquire(signal?: CancelSignal, weight?: number): Promise<Lease>;
  /** Runs the action on a seat of its own. */
  run<Result>(action: () => Promise<Result>, signal?: CancelSignal): Promise<Result>;
  /** Resolves when `acquire` would take one more. */
  whenRoom(): Promise<void>;
  /** Refuses those who wait and those who come; leases that are out stay valid. */
  close(reason: Error): void;
}

interface Waiter {
  readonly weight: number;
  admit(): void;
  refuse(reason: Error): void;
}

/** `seats` may be a function where their number changes while they are used. */
export function createSemaphore(seats: number | (() => number), options: SemaphoreOptions = {}): Semaphore {
  const { maxWaiting = Infinity, maxWeight = Infinity } = options;
  const seatCount = typeof seats === "function" ? seats : () => seats;
  for (const [what, count] of [["seats", seatCount()] as const, ["maxWaiting", maxWaiting] as const])
    if (!(count >= (what === "seats" ? 1 : 0))) throw new HawserError("usage", `${what} must be a whole number, not ${count}`);
  // A Set keeps the order of arrival and drops a waiter in constant time.
  const line = new Set<Waiter>();
  let roomWaiters: (() => void)[] = [];
  let closedBy: Error | undefined;
  let usedWeight = 0;

  const isSeatFree = (weight: number): boolean =>
    semaphore.used < seatCount() && (semaphore.used === 0 || usedWeight + weight <= maxWeight);

  function take(weight: number): Lease {
    semaphore.used++;
    usedWeight += weight;
    noticeRoom();
    let isOut = true;
    return {
      release() {
        if (!isOut) return;
        isOut = false;
        semaphore.used--;
        usedWeight -= weight;
        admitNext();
      },
    };
  }

  function admitNext(): void {
    for (const waiter of line) {
      if (!isSeatFree(waiter.weight)) break;
      waiter.admit();
    }
    noticeRoom();
  }

  function noticeRoom(): void {
    semaphore.waiting = line.size;
    semaphore.isFull = semaphore.used >= seatCount() && line.size >= maxWaiting;
    if (semaphore.isFull || roomWaiters.length === 0) return;
    const wake = roomWaiters;
    roomWaiters = [];
    for (const resolve of wake) resolve();
  }

  function wait(signal: CancelSignal | undefined, weight: number): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => waiter.refuse(signal?.reason as Error);
      function leaveLine(): void {
        line.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
      }
      const waiter: Waiter = {
        weight,
        admit() {
          leaveLine();
          resolve(take(weight));
        },
        refuse(reason) {
          leaveLine();
          // The one behind it may weigh less.
          if (!closedBy) admitNext();
          else noticeRoom();
          reject(reason);
        },
      };
      signal?.addEventListener("abort", onAbort);
      line.add(waiter);
      noticeRoom();
    });
  }

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const semaphore = {
    used: 0,
    waiting: 0,
    isFull: false,
    tryAcquire: (weight = 0) => (closedBy || line.size > 0 || !isSeatFree(weight) ? undefined : take(weight)),
    acquire(signal?: CancelSignal, weight = 0): Promise<Lease> {
      if (closedBy) return Promise.reject(closedBy);
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      const free = semaphore.tryAcquire(weight);
      if (free) return Promise.resolve(free);
      if (line.size >= maxWaiting)
        return Promise.reject(new HawserError("overloaded", `${line.size} are waiting already; try again later`));
      return wait(signal, weight);
    },
    async run<Result>(action: () => Promise<Result>, signal?: CancelSignal): Promise<Result> {
      const seat = await semaphore.acquire(signal);
      try {
        return await action();
      } finally {
        seat.release();
      }
    },
    whenRoom: () => (semaphore.isFull ? new Promise<void>((resolve) => roomWaiters.push(resolve)) : Promise.resolve()),
    close(reason: Error) {
      closedBy ??= reason;
      for (const waiter of [...line]) waiter.refuse(closedBy);
    },
  };
  return semaphore;
}
