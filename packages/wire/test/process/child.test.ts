// Children that we own: they start or say why not, they stop by steps from polite to certain, and they
// never outlive their owner. All with real processes.

import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { ndjson } from "../../src/codec/ndjson.ts";
import { startChild, type Child, type ChildOptions } from "../../src/process/child.ts";
import { countDescriptors, fixturePath, isRunning, it, until } from "./real-programs.ts";

// Time enough for a busy machine; whoever is about the steps of a stop says how long each is.
const patience = { stopInputMs: 30_000, stopSignalMs: 30_000 };

const startFixture = (name: string, options: Partial<ChildOptions> & { behaviour?: readonly string[] } = {}): Promise<Child> =>
  startChild({
    command: process.execPath,
    args: [fixturePath(name), ...(options.behaviour ?? [])],
    codec: ndjson,
    ...patience,
    ...options,
  });

const listenersAtFirst = process.listenerCount("exit");

/** The next message of the child. */
async function receive(child: Child): Promise<unknown> {
  const { value } = await child.transport.incoming[Symbol.asyncIterator]().next();
  return (value as { value?: unknown } | undefined)?.value;
}

describe.concurrent("starting a child", () => {
  it("says which program does not exist", async () => {
    await expect(startChild({ command: "no-such-program", codec: ndjson })).rejects.toMatchObject({
      code: "start_failed",
      message: "can't start no-such-program: there is no such program; check the name and the PATH",
      facts: { command: "no-such-program" },
    });
  });

  it("says which directory does not exist, instead of blaming the program", async ({ directory }) => {
    const cwd = join(directory, "missing");
    await expect(startChild({ command: process.execPath, cwd, codec: ndjson })).rejects.toMatchObject({
      code: "start_failed",
      message: `can't start ${process.execPath}: its working directory ${cwd} does not exist`,
    });
  });

  it("fails with start_failed also for what Node refuses by throwing", async ({ directory }) => {
    await expect(startChild({ command: directory, codec: ndjson })).rejects.toMatchObject({ code: "start_failed" });
    const args = ["x".repeat(3_000_000)];
    await expect(startChild({ command: process.execPath, args, codec: ndjson })).rejects.toMatchObject({ code: "start_failed" });
    await expect(startChild({ command: "with\0null", codec: ndjson })).rejects.toMatchObject({ code: "start_failed" });
  });

  it("makes its pipes a transport, and its stderr a callback", async () => {
    let stderr = "";
    const child = await startFixture("process-child.ts", { behaviour: ["polite"], onStderr: (chunk) => (stderr += chunk.toString()) });
    await child.transport.send({ question: 1 });
    expect(await receive(child)).toEqual({ pid: child.pid });
    expect(await receive(child)).toEqual({ question: 1 });
    expect(await child.stop()).toEqual({ code: 0, signal: null });
    expect(stderr).toBe("up\nsaw the end of input\n");
  });
});

describe.concurrent("stopping a child", () => {
  it("G1 lets it finish an answer that takes longer than a flush, when it is given the time", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["late-last-words"], onStderr: () => {} });
    await receive(child);
    const stopped = child.stop();
    expect(await receive(child)).toEqual({ last: "words" });
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it("G9 that ends with its input takes no signal, and its last words arrive", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["last-words"], onStderr: () => {} });
    expect(await receive(child)).toEqual({ pid: child.pid });
    const stopping = child.stop();
    expect(child.stop()).toBe(stopping);
    expect(await stopping).toEqual({ code: 0, signal: null });
    expect(await receive(child)).toEqual({ last: "words" });
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it("loses none of very many last words, although the reader is slower than the child ends", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["many-last-words"] });
    let received = 0;
    const reading = (async () => {
      for await (const item of child.transport.incoming) {
        if (item.kind === "message" && ++received % 100 === 0) await new Promise(setImmediate);
      }
    })();
    expect(await child.stop()).toEqual({ code: 0, signal: null });
    await reading;
    expect(received).toBe(20_001);
  });

  it("G9 that ignores the end of its input takes SIGTERM", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["ignores-eof"], stopInputMs: 200 });
    await receive(child);
    expect(await child.stop()).toEqual({ code: null, signal: "SIGTERM" });
    expect(isRunning(child.pid)).toBe(false);
  });

  it("G9 that ignores SIGTERM too takes SIGKILL", async () => {
    const child = await startFixture("process-child.ts", {
      behaviour: ["ignores-eof", "ignores-sigterm"],
      stopInputMs: 200,
      stopSignalMs: 200,
    });
    await receive(child);
    expect(await child.stop()).toEqual({ code: null, signal: "SIGKILL" });
    expect(isRunning(child.pid)).toBe(false);
  });

  it("settles although a grandchild holds its pipes", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["grandchild"], onStderr: () => {} });
    const { grandchild } = (await receive(child)) as { grandchild: number };
    expect(await child.stop()).toEqual({ code: 0, signal: null });
    expect(isRunning(grandchild)).toBe(true);
    process.kill(grandchild, "SIGKILL");
  });

  it("lets its own process end although a grandchild holds all three pipes", async ({ start }) => {
    const owner = start("process-owner.ts", { args: ["stop-grandchild"] });
    // The grandchild has the pipes of the child, not these: they are read to their end.
    const { code } = await owner.ended;
    const [grandchild = 0] = JSON.parse(owner.stdout) as number[];
    expect(code).toBe(0);
    expect(isRunning(grandchild)).toBe(true);
    process.kill(grandchild, "SIGKILL");
  });

  it("that has ended by itself is no work", async () => {
    const child = await startFixture("process-child.ts", { behaviour: ["exits-with-9"], onStderr: () => {} });
    expect(await child.exited).toEqual({ code: 9, signal: null });
    expect(await child.stop()).toEqual({ code: 9, signal: null });
    child.kill("SIGTERM");
    expect(await child.transport.closed).toBeUndefined();
  });
});

describe.concurrent("the end of the owner", () => {
  it.for([
    { ending: "exit", exit: { code: 3, signal: null } },
    { ending: "exit-at-once", exit: { code: 3, signal: null } },
    { ending: "throw", exit: { code: 1, signal: null } },
    { ending: "wait", exit: { code: null, signal: "SIGTERM" } },
  ])("G9 by $ending takes its children with it, even those that ignore everything", async ({ ending, exit }, { start }) => {
    const owner = start("process-owner.ts", { args: [ending] });
    await owner.whenPrinted("]");
    const pids = JSON.parse(owner.stdout) as number[];
    expect(pids).toHaveLength(2);
    if (ending === "wait") {
      expect(pids.every(isRunning)).toBe(true);
      owner.process.kill("SIGTERM");
    }
    expect(await owner.exited).toEqual(exit);
    await until(() => !pids.some(isRunning), 30_000, "the children are gone");
  });
});

describe("the end of the owner in the middle of a start", () => {
  it("G9 takes the child with it too", async ({ directory, start }) => {
    const report = join(directory, "report");
    const owner = start("process-owner.ts", { args: ["exit-in-start", report] });
    expect(await owner.ended).toEqual({ code: 3, signal: null });
    // A child that lived would report within the time that its owner needed to come up, and some more.
    await delay(1_000);
    const isAlive = fs.existsSync(report);
    if (isAlive) process.kill(Number(fs.readFileSync(report, "utf8")), "SIGKILL");
    expect(isAlive).toBe(false);
  });
});

describe("a host that starts and stops its child again and again", () => {
  it("RUN-16, G9 has no process and no descriptor more after 50 times", async () => {
    const start = (): Promise<Child> => startChild({ command: "cat", codec: ndjson, ...patience, onStderr: () => {} });
    await (await start()).stop();
    const descriptors = countDescriptors();
    const pids: number[] = [];
    for (let round = 0; round < 50; round++) {
      const child = await start();
      pids.push(child.pid);
      // Every other one is stopped before it has done anything.
      if (round % 2 === 0) await child.transport.send({ round });
      if (round % 2 === 0) expect(await receive(child)).toEqual({ round });
      expect(await child.stop()).toEqual({ code: 0, signal: null });
    }
    expect(new Set(pids).size).toBe(50);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(process.listenerCount("exit")).toBe(listenersAtFirst);
    await delay(0);
    await until(() => countDescriptors() <= descriptors, 30_000, "no descriptor is left");
  });
});
