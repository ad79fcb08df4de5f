// How much memory another process uses, as the system counts it; undefined where it does not say.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Resident bytes of the process. */
export async function readMemory(pid: number): Promise<number | undefined> {
  try {
    const kilobytes = process.platform === "linux" ? await readFromProc(pid) : await readFromPs(pid);
    return Number.isSafeInteger(kilobytes) && kilobytes > 0 ? kilobytes * 1_024 : undefined;
  } catch {
    return undefined;
  }
}

async function readFromProc(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
}

async function readFromPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout.trim());
}
