// Deadlines of many calls on one timer: each ends its own call, whatever the others do, and none keeps a process alive.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRunningCalls, type RunningCall } from "../../src/execute/interruption.ts";
import { until } from "../../../../test/kit/until.ts";

function callFor(ms: number, onEnd: (how: string) => void, startedAt = performance.now()): RunningCall {
  return { place: -1, endsAt: startedAt + ms, expire: () => onEnd("expired"), cancel: () => onEnd("cancelled") };
}

describe("RPC-13: deadlines of running calls", () => {
  it("a call that begins later and must end sooner is not held up by one with more time, nor the other way round", async () => {
    const running = createRunningCalls();
    const ended: string[] = [];
    const startedAt = performance.now();
    const add = (name: string, ms: number): void => {
      const onEnd = (how: string): void => {
        ended.push(`${name} ${how}`);
        running.delete(call);
      };
      const call = callFor(ms, onEnd, startedAt);
      running.add(call);
    };
    add("long", 3_600_000);
    add("second", 200);
    add("first", 20);
    await until(() => ended.length === 2);
    expect(ended).toEqual(["first expired", "second expired"]);
    running.cancelAll();
    expect(ended).toEqual(["first expired", "second expired", "long cancelled"]);
  });

  it("calls whose deadlines passed while the process was busy are told in the order of these", async () => {
    const running = createRunningCalls();
    const ended: number[] = [];
    const startedAt = performance.now();
    for (const ms of [30, 10, 20]) {
      const onEnd = (): void => {
        ended.push(ms);
        running.delete(call);
      };
      const call = callFor(ms, onEnd, startedAt);
      running.add(call);
    }
    while (performance.now() < startedAt + 50);
    await until(() => ended.length === 3);
    expect(ended).toEqual([10, 20, 30]);
  });

  it("a call that has ended is not told anything, wherever it stood among the others", async () => {
    const running = createRunningCalls();
    const told: number[] = [];
    const calls = [0, 1, 2, 3, 4].map((at) => callFor(30, () => told.push(at)));
    for (const call of calls) running.add(call);
    for (const at of [4, 0, 2]) running.delete(calls[at] as RunningCall);
    running.delete(calls[0] as RunningCall);
    running.cancelAll();
    expect(told.toSorted((one, other) => one - other)).toEqual([1, 3]);
    for (const at of [1, 3]) running.delete(calls[at] as RunningCall);
    await sleep(100);
    expect(told.length).toBe(2);
  });

  it("an answer that lay there while the process was busy counts, though the deadline has passed", async () => {
    const running = createRunningCalls();
    let told = "";
    const call = callFor(300, (how) => (told = how));
    running.add(call);
    // From here the timers come next, and only behind them what lay there: so does what lies in a socket.
    await nextTurn();
    while (performance.now() < call.endsAt + 40);
    setImmediate(() => running.delete(call));
    await sleep(100);
    expect(told).toBe("");
  });

  it("G11: after the last call the process may end, however much time that one still had", async () => {
    const module = fileURLToPath(new URL("../../src/execute/interruption.ts", import.meta.url));
    const call = "{ place: -1, endsAt: performance.now() + 3_600_000, expire() {}, cancel() {} }";
    const script = `const { createRunningCalls } = await import(${JSON.stringify(module)});
      const running = createRunningCalls(); const call = ${call};
      running.add(call); running.delete(call); running.add(call); running.delete(call);`;
    const ended = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
    await expect(ended).resolves.toMatchObject({ stderr: "" });
  });
});
