// Waiting with an end: the runner never waits for a subject without a bound.

import { startDeadline } from "@hawser/wire";

/** The value of `promise`, or undefined when it takes longer. A late arrival that is already there counts. */
export function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline({ totalMs: ms, onExpire: () => resolve(undefined) });
    void promise.then(resolve, reject).finally(() => deadline.clear());
  });
}
