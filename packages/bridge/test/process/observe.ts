// Looking at processes from outside, for tests: what runs, how much memory it has, what has come true.

import fs from "node:fs";

/** True while the process exists and is not merely a dead entry that nobody has collected. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    // Without /proc the signal alone decides.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && !fs.existsSync("/proc/self/stat");
  }
}

/** Waits until the condition holds; throws when it does not within the time. */
export async function until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(20);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The largest resident memory that the process ever had; undefined where the system does not say. */
export function peakMegabytes(pid: number): number | undefined {
  if (!fs.existsSync(`/proc/${pid}/status`)) return undefined;
  const peak = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return peak === undefined ? undefined : Number(peak) / 1_024;
}
