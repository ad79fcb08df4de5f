// So many calls a second, and not more than a moment's worth of them at once. Since a site has one worker, its own clock is enough.

import { setTimeout as sleep } from "node:timers/promises";
import { fleetLimits } from "../limits.ts";

export interface RateBucket {
  /** Resolves when the next call may be made; those who wait come in turn. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<void>;
  /** Makes no call possible for this time: another worker's bucket may still be in use. */
  empty(ms: number): void;
}

export function createRateBucket(perSecond: number): RateBucket {
  const intervalMs = 1_000 / perSecond;
  let nextAt = performance.now();
  return {
    async take(signal) {
      // What was not used longer ago than a moment is lost.
      nextAt = Math.max(nextAt, performance.now() - Math.max(fleetLimits.batchBurstMs - intervalMs, 0));
      const at = nextAt;
      nextAt += intervalMs;
      const waitMs = at - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
    empty(ms) {
      nextAt = Math.max(nextAt, performance.now() + ms);
    },
  };
}
