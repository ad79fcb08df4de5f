// The two clocks of a wait: what starts them again, what does not move them, and very long ones.

import { afterEach, describe, expect, it, vi } from "vitest";
import { startDeadline } from "../../src/flow/deadline.ts";
import type { HawserError } from "@hawser/protocol";
import { unixPair, wait } from "../pipes.ts";

function expiry(options: { idleMs?: number; totalMs?: number }): {
  error: Promise<HawserError>;
  touch(): void;
  clear(): void;
  isExpired(): boolean;
} {
  const { promise, resolve } = Promise.withResolvers<HawserError>();
  let isExpired = false;
  const deadline = startDeadline({
    ...options,
    onExpire(error) {
      expect(isExpired, "expired twice").toBe(false);
      isExpired = true;
      resolve(error);
    },
  });
  return { error: promise, touch: deadline.touch, clear: deadline.clear, isExpired: () => isExpired };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("on real timers", () => {
  it("expires after silence, naming the idle clock", async () => {
    const start = performance.now();
    const error = await expiry({ idleMs: 50 }).error;
    expect(error).toMatchObject({ code: "timeout", message: "no sign of life for 50 ms", facts: { clock: "idle", ms: 50 } });
    expect(performance.now() - start).toBeGreaterThanOrEqual(49);
  });

  it("signs of life put off the idle clock but not the total one", async () => {
    const start = performance.now();
    const deadline = expiry({ idleMs: 10_000, totalMs: 300 });
    const touching = setInterval(deadline.touch, 20);
    const error = await deadline.error;
    clearInterval(touching);
    expect(error).toMatchObject({ message: "no end within 300 ms", facts: { clock: "total", ms: 300 } });
    expect(performance.now() - start).toBeGreaterThanOrEqual(299);
  });

  it("does not blame a peer whose signs of life were already there while we were busy, of one wait or of 10,000", async () => {
    const [peer, mine] = await unixPair();
    for (const count of [1, 10_000]) {
      const deadlines = Array.from({ length: count }, (_, index) => expiry({ idleMs: 150 + (index % 3) }));
      const read = new Promise<void>((resolve) =>
        mine.once("data", () => {
          for (const deadline of deadlines) deadline.touch();
          resolve();
        }),
      );
      peer.write("still here");
      busyFor(400);
      await read;
      await new Promise(setImmediate);
      expect(deadlines.filter((deadline) => deadline.isExpired()).length).toBe(0);
      for (const deadline of deadlines) deadline.clear();
    }
  });

  it("clear stops it for good, also between its last look and its end", async () => {
    const early = expiry({ idleMs: 20, totalMs: 20 });
    early.clear();
    const late = expiry({ idleMs: 20 });
    busyFor(40);
    setImmediate(late.clear);
    await wait(80);
    expect([early.isExpired(), late.isExpired()]).toEqual([false, false]);
  });

  it("without clocks never expires and keeps no timer", async () => {
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const deadline = expiry({});
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBe(timers);
    deadline.touch();
    deadline.clear();
    await wait(5);
    expect(deadline.isExpired()).toBe(false);
  });

  it("RUN-14 a wait longer than 2^31 ms does not end at once", async () => {
    const deadlines = [expiry({ idleMs: 2 ** 31 }), expiry({ totalMs: 2 ** 40 }), expiry({ idleMs: 2 ** 31 + 5, totalMs: Infinity })];
    await wait(60);
    for (const deadline of deadlines) {
      expect(deadline.isExpired()).toBe(false);
      deadline.clear();
    }
  });

  it("RUN-14 a clock that jumps a day forth or back moves neither", async () => {
    const short = expiry({ idleMs: 1_500 });
    const long = expiry({ idleMs: 60_000, totalMs: 60_000 });
    const day = 86_400_000;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + day });
    await wait(10);
    expect([short.isExpired(), long.isExpired()]).toEqual([false, false]);
    vi.setSystemTime(Date.now() - 2 * day);
    await short.error;
    expect(long.isExpired()).toBe(false);
    long.clear();
  });
});

it("RUN-14 a wait of 30 days ends after 30 days", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const days = 86_400_000;
  const deadline = expiry({ totalMs: 30 * days });
  await vi.advanceTimersByTimeAsync(30 * days - 1_000);
  expect(deadline.isExpired()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(deadline.isExpired()).toBe(true);
});

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
