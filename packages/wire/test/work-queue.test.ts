// The bounded queue: order, bounds, taking back, waiting for room, and jobs that fail.

import { describe, expect, it } from "vitest";
import { createWorkQueue, type WorkQueue } from "../src/work-queue.ts";

const errors: unknown[] = [];
const create = (workers: number, capacity: number): WorkQueue =>
  createWorkQueue({ workers, capacity, onJobError: (error) => errors.push(error) });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A job that runs until `finish`, and notes that it started. */
function controlled(started: string[], name: string): { job(): Promise<void>; finish(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { job: () => (started.push(name), promise), finish: resolve };
}

it("runs as many jobs as it has workers, and starts the others in order", async () => {
  const queue = create(2, 10);
  const started: string[] = [];
  const jobs = ["a", "b", "c", "d", "e"].map((name) => controlled(started, name));
  for (const { job } of jobs) expect(queue.add(job)).toBeDefined();
  expect([started.join(""), queue.running, queue.waiting]).toEqual(["ab", 2, 3]);
  jobs[1]?.finish();
  await turn();
  expect([started.join(""), queue.running, queue.waiting]).toEqual(["abc", 2, 2]);
  for (const { finish } of jobs) finish();
  await turn();
  expect([started.join(""), queue.running, queue.waiting]).toEqual(["abcde", 0, 0]);
});

it("G11 full means full: a job that does not fit is not taken, and never runs", async () => {
  const queue = create(1, 2);
  const started: string[] = [];
  const jobs = ["a", "b", "c", "d"].map((name) => controlled(started, name));
  expect(jobs.map(({ job }) => queue.add(job) !== undefined)).toEqual([true, true, true, false]);
  for (const { finish } of jobs) finish();
  await turn();
  expect(started).toEqual(["a", "b", "c"]);
});

describe("withdraw", () => {
  it("takes back a job that has not started, once; a started one stays", async () => {
    const queue = create(1, 3);
    const started: string[] = [];
    const [a, b, c] = [controlled(started, "a"), controlled(started, "b"), controlled(started, "c")];
    const [running, waiting] = [queue.add(a.job), queue.add(b.job)];
    queue.add(c.job);
    expect([running?.withdraw(), waiting?.withdraw(), waiting?.withdraw(), queue.waiting]).toEqual([false, true, false, 1]);
    a.finish();
    await turn();
    expect([started, waiting?.withdraw()]).toEqual([["a", "c"], false]);
  });

  it("tells two tickets of the same function apart", async () => {
    const queue = create(1, 3);
    let runs = 0;
    const blocker = controlled([], "a");
    queue.add(blocker.job);
    const job = (): Promise<void> => Promise.resolve(void runs++);
    const [first] = [queue.add(job), queue.add(job)];
    expect(first?.withdraw()).toBe(true);
    blocker.finish();
    await turn();
    expect(runs).toBe(1);
  });
});

describe("whenRoom", () => {
  it("resolves at once while there is room, else when a job ends or is taken back", async () => {
    const queue = create(1, 1);
    await queue.whenRoom();
    const [a, b] = [controlled([], "a"), controlled([], "b")];
    queue.add(a.job);
    await queue.whenRoom();
    const ticket = queue.add(b.job);
    let rooms = 0;
    const first = queue.whenRoom().then(() => rooms++);
    await turn();
    expect(rooms).toBe(0);
    ticket?.withdraw();
    await first;
    queue.add(b.job);
    const second = queue.whenRoom().then(() => rooms++);
    a.finish();
    await second;
    expect(rooms).toBe(2);
  });

  it("one producer that waits for room never loses a job and never exceeds the bounds", async () => {
    const queue = create(3, 4);
    const seen: number[] = [];
    for (let n = 0; n < 500; n++) {
      await queue.whenRoom();
      const ticket = queue.add(async () => {
        await (n % 3 ? turn() : Promise.resolve());
        seen.push(n);
      });
      expect(ticket).toBeDefined();
      expect(queue.running).toBeLessThanOrEqual(3);
      expect(queue.waiting).toBeLessThanOrEqual(4);
    }
    while (queue.running > 0) await turn();
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });
});

it("reports a job that fails, whichever way, and goes on", async () => {
  const queue = create(1, 5);
  const started: string[] = [];
  queue.add(() => Promise.reject(new Error("rejected")));
  queue.add(() => {
    throw new Error("thrown");
  });
  queue.add(() => Promise.resolve(void started.push("next")));
  await turn();
  expect(errors.map(String)).toEqual(["Error: rejected", "Error: thrown"]);
  expect([started, queue.running, queue.waiting]).toEqual([["next"], 0, 0]);
});

it.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 53])("RPC-15 refuses %d workers and a queue of that size", (count) => {
  expect(() => create(count, 1)).toThrow(expect.objectContaining({ code: "usage" }));
  expect(() => create(1, count)).toThrow(expect.objectContaining({ code: "usage" }));
});
