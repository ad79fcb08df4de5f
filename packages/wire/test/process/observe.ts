// Looking at processes from outside, for tests and for soaks: what runs, what is open, what has come true.

import fs from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of a program in test/fixtures. */
export const fixturePath = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** True while the process exists and is not merely a dead entry that nobody has collected. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) [ZX]/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    // Without /proc the signal alone decides.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && !fs.existsSync("/proc/self/stat");
  }
}

/** True when a signal has stopped the process; without /proc nobody knows. */
export const isStopped = (pid: number): boolean =>
  !fs.existsSync("/proc/self/stat") || /^\d+ \(.*\) T/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));

/** Waits until the condition holds; throws when it does not within the time. */
export async function until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many descriptors this process has open. */
export const countDescriptors = (): number => fs.readdirSync("/dev/fd").length;
