// What the host client does when its runtime ends before it should: nobody waits for ever, nothing is asked
// twice, and a runtime that keeps ending is given up.

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentHostLimits } from "../../src/host/limits.ts";
import type { HawserError } from "@hawser/protocol";
import { spawnAgent } from "../../src/host/index.ts";
import { eventsOf, failureOf, fixture, isAlive, spawnScripted, textOf } from "./scripted.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { until } from "../../../../test/kit/until.ts";

const rounds = process.env[longTestsVariable] === undefined ? 16 : 50;

describe.concurrent("a runtime that crashes", () => {
  it("every pending request ends with connection_lost after what came before, and the next one is served by a new process", async () => {
    const restarts: HawserError[] = [];
    await using agent = await spawnScripted([], { onRestart: (reason) => restarts.push(reason) });
    const { pid } = agent;
    const silent = failureOf(eventsOf(agent.send("silent")));
    const seen: string[] = [];
    const crash = await failureOf(
      (async () => {
        for await (const event of agent.send("crash")) if (event.type === "token") seen.push(event.token);
      })(),
    );
    expect([crash.code, crash.facts["code"], seen]).toEqual(["connection_lost", 3, ["last words"]]);
    expect((await silent).code).toBe("connection_lost");
    expect(await textOf(agent.send("hello"))).toBe("Hello world");
    expect(agent.pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    expect(restarts).toHaveLength(1);
  });

  it("nothing is asked again of the new process", async () => {
    await using agent = await spawnScripted();
    await failureOf(eventsOf(agent.send("crash")));
    const lines = JSON.parse(await textOf(agent.send("lines"))) as string[];
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(["lines"]);
  });

  it("RUN-16: five times within three minutes is given up with a clear error, and leaves no process", { timeout: 240_000 }, async () => {
    expect([agentHostLimits.hostCrashEntries, agentHostLimits.hostCrashWindowMs]).toEqual([5, 180_000]);
    const pids = new Set<number | undefined>();
    await using agent = await spawnScripted(["--crash-when-ready"], { onRestart: () => pids.add(agent.pid) });
    let last: HawserError | undefined;
    await until(async () => {
      last = await failureOf(eventsOf(agent.send("silent")));
      return last.code === "start_failed";
    }, 150_000);
    expect(last?.message).toMatch(/^the agent ended 5 times within 3 minutes and is not started again; the last time: .*exit code 5/);
    expect(agent.pid).toBeUndefined();
    expect([...pids].filter(isAlive)).toEqual([]);
  });

  it("RUN-16: one that can't even start any more is counted too, and is given up after the fifth time", { timeout: 240_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-host-"));
    const program = join(folder, "agent.mjs");
    try {
      copyFileSync(fixture, program);
      await using agent = await spawnScripted([], { args: [program] });
      writeFileSync(program, "process.exit(6);");
      await failureOf(eventsOf(agent.send("crash")));
      let last: HawserError | undefined;
      await until(async () => (last = await failureOf(eventsOf(agent.send("hello")))).message.includes("times"), 150_000);
      expect(last?.message).toMatch(
        /^the agent ended 5 times within 3 minutes and is not started again; the last time: .*exit code 6\) before/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("with restart: false stays ended", async () => {
    await using agent = await spawnScripted([], { restart: false });
    await failureOf(eventsOf(agent.send("crash")));
    expect(await failureOf(eventsOf(agent.send("hello")))).toMatchObject({ code: "connection_lost" });
    expect(agent.pid).toBeUndefined();
  });

  it("RUN-16: started and closed again and again, 50 times in the long form, leaves no process behind", { timeout: 240_000 }, async () => {
    const pids: (number | undefined)[] = [];
    const startAndClose = async (round: number): Promise<void> => {
      const agent = await spawnScripted();
      pids.push(agent.pid);
      if (round % 2 === 0) void failureOf(eventsOf(agent.send("silent")));
      await agent.close();
    };
    // Two at a time: the one ends while the other begins.
    for (let round = 0; round < rounds; round += 2) await Promise.all([startAndClose(round), startAndClose(round + 1)]);
    expect(new Set(pids).size).toBe(rounds);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe.concurrent("a program that is no runtime", () => {
  it("is said not to exist", async () => {
    expect(await failureOf(spawnAgent({ command: "no-such-program-here" }))).toMatchObject({
      code: "start_failed",
      message: "can't start no-such-program-here: there is no such program; check the name and the PATH",
    });
  });

  it("that ends at once is said to have ended, and is not started again", async () => {
    expect(await failureOf(spawnScripted(["--crash-at-start"]))).toMatchObject({
      code: "start_failed",
      message: expect.stringMatching(/ended \(exit code 4\) before it said `ready`$/) as string,
    });
  });

  it("that never says ready is stopped after a bounded time", async () => {
    expect(await failureOf(spawnScripted(["--never-ready"], { readyMs: 500 }))).toMatchObject({
      code: "start_failed",
      message: expect.stringMatching(/did not say `ready` within 500 ms; it was stopped$/) as string,
    });
  });
});
