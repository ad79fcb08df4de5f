// One change of a file at a time, also between processes. A lock that was left behind by a process that
// died is taken over after a while; a change takes milliseconds.

import { open, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const staleMs = 10_000;
const retryMs = 20;

/** Runs `work` while holding the lock file. Waits for whoever holds it, at most until their lock is stale. */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  await acquire(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return await (await open(path, "wx", 0o600)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (waitedMs >= staleMs || (await isStale(path))) await rm(path, { force: true });
    else await sleep(retryMs);
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}
