// How many may be inside at the same time; the others wait in the order in which they came, and may
// give up waiting.

import { HawserError } from "@hawser/wire";

export interface Slots {
  readonly used: number;
  /** Rejects when the signal aborts first. */
  enter(signal: AbortSignal | undefined): Promise<void>;
  leave(): void;
}

export function createSlots(count: () => number): Slots {
  const waiting = new Set<() => void>();
  let used = 0;

  function admit(): void {
    for (const start of waiting) {
      if (used >= count()) return;
      waiting.delete(start);
      used++;
      start();
    }
  }

  return {
    get used() {
      return used;
    },
    enter(signal) {
      if (signal?.aborted) return Promise.reject(givenUp(signal));
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          if (waiting.delete(start)) reject(givenUp(signal));
        };
        function start(): void {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        }
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(start);
        admit();
      });
    },
    leave() {
      used--;
      admit();
    },
  };
}

const givenUp = (signal: AbortSignal | undefined): HawserError =>
  new HawserError("cancelled", "cancelled by the caller", { cause: signal?.reason });
