// The server's table: one final answer per request, cancel that reaches its handler, and the end.

import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { createInFlightTable } from "../../src/flow/in-flight.ts";

const reason = new HawserError("cancelled", "enough");

describe("a flight", () => {
  it("may be finished once: only the first caller may write the answer", () => {
    const table = createInFlightTable();
    const flight = table.begin("a");
    expect([table.size, table.has("a"), table.has("b")]).toEqual([1, true, false]);
    expect([flight.finish(), flight.finish()]).toEqual([true, false]);
    expect([table.size, table.has("a")]).toEqual([0, false]);
  });

  it("RPC-03 of an id that is in flight twice, each ends by itself, and cancel hits both and says how many", () => {
    const table = createInFlightTable();
    const [first, second] = [table.begin("a"), table.begin("a")];
    const other = table.begin("b");
    expect(table.cancel("a", reason)).toBe(2);
    expect([first.signal.reason, second.signal.reason, other.signal.aborted]).toEqual([reason, reason, false]);
    expect(first.finish()).toBe(true);
    expect([table.has("a"), table.size]).toEqual([true, 2]);
    expect(second.finish()).toBe(true);
    expect([table.has("a"), table.size, table.cancel("a", reason)]).toEqual([false, 1, 0]);
  });

  it("that was cancelled still gets its one answer", () => {
    const table = createInFlightTable();
    const flight = table.begin("a");
    table.cancel("a", reason);
    expect([flight.finish(), flight.finish()]).toEqual([true, false]);
  });

  it("of a new request with a finished request's id is not touched by the old one", () => {
    const table = createInFlightTable();
    const old = table.begin("a");
    old.finish();
    const fresh = table.begin("a");
    expect(old.finish()).toBe(false);
    expect([table.size, table.has("a"), fresh.signal.aborted]).toEqual([1, true, false]);
  });

  it("names of prototypes are ordinary ids", () => {
    const table = createInFlightTable();
    expect([table.has("__proto__"), table.cancel("constructor", reason)]).toEqual([false, 0]);
    table.begin("__proto__");
    expect(table.has("__proto__")).toBe(true);
  });
});

describe("flights of one id", () => {
  it.each([
    ["first", 0, [1, 2]],
    ["second", 1, [0, 2]],
    ["last", 2, [0, 1]],
  ])("once the %s has ended, the others are cancelled, in the order in which they began", (_which, ended, left) => {
    const table = createInFlightTable();
    const told: number[] = [];
    const flights = [0, 1, 2].map((index) => {
      const flight = table.begin("a");
      flight.signal.addEventListener("abort", () => told.push(index));
      return flight;
    });
    flights[ended]?.finish();
    expect([table.cancel("a", reason), told]).toEqual([2, left]);
    for (const index of left) expect(flights[index]?.finish()).toBe(true);
    expect([table.has("a"), table.size]).toEqual([false, 0]);
  });
});

describe("the whole table", () => {
  it("cancelAll reaches every flight, also when handlers finish while it runs", () => {
    const table = createInFlightTable();
    const flights = Array.from({ length: 100 }, (_, id) => table.begin(String(id % 10)));
    for (const flight of flights) flight.signal.addEventListener("abort", () => flight.finish());
    table.cancelAll(reason);
    expect(flights.every(({ signal }) => signal.reason === reason)).toBe(true);
    expect(table.size).toBe(0);
  });

  it("whenEmpty resolves at once for an empty table, else with the last flight", async () => {
    const table = createInFlightTable();
    await table.whenEmpty();
    const [a, b] = [table.begin("a"), table.begin("b")];
    let waiters = 0;
    const waits = [table.whenEmpty().then(() => waiters++), table.whenEmpty().then(() => waiters++)];
    a.finish();
    await new Promise(setImmediate);
    expect(waiters).toBe(0);
    b.finish();
    await Promise.all(waits);
    expect(waiters).toBe(2);
  });
});
