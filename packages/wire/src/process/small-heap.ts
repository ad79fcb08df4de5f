// Keeps the young generation of this process small: V8 lets it grow to 100 MB and more before it looks for garbage. Held at 8 MB
// it costs no time that could be measured, and memory stays lower by a third and more; held from the start, at one megabyte, the
// work takes up to a fifth longer. So a process that lives long holds it when it has grown, and one that reads something large
// holds it at once. For our own processes only: a program that uses a library of ours has its own flags.

import { PerformanceObserver } from "node:perf_hooks";

const holdFlag = "--semi-space-growth-factor=1";
const growFlag = "--semi-space-growth-factor=2"; // V8's own value
const holdFromBytes = 8_388_608;
// The first look takes some milliseconds, and at the start a caller is waiting for the first answer.
const lookAfterMs = 100;

/** The flags that were changed, each with V8's own. */
const changed = new Map<string, string>();
let holders = 0;

/** Changes a flag of V8, and knows how to take that back. */
export function changeFlag(flag: string, own: string): void {
  changed.set(flag, own);
  setFlag(flag);
}

/** From now to the end of the process. */
export function keepHeapSmall(): void {
  holders++;
  changeFlag(holdFlag, growFlag);
}

/** Until the work has ended, unless another user needs it then. */
export async function withSmallHeap<Value>(work: () => Promise<Value>): Promise<Value> {
  keepHeapSmall();
  try {
    return await work();
  } finally {
    holders--;
    if (holders === 0) {
      changed.delete(holdFlag);
      setFlag(growFlag);
    }
  }
}

/** To the end of the process, once it has grown to a size with which work takes no longer. */
export function keepGrownHeapSmall(): void {
  let timer: NodeJS.Timeout | undefined;
  let observer: PerformanceObserver | undefined;

  function look(): void {
    timer = undefined;
    if (youngBytes() < holdFromBytes) return;
    observer?.disconnect();
    keepHeapSmall();
  }

  // Nothing grows but in a collection. A size that is reached before this is seen at the next one.
  function watch(): void {
    observer = new PerformanceObserver(() => (timer ??= setTimeout(look, lookAfterMs).unref()));
    observer.observe({ entryTypes: ["gc"] });
  }

  setTimeout(watch, lookAfterMs).unref();
}

/** Does something under V8's own flags: compiled code is refused where it is loaded under others than it was kept under. */
export function withOwnFlags<Value>(work: () => Value): Value {
  for (const own of changed.values()) setFlag(own);
  try {
    return work();
  } finally {
    for (const flag of changed.keys()) setFlag(flag);
  }
}

// Loaded when it is needed: see `lookAfterMs`.
const loadV8 = (): typeof import("node:v8") => process.getBuiltinModule("node:v8");

const setFlag = (flag: string): void => loadV8().setFlagsFromString(flag);

const youngBytes = (): number =>
  loadV8()
    .getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
