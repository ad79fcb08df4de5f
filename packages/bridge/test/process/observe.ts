// Looking at processes from outside, for tests: what runs, how much memory it has, what has come true.

import fs from "node:fs";

export { isRunning, until } from "../../../wire/test/process/observe.ts";

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The largest resident memory that the process ever had; undefined where the system does not say. */
export function peakMegabytes(pid: number): number | undefined {
  if (!fs.existsSync(`/proc/${pid}/status`)) return undefined;
  const peak = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return peak === undefined ? undefined : Number(peak) / 1_024;
}
