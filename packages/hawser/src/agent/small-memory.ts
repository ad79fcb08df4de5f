// Keeps a serving process small (G10): a process that is sent megabytes at a time would take several times what it holds. V8
// is told to collect sooner, and for what lies outside of its heap, which it does not see, a full collection is run near the
// bound, one for every few megabytes that have come since the last.

import { runInNewContext } from "node:vm";
import { changeFlag, keepHeapSmall } from "@hawser/wire/internal/node";

const mebibyte = 1_048_576;
const watchFromBytes = 130 * mebibyte;
const collectFromBytes = 165 * mebibyte;
const grownBytes = 12 * mebibyte;
/** How often it is looked: seldom while there is much room. */
const [seldomMs, oftenMs] = [200, 25];

/** For the whole life of the process; call it before anything large is loaded. */
export function keepMemorySmall(): void {
  keepHeapSmall();
  changeFlag("--heap-growing-percent=20", "--heap-growing-percent=0");
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
    if (!collect) {
      changeFlag("--expose-gc", "--no-expose-gc");
      collect = runInNewContext("gc") as () => void;
    }
    collect();
    afterLast = heldBytes();
  }

  look();
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
