// A bounded queue with a fixed number of workers. Full means full: `add` says so and the caller
// either refuses its request or stops reading until `whenRoom`. Jobs start in the order they were
// added; a job that has not started can be taken back.

import { HawserError } from "./errors.ts";

export interface WorkQueueOptions {
  readonly workers: number;
  /** Jobs that may wait; those that run do not count. */
  readonly capacity: number;
  /** A job is expected to settle its own failures; one that throws is reported here. */
  onJobError(error: unknown): void;
}

export interface Ticket {
  /** Takes the job back; false if it has started. */
  withdraw(): boolean;
}

export interface WorkQueue {
  readonly waiting: number;
  readonly running: number;
  /** Undefined when the queue is full: the job was not taken. */
  add(job: () => Promise<void>): Ticket | undefined;
  whenRoom(): Promise<void>;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { workers, capacity } = options;
  if (!isCount(workers)) throw new HawserError("usage", `workers must be a whole number of at least 1, not ${workers}`);
  if (!isCount(capacity)) throw new HawserError("usage", `queue size must be a whole number of at least 1, not ${capacity}`);
  // A Set keeps the order of insertion and takes a job back in constant time.
  const waiting = new Set<() => Promise<void>>();
  let running = 0;
  let roomWaiters: (() => void)[] = [];

  const hasRoom = (): boolean => running < workers || waiting.size < capacity;

  function noticeRoom(): void {
    if (!hasRoom()) return;
    const wake = roomWaiters;
    roomWaiters = [];
    for (const resolve of wake) resolve();
  }

  async function work(job: () => Promise<void>): Promise<void> {
    running++;
    try {
      await job();
    } catch (error) {
      options.onJobError(error);
    }
    running--;
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      void work(next);
    }
    noticeRoom();
  }

  return {
    get waiting() {
      return waiting.size;
    },
    get running() {
      return running;
    },
    add(job) {
      if (running < workers) {
        void work(job);
        return { withdraw: () => false };
      }
      if (waiting.size >= capacity) return undefined;
      const entry = (): Promise<void> => job();
      waiting.add(entry);
      return {
        withdraw() {
          const wasWaiting = waiting.delete(entry);
          if (wasWaiting) noticeRoom();
          return wasWaiting;
        },
      };
    },
    whenRoom() {
      if (hasRoom()) return Promise.resolve();
      return new Promise((resolve) => roomWaiters.push(resolve));
    },
  };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
