// How often the event loop has its turn while something is checked.

import { setImmediate as nextTurn } from "node:timers/promises";
import { toolLimits } from "../src/limits.ts";

/** What the work gives, the turns that the event loop has meanwhile, and the longest time between two, of this thread's processor. */
export async function watchLoop<Result>(work: () => Promise<Result>) {
  let turns = 0;
  let longestMs = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const working = work();
  const watching = (async () => {
    for (; !isOver; turns++) {
      await nextTurn();
      const now = process.threadCpuUsage();
      longestMs = Math.max(longestMs, (now.user - before.user + now.system - before.system) / 1_000);
      before = now;
    }
  })();
  const result = await working;
  isOver = true;
  await watching;
  return { result, turns, longestMs };
}

/** With slices of this length; without one, the work pauses wherever it can, on any machine. */
export async function inSlices<Result>(action: () => Promise<Result>, sliceMs = -1): Promise<Result> {
  const { schemaSliceMs } = toolLimits;
  // The slice of the test before, which has a length, ends with its turn.
  await nextTurn();
  toolLimits.schemaSliceMs = sliceMs;
  try {
    return await action();
  } finally {
    toolLimits.schemaSliceMs = schemaSliceMs;
  }
}
