// Signs of life in a file's time of change, for those who can't see the process behind it: it is of another
// container or machine, or its start is not known. Who holds something touches its file again and again. A file
// that was not touched for long is watched before it counts as left behind: a machine that has slept wakes its
// processes together, and the one that looks may be the first.

import { stat, utimes } from "node:fs/promises";
import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../limits.ts";

/** Touches it until the returned function is called. Doesn't keep the process alive. */
export function startBeat(path: string): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    // Gone, or not to be written for the moment: whoever uses it will notice.
    utimes(path, now, now).catch(() => {});
  }, limits.lockBeatMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether it has not been touched for so long that watching it is worth the time. A clock may be wrong in both directions. */
export async function isSilent(path: string, silenceMs: number = limits.lockSilenceMs): Promise<boolean> {
  const touchedAt = await timeOf(path);
  return touchedAt === undefined || Math.abs(Date.now() - touchedAt) > silenceMs;
}

/** Watches a silent one for longer than a beat. True when nobody touched it meanwhile. */
export async function staysSilent(path: string, watchMs: number = limits.lockBeatMs + watchMarginMs): Promise<boolean> {
  const before = await timeOf(path);
  // Not since this machine was started: its holder can't have slept together with us.
  if (before === undefined || before < Date.now() - uptime() * 1_000) return true;
  await sleep(watchMs);
  return (await timeOf(path)) === before;
}

const watchMarginMs = 1_000;

async function timeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
