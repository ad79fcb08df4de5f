// The time that all checks of this process together take before the event loop has its turn. A check that finds the slice
// used up waits; those that wait get one slice per turn, in the order in which they came.

import { limits } from "../../limits.ts";

let endsAt: number | undefined;

/** Begins a slice if there is none; it is over when its time is, and ends with this turn of the loop in any case. */
export function isSliceOver(): boolean {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + limits.schemaSliceMs;
    setImmediate(() => {
      endsAt = undefined;
    });
  }
  return now > endsAt;
}

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the loop that no other waiting check has. */
export function nextSlice(): Promise<void> {
  const turn = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  last = turn;
  return turn;
}
