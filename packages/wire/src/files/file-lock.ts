// One change of a file at a time, also between processes. The lock names its holder. One that a dead process left behind is taken
// over; where a process can't be seen, because it is of another container or machine, signs of life in the file decide.

import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "../limits.ts";
import { isSilent, startBeat, staysSilent, createHolderName, describeHolder, judgeHolder } from "../process/holder.ts";
import { onProcessEnd } from "../process/process-end.ts";

/** Making a lock and writing a name into it are next to one another: one without a name is a leftover at this age. */
const unwrittenMs = 10_000;
const retryMs = 20;

/** Runs `work` while holding the lock file. Waits for its holder; throws `overloaded` when that takes too long. */
export async function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  waitMs: number = wireLimits.lockWaitMs,
): Promise<Result> {
  const name = createHolderName();
  const giveUpAt = performance.now() + waitMs;
  while (!tryCreate(path, name)) {
    const leftBehind = await findLeftBehind(path);
    if (leftBehind !== undefined) await removeLeftBehind(path, leftBehind, name);
    else if (performance.now() > giveUpAt) throw await stillHeld(path);
    else await sleep(retryMs);
  }
  const unlock = (): void => removeOwn(path, name);
  const forget = onProcessEnd(unlock);
  const endBeat = startBeat(path);
  try {
    return await work();
  } finally {
    endBeat();
    unlock();
    forget();
  }
}

// Three short system calls: handing each to another thread would take several times as long.
function tryCreate(path: string, content: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "wx", 0o600);
    writeSync(file, content);
    return true;
  } catch (error) {
    // One without content counts by its age.
    if (file !== undefined) return true;
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What stands in a lock that was left behind; undefined for one that is held, or was released in the meantime. */
async function findLeftBehind(path: string): Promise<string | undefined> {
  try {
    const holder = await readFile(path, "utf8");
    const state = judgeHolder(holder);
    if (state === undefined) return Date.now() - (await stat(path)).mtimeMs > unwrittenMs ? holder : undefined;
    return state === "gone" || (state === "unsure" && (await isSilent(path)) && (await staysSilent(path))) ? holder : undefined;
  } catch {
    return undefined;
  }
}

// Several may find it left behind at the same time, and the second must not remove what the first has taken by
// then: the removal has a lock of its own, held for a moment, and looks whether it is still the same holder's.
async function removeLeftBehind(path: string, holder: string, name: string): Promise<void> {
  const breaker = `${path}.breaker`;
  if (!tryCreate(breaker, name)) {
    if ((await findLeftBehind(breaker)) !== undefined) await rm(breaker, { force: true });
    else await sleep(retryMs);
    return;
  }
  try {
    // A holder's name is never used again. Anything else may have been written anew, so its age is looked at again.
    if (judgeHolder(holder) !== undefined || (await findLeftBehind(path)) === holder) removeOwn(path, holder);
  } finally {
    await rm(breaker, { force: true });
  }
}

/** Removes the lock while it is the one of this holder. After a long sleep of ours it may be another's. */
function removeOwn(path: string, name: string): void {
  try {
    if (readFileSync(path, "utf8") === name) unlinkSync(path);
  } catch {
    // Gone already, with its folder perhaps.
  }
}

async function stillHeld(path: string): Promise<HawserError> {
  const holder = await readFile(path, "utf8").catch(() => "");
  const who = judgeHolder(holder) === undefined ? "another process" : describeHolder(holder);
  return new HawserError("overloaded", `${path} is held by ${who}; try again, or end that process, or remove the file if it is gone`);
}
