// G9: what a child of ours has started ends with it, also where that has left its process group. All with real processes.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { startChild } from "../../src/process/child.ts";
import { readStat } from "../../src/process/process-tree.ts";
import { isRunning, it, until } from "./real-programs.ts";

/** Says its id once it is in a session of its own, and stays. */
const leaver = (before = ""): string => `${before} setsid sh -c 'echo $$; exec sleep 1000' &`;

/** A shell that runs this and owns a group; and the ids that it prints, one for each leaver. */
async function startShell(code: string, count = 1): Promise<{ stop(): Promise<unknown>; pids: number[] }> {
  const child = await startChild({
    stdio: "pipe",
    command: "sh",
    args: ["-c", code],
    ownsGroup: true,
    stopInputMs: 0,
    stopSignalMs: 30_000,
  });
  let text = "";
  // Several may have been read before anybody listens, and then come all at once.
  child.stdout.on("data", (chunk) => (text += String(chunk)));
  await until(() => text.split("\n").length > count, undefined, "all have said their ids");
  return { stop: child.stop, pids: text.trim().split(/\s+/).map(Number) };
}

async function untilGone(pid: number): Promise<void> {
  try {
    await until(() => !isRunning(pid), 60_000, `process ${pid} is gone`);
  } catch (error) {
    // It is ours: what a failed test leaves must not stay for a quarter of an hour.
    process.kill(pid, "SIGKILL");
    throw error;
  }
}

describe.runIf(process.platform === "linux").concurrent("a child that owns its group", () => {
  it("G9 takes with it what has left the group, although it ended by itself before", async () => {
    const shell = await startShell(leaver());
    const [pid = 0] = shell.pids;
    expect(isRunning(pid)).toBe(true);
    await shell.stop();
    await untilGone(pid);
  });

  it("G9 takes with it what has also emptied its environment, as long as it descends from it", async () => {
    const shell = await startShell(`${leaver("env -i PATH=$PATH")} wait`);
    const [pid = 0] = shell.pids;
    await shell.stop();
    await untilGone(pid);
  });

  it("G9 takes with it what a child of another child has started, by the mark of the outer one", async () => {
    // As a runtime does that is killed before it can end what it has started.
    const inner = `HAWSER_MARK=$HAWSER_MARK,inner ${leaver()}`;
    const shell = await startShell(inner);
    await shell.stop();
    await untilGone(shell.pids[0] ?? 0);
  });

  it("touches no process of another tree, nor one that carries no mark", async () => {
    const [one, other] = [await startShell(leaver()), await startShell(leaver())];
    await one.stop();
    await untilGone(one.pids[0] ?? 0);
    expect(isRunning(other.pids[0] ?? 0)).toBe(true);
    await other.stop();
    await untilGone(other.pids[0] ?? 0);
  });

  it("G9 takes it with it when its owner ends, without having been stopped", async ({ start }) => {
    const owner = start("tree-owner.ts");
    await owner.whenPrinted("\n");
    const pid = Number(owner.stdout);
    expect(isRunning(pid)).toBe(true);
    owner.process.stdin?.end();
    await owner.exited;
    await untilGone(pid);
  });

  it("G9 takes it with it when its owner is killed: a guard finds it by its mark, and nothing of another tree", async ({ start }) => {
    const [owner, other] = [start("tree-owner.ts", { args: ["--guarded"] }), start("tree-owner.ts", { args: ["--guarded"] })];
    await Promise.all([owner.whenPrinted("\n"), other.whenPrinted("\n")]);
    const [pid, otherPid] = [Number(owner.stdout), Number(other.stdout)];
    owner.process.kill("SIGKILL");
    await until(() => !isRunning(pid), undefined, `process ${pid} is gone`);
    expect(isRunning(otherPid)).toBe(true);
    other.process.stdin?.end();
    await untilGone(otherPid);
  });

  it("G9 what has neither a mark nor a parent left ends with its group when the owner is killed; one guard is there for all", async ({
    start,
  }) => {
    const orphan = "env -i sh -c 'echo $$; exec sleep 1000' & exit 0";
    const owner = start("tree-owner.ts", { args: ["--guarded", orphan, orphan, leaver()] });
    await until(() => owner.stdout.split("\n").length > 3, undefined, "all three run");
    const [guard = 0, ...otherGuards] = childrenOf(owner.pid).filter((pid) => commandOf(pid).includes("hawser-guard"));
    expect(otherGuards).toEqual([]);
    owner.process.kill("SIGKILL");
    for (const pid of [...owner.stdout.trim().split("\n").map(Number), guard]) await untilGone(pid);
  });

  it("G9 what an owner starts that had no descriptor left before, even for its guard, ends when the owner is killed", async ({ start }) => {
    const owner = start("crowded-owner.ts", { before: "ulimit -n 256" });
    await owner.whenPrinted("\n");
    owner.process.kill("SIGKILL");
    await untilGone(Number(owner.stdout));
  });

  it("G9 a guard is gone with its owner, also when that ends by itself", async ({ start }) => {
    const owner = start("tree-owner.ts", { args: ["--guarded"] });
    await owner.whenPrinted("\n");
    const [guard = 0] = childrenOf(owner.pid).filter((pid) => commandOf(pid).includes("hawser-guard"));
    expect(isRunning(guard)).toBe(true);
    owner.process.stdin?.end();
    await owner.exited;
    await untilGone(guard);
  });
});

/** Empty for one that is gone meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);

function parentOf(pid: number): number | undefined {
  try {
    return Number(readStat(pid).parent);
  } catch {
    return undefined;
  }
}
