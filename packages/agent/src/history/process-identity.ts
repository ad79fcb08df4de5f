// Which process this is, in a form that a file name can carry: its pid and the time of its start, since
// pids are used again. A process that is gone, or only waits for its parent to notice, does not live.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { randomBytes } from "node:crypto";

/** `<pid>-<start>-<random>`; the start is 0 where it can't be known. */
const holderPattern = /^(\d{1,10})-(\d+)-[0-9a-f]{16}$/;

let ownStart: Promise<string> | undefined;

/** A name for something of this process that no other process, and nothing else of this one, has. */
export async function createHolderName(): Promise<string> {
  ownStart ??= startOf(process.pid).then((start) => start ?? "0");
  return `${process.pid}-${await ownStart}-${randomBytes(8).toString("hex")}`;
}

export const pidOf = (holderName: string): number => Number(holderPattern.exec(holderName)?.[1]);

/** Undefined for a name that is none of ours. */
export async function isHolderAlive(holderName: string): Promise<boolean | undefined> {
  const [, pid, start] = holderPattern.exec(holderName) ?? [];
  if (pid === undefined || start === undefined) return undefined;
  if (!exists(Number(pid))) return false;
  const found = await startOf(Number(pid));
  return found === undefined ? exists(Number(pid)) : found !== "ended" && (start === "0" || found === "0" || found === start);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else exists as well.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Undefined when there is none, or it can't be seen. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return startInProc(pid);
  return process.platform === "win32" ? "0" : startByPs(pid);
}

function startInProc(pid: number): string | undefined {
  try {
    // The name of the program stands in parentheses and may hold anything, so the fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[19];
  } catch {
    return undefined;
  }
}

async function startByPs(pid: number): Promise<string | undefined> {
  const options = { timeout: 5_000, env: { ...process.env, LC_ALL: "C" } };
  const result = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], options).catch(() => undefined);
  const ms = Date.parse(result?.stdout.trim() ?? "");
  return Number.isNaN(ms) ? "0" : String(ms / 1_000);
}
