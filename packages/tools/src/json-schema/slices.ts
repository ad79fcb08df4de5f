// The time that all checks of this process together take before the event loop has its turn. A check that finds the slice
// used up waits; waiting checks get one slice per turn, first come, first served.

import { toolLimits } from "../limits.ts";

let endsAt: number | undefined;

/** Begins a slice if there is none; it is over when its time is, and ends with this turn of the loop in any case. */
export function isSliceOver(): boolean {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + toolLimits.schemaSliceMs;
    setImmediate(() => {
      endsAt = undefined;
    });
  }
  return now > endsAt;
}

// Looking at the clock costs as much as a few keywords.
const stepsPerLook = 32;

/** A function that is told of all work, in units of about one keyword, and says whether it is time for a pause. */
export function createPace(): (steps: number) => boolean {
  let sinceLook = 0;
  return (steps) => {
    sinceLook += steps;
    if (sinceLook < stepsPerLook) return false;
    if (isSliceOver()) return true;
    sinceLook = 0;
    return false;
  };
}

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the loop that no other waiting check has. */
export function nextSlice(): Promise<void> {
  const turn = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  last = turn;
  return turn;
}
