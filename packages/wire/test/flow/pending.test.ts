// The client's table: every wait ends exactly once, whoever ends it, and strangers change nothing.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { createPendingTable } from "../../src/flow/pending.ts";

const failure = new HawserError("internal", "failed");

describe("answers", () => {
  it("settle the one wait of their id, once", async () => {
    const table = createPendingTable<never, number>();
    const [a, b] = [table.wait("a"), table.wait("b")];
    expect(table.size).toBe(2);
    expect(table.resolve("b", 2)).toBe(true);
    expect(table.reject("a", failure)).toBe(true);
    expect(await b).toBe(2);
    await expect(a).rejects.toBe(failure);
    expect(table.size).toBe(0);
  });

  it("RUN-17 that come late, twice or for an invented id are reported by false and change nothing", async () => {
    const table = createPendingTable<string, number>();
    const wait = table.wait("a");
    expect(table.resolve("a", 1)).toBe(true);
    expect([table.resolve("a", 2), table.reject("a", failure), table.event("a", "x")]).toEqual([false, false, false]);
    expect([table.resolve("zzz", 1), table.event("", "x"), table.resolve("__proto__", 1)]).toEqual([false, false, false]);
    expect(await wait).toBe(1);
  });

  it("R146 an id that is waited for can't be waited for again until it has ended", async () => {
    const table = createPendingTable<never, string>();
    const first = table.wait("a");
    await expect(table.wait("a")).rejects.toMatchObject({ code: "duplicate_id" });
    table.resolve("a", "first");
    expect(await first).toBe("first");
    const again = table.wait("a");
    table.resolve("a", "again");
    expect(await again).toBe("again");
  });

  it("events reach their own wait, in order, and only until its end", async () => {
    const table = createPendingTable<number, string>();
    const seen: number[] = [];
    const wait = table.wait("a", { onEvent: (event) => seen.push(event) });
    for (const event of [1, 2, 3]) expect(table.event("a", event)).toBe(true);
    table.resolve("a", "end");
    expect(table.event("a", 4)).toBe(false);
    expect([await wait, seen]).toEqual(["end", [1, 2, 3]]);
  });
});

describe("giving up", () => {
  it("an abort rejects with cancelled and leaves no listener", async () => {
    const table = createPendingTable<never, number>();
    const controller = new AbortController();
    const wait = table.wait("a", { signal: controller.signal });
    const settled = table.wait("b", { signal: controller.signal });
    table.resolve("b", 1);
    controller.abort("enough");
    await expect(wait).rejects.toMatchObject({ code: "cancelled", cause: "enough" });
    expect(await settled).toBe(1);
    expect(table.resolve("a", 1)).toBe(false);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("a signal that is already aborted rejects at once, and the table keeps nothing", async () => {
    const table = createPendingTable();
    await expect(table.wait("a", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expect(table.size).toBe(0);
  });

  it("silence ends a wait, events put that off, and the late answer is a stranger", async () => {
    const table = createPendingTable<string, number>();
    const silent = table.wait("silent", { idleMs: 250 });
    const lively = table.wait("lively", { idleMs: 250 });
    const events = setInterval(() => table.event("lively", "still here"), 20);
    await expect(silent).rejects.toMatchObject({ code: "timeout", facts: { clock: "idle" } });
    expect(table.resolve("lively", 7)).toBe(true);
    clearInterval(events);
    expect([await lively, table.resolve("silent", 1)]).toEqual([7, false]);
  });

  it("the total time ends a wait in spite of events", async () => {
    const table = createPendingTable<string, number>();
    const events = setInterval(() => table.event("a", "still here"), 10);
    await expect(table.wait("a", { idleMs: 10_000, totalMs: 100 })).rejects.toMatchObject({ code: "timeout", facts: { clock: "total" } });
    clearInterval(events);
  });

  it("a settled wait leaves no timer behind", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const table = createPendingTable<never, number>();
    const waits = Array.from({ length: 50 }, (_, id) => table.wait(String(id), { idleMs: 60_000, totalMs: 60_000 }));
    expect(timers()).toBe(before + 50);
    for (let id = 0; id < 50; id++) table.resolve(String(id), id);
    await Promise.all(waits);
    expect(timers()).toBe(before);
  });
});

describe("close", () => {
  it("settles every wait with the first reason, and each later one at once", async () => {
    const table = createPendingTable<never, number>();
    const waits = Array.from({ length: 1_000 }, (_, id) => table.wait(String(id), { idleMs: 60_000 }));
    table.close(failure);
    table.close(new HawserError("closed", "second"));
    const outcomes = await Promise.allSettled([...waits, table.wait("late")]);
    expect(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === failure)).toBe(true);
    expect(table.size).toBe(0);
  });
});
