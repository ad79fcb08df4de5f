// One change of a file at a time, also between processes. The lock names the process that holds it: while that
// lives it is waited for, however slow the machine is. A lock that a dead process left behind is taken over.

import { rmSync } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { onProcessEnd } from "./process/process-end.ts";

/** A change takes milliseconds: nobody writes the id of a process this late. */
const settledMs = 10_000;
/** The id may be another process's by now, or one of another machine. */
const abandonedMs = 60_000;
const retryMs = 20;

/** Runs `work` while holding the lock file. Waits for whoever holds it, at most until their lock was left behind. */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  while (!(await tryCreate(path, String(process.pid)))) {
    if (await isLeftBehind(path)) await removeLeftBehind(path);
    else await sleep(retryMs);
  }
  const forget = onProcessEnd(() => rmSync(path, { force: true }));
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
    forget();
  }
}

async function tryCreate(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    // One without content counts by its age.
    await file.writeFile(content).catch(() => undefined);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isLeftBehind(path: string): Promise<boolean> {
  try {
    const ageMs = Date.now() - (await stat(path)).mtimeMs;
    return ageMs > abandonedMs || (ageMs > settledMs && !isAlive(Number(await readFile(path, "utf8"))));
  } catch {
    // Released in the meantime.
    return false;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// Several may find it left behind at the same time, and the second must not remove what the first has taken by
// then: the removal has a lock of its own, held for a moment.
async function removeLeftBehind(path: string): Promise<void> {
  const breaker = `${path}.breaker`;
  if (!(await tryCreate(breaker, String(process.pid)))) {
    if (await isLeftBehind(breaker)) await rm(breaker, { force: true });
    else await sleep(retryMs);
    return;
  }
  try {
    if (await isLeftBehind(path)) await rm(path, { force: true });
  } finally {
    await rm(breaker, { force: true });
  }
}
