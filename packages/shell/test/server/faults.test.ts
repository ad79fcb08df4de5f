// What may happen to the machine around it: a runtime that is stopped, mute, stubborn or short-lived, and a
// disk that is full. The shell says so where there is somebody to tell, and always comes to its end.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { agentsOf, oddRuntime, openStage, type Stage } from "./stage.ts";

const say = (id: string, message: string) => ({ id, kind: "user_message", message });

/** Whether it comes to its end, and its processes are gone then; how long that may take is the runtime's own bound, and much more. */
async function closesInTime(stage: Stage): Promise<boolean> {
  const pids = agentsOf(stage);
  const end = stage[Symbol.asyncDispose]().then(() => "closed");
  const isClosed = (await Promise.race([end, wait(60_000, "still open")])) === "closed";
  return isClosed && pids.every((pid) => !existsSync(`/proc/${pid}`));
}

// All of them wait for the runtime's end for most of their time, each on a stage of its own.
describe.concurrent("a runtime that is stopped (SIGSTOP)", () => {
  it.for(["while it starts", "while it is idle", "in the middle of a turn"])(
    "%s keeps the shell neither from answering nor from ending",
    async (when, { expect }) => {
      const stage = await openStage();
      const tab = await stage.connect();
      if (when !== "while it starts") await tab.next("ready");
      if (when === "in the middle of a turn") tab.send(say("t1", "what is 2 + 2?"));
      await expect.poll(() => agentsOf(stage), { timeout: 30_000 }).toHaveLength(1);
      for (const pid of agentsOf(stage)) process.kill(pid, "SIGSTOP");
      tab.send(say("t2", "what is 3 + 3?"));
      expect((await stage.fetch("/")).status).toBe(200);
      await (await stage.connect()).next("!");
      expect(await closesInTime(stage)).toBe(true);
    },
  );

  it("and goes on, has lost nothing", async ({ expect }) => {
    await using stage = await openStage();
    const tab = await stage.connect();
    await tab.next("ready");
    const [pid = Number.NaN] = agentsOf(stage);
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, "SIGSTOP");
    tab.send(say("t1", "what is 2 + 2?"));
    await wait(500);
    process.kill(pid, "SIGCONT");
    await tab.next('"id":"t1","type":"done"');
    expect(tab.frames.filter((frame) => frame.includes("restarting"))).toEqual([]);
  });
});

describe.concurrent("a runtime", () => {
  it("that never greets does not keep the shell from ending", async () => {
    const stage = await openStage(oddRuntime("mute"));
    expect(await (await stage.connect()).next("!")).toContain("starting");
    expect(await closesInTime(stage)).toBe(true);
  });

  it("that ignores that it shall end is ended", async () => {
    const stage = await openStage(oddRuntime("stubborn"));
    await (await stage.connect()).next("ready");
    expect(await closesInTime(stage)).toBe(true);
  });

  it("that ends whenever it is spoken to is not started for ever: the tabs are told why", async ({ expect }) => {
    await using stage = await openStage(oddRuntime("brief"));
    const tab = await stage.connect();
    for (let round = 1; round <= 5; round++) {
      await expect.poll(() => count(tab.frames, '"ready"'), { timeout: 40_000 }).toBe(round);
      tab.send(say(`t${round}`, "hello"));
      await expect.poll(() => count(tab.frames, '"restarting"') + count(tab.frames, '"failed"'), { timeout: 30_000 }).toBe(round);
    }
    expect(tab.frames.at(-1)).toMatch(/^!.*ended 5 times within 3 minutes.*exit code 3/);
    expect((await stage.shell.failed).code).toBe("start_failed");
    expect(await (await stage.connect()).next("!")).toContain("failed");
  });
});

const count = (frames: readonly string[], text: string): number => frames.filter((frame) => frame.includes(text)).length;

describe("a disk that is full", () => {
  it("refuses a file in one sentence, keeps no half of it, and the rest works", async (context) => {
    const place = mkdtempSync(join(tmpdir(), "hawser-full-"));
    const before = process.env["TMPDIR"];
    if (!runAsRoot("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place)) {
      rmSync(place, { recursive: true });
      context.skip("a small disk can be made by root only");
    }
    try {
      process.env["TMPDIR"] = place;
      await using stage = await openStage();
      const headers = { ...stage.own, "x-file-name": "a" };
      const post = (body: Buffer) => stage.fetch("/files", { method: "POST", headers, body });
      const refused = await post(Buffer.alloc(4_000_000));
      expect([refused.status, refused.body]).toEqual([507, expect.stringContaining("ENOSPC")]);
      expect(readdirSync(stage.filesFolder)).toEqual([]);
      expect((await post(Buffer.alloc(100_000))).status).toBe(201);
      const tab = await stage.connect();
      await tab.next("ready");
      tab.send(say("t1", "what is 2 + 2?"));
      await tab.next('"id":"t1","type":"done"');
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      // Lazily: somebody may still look into it, and would keep it there.
      runAsRoot("umount", "-l", place);
      rmSync(place, { recursive: true });
    }
  });
});

/** Whether the machine's own program did it; only root may. */
function runAsRoot(program: "mount" | "umount", ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
