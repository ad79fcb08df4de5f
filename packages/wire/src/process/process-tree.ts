// What a process of ours has started, also what has left its process group (`setsid`, a daemon). On Linux only, where /proc shows
// it: each tree carries a mark in its environment, which is inherited. What neither has the mark nor descends from a running
// process of the tree is left alone. Synchronous, since a process that ends has no time for anything else.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** Marks of all trees that a process belongs to, the outermost first. */
const variable = "HAWSER_MARK";

/** A process that can't be taken for another one that gets its number later. */
interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** In ticks of the system's clock. */
  readonly start: number;
}

/** A program that forks as fast as it is killed gets away at some time; it must not keep us for ever. */
const maxRounds = 20;

/** `above`: marks of ours that the tree carries besides its own. */
export function createProcessTree(env: NodeJS.ProcessEnv = process.env, above: readonly string[] = []) {
  const mark = randomUUID();
  const outer = process.env[variable];
  // What is older than this process was not started by it, and is not looked into.
  const since = readProcess(process.pid)?.start ?? 0;
  const seen: SeenProcess[] = [];
  return {
    /** The environment that the root of the tree is to be started with. */
    env: { ...env, [variable]: [...(outer === undefined ? [] : [outer]), ...above, mark].join(",") },
    /** Remembers what descends from the root; to be called before that is ended, since then its children have no parent any more. */
    look(root: number): void {
      seen.push(...withDescendants(listProcesses(), ({ pid }) => pid === root));
    },
    /** Kills everything of the tree that still runs. */
    kill(): void {
      for (let round = 0; round < maxRounds; round++) {
        const isKnown = (process: SeenProcess): boolean =>
          process.start >= since && (carriesMark(process.pid, mark) || seen.some((one) => isSame(one, process)));
        const found = withDescendants(listProcesses(), isKnown);
        if (found.length === 0) return;
        for (const one of found) killIfSame(one);
      }
    },
  };
}

const isSame = (one: SeenProcess, other: SeenProcess): boolean => one.pid === other.pid && one.start === other.start;

/** Those that fit, and what descends from them. */
function withDescendants(processes: readonly SeenProcess[], fits: (process: SeenProcess) => boolean): SeenProcess[] {
  const found = new Map(processes.filter(fits).map((process) => [process.pid, process]));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const process of processes) if (found.has(process.parent)) found.set(process.pid, process);
  }
  return [...found.values()];
}

function listProcesses(): SeenProcess[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
  } catch {
    // There is no /proc here.
    return [];
  }
}

/** Undefined when it is gone, or has ended and only waits for its parent to notice. */
function readProcess(pid: number): SeenProcess | undefined {
  try {
    const { isEnded, parent, start } = readStat(pid);
    return isEnded ? undefined : { pid, parent: Number(parent), start: Number(start) };
  } catch {
    return undefined;
  }
}

/** What /proc says about a process. Throws where it says nothing. */
export function readStat(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The program's name stands in parentheses and may hold anything, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { isEnded: fields[0] === "Z" || fields[0] === "X", parent: fields[1], start: fields[19] };
}

function carriesMark(pid: number, mark: string): boolean {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.some((entry) => entry.startsWith(`${variable}=`) && entry.includes(mark));
  } catch {
    // Another user's, or gone.
    return false;
  }
}

function killIfSame(found: SeenProcess): void {
  const now = readProcess(found.pid);
  if (!now || !isSame(now, found) || now.pid === process.pid) return;
  try {
    process.kill(now.pid, "SIGKILL");
  } catch {
    // Gone, or it runs as another user by now.
  }
}
