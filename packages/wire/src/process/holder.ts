// Which process holds something, as a name that a file can carry: its pid, the time of its start, since pids are used again, and
// the space in which that pid means something: one boot of one machine, and there one PID namespace. About a process of
// another space (a container, a virtual machine) the answer is `unsure`.

import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { stat, utimes } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { wireLimits } from "../limits.ts";
import { readStat } from "./process-tree.ts";

/** A process that has ended and only waits for its parent to notice is gone. */
export type HolderState = "alive" | "gone" | "unsure";

/** `<pid>-<start>-<space>-<random>`; the start is 0 where it can't be known. */
const holderPattern = /^(\d{1,10})-(\d+)-([0-9a-f]{8})-[0-9a-zA-Z]{6,16}$/;

let ownStart: string | undefined;
let ownSpace: string | undefined;

/** A name for something of this process that no other process, and nothing else of this one, has. */
export const createHolderName = (): string => holderPrefix() + randomBytes(8).toString("hex");

/** Such a name without its random end. */
export function holderPrefix(): string {
  ownStart ??= startOf(process.pid) ?? "0";
  return `${process.pid}-${ownStart}-${processSpace()}-`;
}

/** The process of a holder in words, for a message. */
export function describeHolder(name: string): string {
  const [, pid, , space] = holderPattern.exec(name) ?? [];
  return space === processSpace() ? `process ${pid}` : `process ${pid} of another container or machine`;
}

export const pidOfHolder = (name: string): number => Number(holderPattern.exec(name)?.[1]);

/** Undefined for a name that `createHolderName` did not make. */
export function judgeHolder(name: string): HolderState | undefined {
  const [, pid, start, space] = holderPattern.exec(name) ?? [];
  if (pid === undefined || start === undefined) return undefined;
  if (space !== processSpace()) return "unsure";
  if (!exists(Number(pid))) return "gone";
  const found = startOf(Number(pid));
  if (found === undefined) return exists(Number(pid)) ? "unsure" : "gone";
  if (found === "ended") return "gone";
  if (start === "0" || found === "0") return "unsure";
  return found === start ? "alive" : "gone";
}

function processSpace(): string {
  ownSpace ??= createHash("sha256").update(describeSpace()).digest("hex").slice(0, 8);
  return ownSpace;
}

function describeSpace(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux, or a sandbox that hides it.
    return `${process.platform} ${hostname()}`;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists as well.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Undefined when there is none, or it can't be seen. */
function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return startInProc(pid);
  return process.platform === "win32" ? "0" : startByPs(pid);
}

function startInProc(pid: number): string | undefined {
  try {
    // In a fresh namespace /proc may still show the pids of the one outside, where ours mean other processes.
    if (readlinkSync("/proc/self") !== String(process.pid)) return "0";
    const { isEnded, start } = readStat(pid);
    return isEnded ? "ended" : start;
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string {
  try {
    const env = { ...process.env, LC_ALL: "C" };
    const args = ["-o", "lstart=", "-p", String(pid)];
    const ms = Date.parse(execFileSync("ps", args, { timeout: 5_000, encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim());
    return Number.isNaN(ms) ? "0" : String(ms / 1_000);
  } catch {
    return "0";
  }
}

// Signs of life in a file's time of change, for readers that can't see the process behind it. A file that was not touched for long
// is watched before it counts as left behind: a machine that has slept wakes its processes together, and the one that looks may
// be the first.

/** Touches it until the returned function is called. Doesn't keep the process alive. */
export function startBeat(path: string): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    // Gone, or not writable for the moment: its user will notice.
    utimes(path, now, now).catch(() => {});
  }, wireLimits.lockBeatMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether it has not been touched for so long that watching it is worth the time. A clock may be wrong in both directions. */
export async function isSilent(path: string, silenceMs: number = wireLimits.lockSilenceMs): Promise<boolean> {
  const touchedAt = await timeOf(path);
  return touchedAt === undefined || Math.abs(Date.now() - touchedAt) > silenceMs;
}

/** Watches a silent one for longer than a beat. True when it was not touched meanwhile. */
export async function staysSilent(path: string, watchMs: number = wireLimits.lockBeatMs + watchMarginMs): Promise<boolean> {
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
