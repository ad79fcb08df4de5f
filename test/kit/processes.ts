// Looking at processes from outside, for tests and for soaks: what runs, what is open, how much memory it has.

import fs from "node:fs";

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

/** How many descriptors this process has open. */
export const countDescriptors = (): number => fs.readdirSync("/dev/fd").length;

/** The largest resident memory that the process ever had; undefined where the system does not say. */
export function peakMegabytes(pid: number): number | undefined {
  if (!fs.existsSync(`/proc/${pid}/status`)) return undefined;
  const peak = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return peak === undefined ? undefined : Number(peak) / 1_024;
}
