// Keeps a serving process small (G10). Node lets garbage pile up while there is memory, and a process that is
// sent megabytes at a time then takes several times of what it holds. Here V8 is told to collect sooner: new
// objects get a small space that does not grow, and the heap grows by a fifth at a time. What lies outside of
// its heap, which V8 does not see, is looked after by a watch: near the bound a full collection is run, one for
// every few megabytes that have come since the last.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { keepHeapSmall } from "@hawser/wire/internal/node";

const mebibyte = 1_048_576;
const watchFromBytes = 130 * mebibyte;
const collectFromBytes = 165 * mebibyte;
const grownBytes = 12 * mebibyte;
/** How often it is looked: seldom while there is much room. */
const [seldomMs, oftenMs] = [200, 25];

/** For the whole life of the process; call it before anything large is loaded. */
export function keepMemorySmall(): void {
  keepHeapSmall();
  setFlagsFromString("--heap-growing-percent=20");
  let collect: (() => void) | undefined;
  let afterLast = Number.POSITIVE_INFINITY;

  function look(): void {
    const rss = process.memoryUsage.rss();
    if (rss > collectFromBytes) collectIfGrown();
    setTimeout(look, rss > watchFromBytes ? oftenMs : seldomMs).unref();
  }

  function collectIfGrown(): void {
    const held = heldBytes();
    // Never yet, or V8 has collected by itself meanwhile.
    afterLast = Math.min(afterLast, held);
    if (collect && held < afterLast + grownBytes) return;
    collect ??= loadCollector();
    collect();
    afterLast = heldBytes();
  }

  look();
}

function loadCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
