// Seats: order, bounds, leaving the line, waiting for room, closing.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSemaphore, type Lease } from "../../src/flow/semaphore.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("gives as many leases as there are seats, and the others in the order of arrival", async () => {
  const semaphore = createSemaphore(2);
  const admitted: string[] = [];
  const leases = ["a", "b", "c", "d"].map(async (name) => {
    const lease = await semaphore.acquire();
    admitted.push(name);
    return lease;
  });
  await turn();
  expect([admitted.join(""), semaphore.used, semaphore.waiting]).toEqual(["ab", 2, 2]);
  (await leases[1])?.release();
  await turn();
  expect([admitted.join(""), semaphore.used, semaphore.waiting]).toEqual(["abc", 2, 1]);
});

it("a lease counts once, however often it is released", async () => {
  const semaphore = createSemaphore(1);
  const first = await semaphore.acquire();
  first.release();
  first.release();
  expect(semaphore.used).toBe(0);
  const second = semaphore.tryAcquire();
  first.release();
  expect([second !== undefined, semaphore.used, semaphore.tryAcquire()]).toEqual([true, 1, undefined]);
});

it("a seat goes from hand to hand: no newcomer gets in between", async () => {
  const semaphore = createSemaphore(1);
  const held = await semaphore.acquire();
  const waiting = semaphore.acquire();
  held.release();
  expect(semaphore.tryAcquire()).toBeUndefined();
  (await waiting).release();
  expect(semaphore.tryAcquire()).toBeDefined();
});

describe("G11 a bounded line", () => {
  it("refuses beyond its length, and says when there is room again", async () => {
    const semaphore = createSemaphore(1, { maxWaiting: 1 });
    const held = await semaphore.acquire();
    const waiting = semaphore.acquire();
    expect(semaphore.isFull).toBe(true);
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: "overloaded" });
    let hasRoom = false;
    const room = semaphore.whenRoom().then(() => (hasRoom = true));
    await turn();
    expect(hasRoom).toBe(false);
    held.release();
    await room;
    expect([semaphore.isFull, semaphore.waiting]).toEqual([false, 0]);
    (await waiting).release();
  });

  it.each([0, -1, Number.NaN])("%s seats are refused", (seats) => {
    expect(() => createSemaphore(seats)).toThrow("seats");
  });
});

it("G7 a caller that is cancelled while it waits leaves the line, with the signal's reason", async () => {
  const semaphore = createSemaphore(1, { maxWaiting: 1 });
  const held = await semaphore.acquire();
  const controller = new AbortController();
  const cancelled = semaphore.acquire(controller.signal);
  controller.abort(new Error("no longer"));
  await expect(cancelled).rejects.toThrow("no longer");
  expect([semaphore.waiting, semaphore.isFull]).toEqual([0, false]);
  await expect(semaphore.acquire(controller.signal)).rejects.toThrow("no longer");
  held.release();
  expect(semaphore.used).toBe(0);
});

it("closing refuses those who wait and those who come", async () => {
  const semaphore = createSemaphore(1);
  const held = await semaphore.acquire();
  const waiting = semaphore.acquire();
  semaphore.close(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
  await expect(semaphore.acquire()).rejects.toThrow("stopping");
  held.release();
  expect([semaphore.used, semaphore.tryAcquire()]).toEqual([0, undefined]);
});

it("follows a number of seats that changes", async () => {
  let seats = 1;
  const semaphore = createSemaphore(() => seats);
  const held = await semaphore.acquire();
  const waiting = [semaphore.acquire(), semaphore.acquire()];
  seats = 3;
  held.release();
  await Promise.all(waiting);
  expect([semaphore.used, semaphore.waiting]).toEqual([2, 0]);
});

it("an action that throws gives its seat back", async () => {
  const semaphore = createSemaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await semaphore.run(() => Promise.resolve("next"))).toBe("next");
});

it("G1 whatever is acquired, released and cancelled: never more leases than seats, and none is lost", async () => {
  const steps = fc.array(fc.constantFrom("acquire", "release", "cancel"), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (seats, actions) => {
      const semaphore = createSemaphore(seats);
      const held: Lease[] = [];
      const line: AbortController[] = [];
      let asked = 0;
      let refused = 0;
      for (const action of actions) {
        if (action === "acquire") {
          const controller = new AbortController();
          line.push(controller);
          asked++;
          semaphore.acquire(controller.signal).then(
            (lease) => held.push(lease),
            () => refused++,
          );
        } else if (action === "release") held.shift()?.release();
        else line.pop()?.abort(new Error("cancelled"));
        await turn();
        expect(semaphore.used).toBe(held.length);
        expect(held.length).toBeLessThanOrEqual(seats);
      }
      while (held.length > 0) {
        for (const lease of held.splice(0)) lease.release();
        await turn();
      }
      expect([semaphore.used, semaphore.waiting]).toEqual([0, 0]);
      expect(refused).toBeLessThanOrEqual(asked);
    }),
    { numRuns: 60 },
  );
});

describe("weights", () => {
  const create = () => createSemaphore(2, { maxWeight: 100 });

  it("bound those with a seat together, and one that weighs more than all alone fits when it is alone", async () => {
    const semaphore = create();
    const large = semaphore.tryAcquire(1_000);
    expect([large !== undefined, semaphore.tryAcquire(1), semaphore.used]).toEqual([true, undefined, 1]);
    const waiting = semaphore.acquire(undefined, 1);
    large?.release();
    await waiting;
    expect([semaphore.used, semaphore.tryAcquire(100), semaphore.tryAcquire(99) !== undefined]).toEqual([1, undefined, true]);
  });

  it("keep the order of arrival, and when one that is too heavy gives up, the one behind it gets its seat", async () => {
    const semaphore = create();
    semaphore.tryAcquire(60);
    const givingUp = new AbortController();
    const heavy = semaphore.acquire(givingUp.signal, 60);
    const light = semaphore.acquire(undefined, 5);
    await turn();
    expect([semaphore.used, semaphore.waiting]).toEqual([1, 2]);
    givingUp.abort(new Error("given up"));
    await expect(heavy).rejects.toThrow("given up");
    await light;
    expect([semaphore.used, semaphore.waiting]).toEqual([2, 0]);
  });

  it("admit no one while it is being closed", async () => {
    const semaphore = create();
    semaphore.tryAcquire(60);
    const waiting = [semaphore.acquire(undefined, 60), semaphore.acquire(undefined, 5)];
    semaphore.close(new Error("closed"));
    for (const each of waiting) await expect(each).rejects.toThrow("closed");
    expect(semaphore.used).toBe(1);
  });
});
