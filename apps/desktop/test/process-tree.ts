// Processes as the system knows them, read from /proc: who started whom, what they are, what they hold.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** With the pid: this very process, and not a later one that got its number. */
  readonly startedAt: string;
  readonly program: string;
  readonly command: string;
}

/** All that run now; those that have ended and were not taken leave of do not. */
export function listProcesses(): ProcessFacts[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []));
}

function readProcess(pid: number): ProcessFacts[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return [{ pid, parent: Number(parent), startedAt: rest[17] ?? "", program: readlinkSync(`/proc/${pid}/exe`), command }];
  } catch {
    // Ended while it was looked at, or somebody else's.
    return [];
  }
}

/** The process and all that it has started, and they. */
export function treeOf(pid: number, all: readonly ProcessFacts[] = listProcesses()): ProcessFacts[] {
  const own = all.filter((facts) => facts.pid === pid);
  return [...own, ...all.filter(({ parent }) => parent === pid).flatMap((child) => treeOf(child.pid, all))];
}

/** Those that were started with this text in one of their variables. */
export function startedWith(text: string): ProcessFacts[] {
  return listProcesses().filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

/** Those of these processes that still run. */
export function stillRunning(processes: readonly ProcessFacts[]): ProcessFacts[] {
  const now = listProcesses();
  return processes.filter(({ pid, startedAt }) => now.some((facts) => facts.pid === pid && facts.startedAt === startedAt));
}

/** In kilobytes: resident, and with what is shared counted by its share. */
export function memoryOf(pid: number): { readonly resident: number; readonly share: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0);
  return { resident: read("Rss"), share: read("Pss") };
}
