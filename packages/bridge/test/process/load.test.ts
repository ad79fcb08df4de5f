// Many calls at once: every one is answered, with its own answer, in bounded memory; a client that stalls
// slows the calls down and loses nothing.

import { describe, expect } from "vitest";
import { defineTool, it, type RawBridge } from "./bridges.ts";
import { peakMegabytes } from "../../../../test/kit/processes.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../test/kit/until.ts";

const input = { type: "object" } as const;
const maxMegabytes = 128;

describe("load", () => {
  /** Calls `count` times at once; returns the order in which the function was started. */
  async function callAtOnce(bridge: RawBridge, started: readonly number[], count: number): Promise<readonly number[]> {
    await bridge.initialize();
    const ids = Array.from({ length: count }, (_, n) => bridge.startCall("note", { n, padding: "p".repeat(1_000) }));
    const texts = await Promise.all(ids.map(async (id) => (await bridge.answerTo(id)).result.content[0].text as string));
    expect(texts).toEqual(ids.map((_, n) => `answer ${n}`));
    expect(bridge.messages.filter(({ id }) => id !== undefined)).toHaveLength(count + 1);
    return started;
  }

  function createNote() {
    const started: number[] = [];
    const run = ({ n }: Record<string, unknown>): string => `answer ${started.push(Number(n)) && String(n)}`;
    return { started, note: defineTool({ name: "note", description: "", input, run }) };
  }

  it("BRG-13: a thousand calls queued at once are all answered in 128 MB; none is overtaken but by those that run beside it", async ({
    serve,
    start,
  }) => {
    const { note, started } = createNote();
    const bridge = start((await serve([note])).mcpServerConfig);
    const order = await callAtOnce(bridge, started, 1_000);
    // They leave in order on eight connections, which the system wakes as it likes: a call that is ahead of its turn
    // has overtaken at most the seven that left before it and were not woken yet. Those may be late by any number.
    expect(Math.max(...order.map((n, place) => n - place))).toBeLessThan(8);
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(maxMegabytes);
  });

  it("BRG-13: with one connection they start strictly in order", async ({ serve, start }) => {
    const { note, started } = createNote();
    const bridge = start((await serve([note])).mcpServerConfig, { options: ["--connections", "1"] });
    expect(await callAtOnce(bridge, started, 300)).toEqual(Array.from({ length: 300 }, (_, n) => n));
  });

  it("G4: two hundred rounds of calls with random delays and cancels: answers never cross, cancelled ones get none", async ({
    serve,
    start,
  }) => {
    const aborted = new Set<string>();
    const delayed = defineTool({
      name: "delayed",
      description: "",
      input,
      async run({ key, ms, fails }, { signal }) {
        signal.addEventListener("abort", () => aborted.add(String(key)));
        await sleep(Number(ms));
        if (fails) throw new Error(String(key));
        return String(key);
      },
    });
    const bridge = start((await serve([delayed])).mcpServerConfig);
    await bridge.initialize();
    const round = async (n: number): Promise<void> => {
      const key = `round ${n}`;
      const fails = n % 7 === 0;
      const id = bridge.startCall("delayed", { key, ms: Math.floor(Math.random() * 12), fails });
      if (n % 5 === 0) {
        await sleep(Math.random() * 8);
        bridge.cancel(id);
        return;
      }
      const { result } = await bridge.answerTo(id);
      expect(result.content[0].text).toBe(fails ? `tool "delayed" failed: ${key}` : key);
      expect(result.isError === true).toBe(fails);
    };
    const lane = async (first: number): Promise<void> => {
      for (let n = first; n < 200; n += 20) await round(n);
    };
    await Promise.all(Array.from({ length: 20 }, (_, first) => lane(first)));
    const answered = bridge.messages.filter(({ id }) => id !== undefined).map(({ id }) => id as number);
    expect(new Set(answered).size).toBe(answered.length);
    for (const key of aborted) expect(Number(key.slice(6)) % 5).toBe(0);
    expect((await bridge.call("delayed", { key: "after", ms: 0 })).content[0].text).toBe("after");
  });

  it("G10 G11: a client that does not read stops the calls from starting, and gets every answer when it reads again", async ({
    serve,
    start,
  }) => {
    let started = 0;
    const text = "x".repeat(1_000_000);
    const large = defineTool({ name: "large", description: "", input, run: () => ++started && text });
    const bridge = start((await serve([large])).mcpServerConfig);
    await bridge.initialize();
    bridge.process.stdout.pause();
    const ids = Array.from({ length: 30 }, () => bridge.startCall("large"));
    await until(() => started >= 8, 30_000, "the first calls ran");
    await sleep(500);
    expect(started).toBeLessThan(20);
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(maxMegabytes);
    bridge.process.stdout.resume();
    for (const id of ids) expect((await bridge.answerTo(id)).result.content[0].text).toHaveLength(text.length);
    expect(started).toBe(30);
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(256);
  });

  it("G10 G11: requests that would hold too much memory are refused by their ids; the rest is answered", async ({ serve, start }) => {
    const gate = Promise.withResolvers<string>();
    const held = defineTool({ name: "held", description: "", input, run: () => gate.promise });
    const bridge = start((await serve([held])).mcpServerConfig);
    await bridge.initialize();
    const ids = Array.from({ length: 40 }, () => bridge.startCall("held", { text: "x".repeat(1_000_000) }));
    const refused = await bridge.answerTo(ids.at(-1)!);
    expect(refused.error).toEqual({
      code: -32_000,
      message: "too much is waiting already; send it again when earlier requests are answered",
    });
    gate.resolve("done");
    const answers = await Promise.all(ids.map((id) => bridge.answerTo(id)));
    expect(answers.filter(({ result }) => result?.content[0].text === "done")).toHaveLength(33);
    expect(answers.filter(({ error }) => error?.code === -32_000)).toHaveLength(7);
    expect((await bridge.call("held", { text: "again" })).content[0].text).toBe("done");
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(256);
  });

  it("G10: progress that the client doesn't read is dropped, not kept", async ({ serve, start }) => {
    let calls = 0;
    const chatty = defineTool({
      name: "chatty",
      description: "",
      input,
      async run(_, { progress }) {
        for (let step = 1; step <= 20_000; step++) {
          progress(step, undefined, "m".repeat(1_000));
          if (step % 200 === 0) await new Promise(setImmediate);
        }
        calls++;
        return "done";
      },
    });
    const bridge = start((await serve([chatty])).mcpServerConfig);
    await bridge.initialize();
    bridge.process.stdout.pause();
    const id = bridge.startCall("chatty", {}, { progressToken: 1 });
    await until(() => calls === 1, 30_000, "the function has ended");
    bridge.process.stdout.resume();
    expect((await bridge.answerTo(id)).result.content[0].text).toBe("done");
    // Pipe, socket and the budget for unsent notes hold some ten megabytes, of the twenty that were told.
    expect(bridge.messages.length).toBeLessThan(15_000);
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(256);
  });
});
