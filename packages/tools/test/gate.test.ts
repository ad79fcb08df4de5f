// Which calls may run now: up to a tool's `concurrency`, one of a group, in the order they came. A call that
// is cancelled while it waits gives up its place, and no place is ever lost.

import { array, asyncProperty, check, constantFrom, integer, record, scheduler } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../src/define-tool.ts";
import { createGates, createToolHost, type Gates } from "../src/tool-host.ts";

const toolOf = (name: string, rest: { concurrency?: number; exclusiveGroup?: string }): Tool => ({
  name,
  description: "",
  input: {},
  run() {},
  ...rest,
});
/** Lets everything happen that is due. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** Calls that run until they are told to end; notes who runs. */
function createStage(passGates: Gates) {
  const running: string[] = [];
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    running,
    order,
    end: (label: string) => ends.get(label)?.(),
    call: (label: string, tool: Tool, signal: AbortSignal = never): Promise<void> =>
      passGates(tool, signal, async () => {
        running.push(label);
        order.push(label);
        await new Promise<void>((resolve) => ends.set(label, resolve));
        running.splice(running.indexOf(label), 1);
      }),
  };
}

describe("H2 concurrency", () => {
  it("H2 lets so many calls of one tool run, and the others in the order they came", async () => {
    const stage = createStage(createGates());
    const tool = toolOf("t", { concurrency: 2 });
    const calls = ["a", "b", "c", "d"].map((label) => stage.call(label, tool));
    await turn();
    expect(stage.running).toEqual(["a", "b"]);
    stage.end("b");
    await turn();
    expect(stage.running).toEqual(["a", "c"]);
    stage.end("a");
    stage.end("c");
    await turn();
    expect(stage.running).toEqual(["d"]);
    stage.end("d");
    await Promise.all(calls);
    expect(stage.order).toEqual(["a", "b", "c", "d"]);
  });

  it("H2 counts each tool for itself, and those without a limit not at all", async () => {
    const stage = createStage(createGates());
    const [one, other, free] = [toolOf("one", { concurrency: 1 }), toolOf("other", { concurrency: 1 }), toolOf("free", {})];
    for (const [label, tool] of Object.entries({ a: one, b: other, c: free, d: free, e: one })) void stage.call(label, tool);
    await turn();
    expect(stage.running).toEqual(["c", "d", "a", "b"]);
  });

  it("frees the place of a call that fails", async () => {
    const passGates = createGates();
    const tool = toolOf("t", { concurrency: 1 });
    const failing = passGates(tool, never, () => Promise.reject(new Error("x")));
    const next = passGates(tool, never, () => Promise.resolve("next"));
    await expect(failing).rejects.toThrow("x");
    expect(await next).toBe("next");
  });
});

describe("H2 exclusive groups", () => {
  it("never run two of their tools at once, whatever each tool allows", async () => {
    const stage = createStage(createGates());
    const read = toolOf("read", { exclusiveGroup: "disk", concurrency: 3 });
    const write = toolOf("write", { exclusiveGroup: "disk" });
    const elsewhere = toolOf("print", { exclusiveGroup: "printer" });
    for (const [label, tool] of Object.entries({ a: read, b: write, c: read, d: elsewhere })) void stage.call(label, tool);
    await turn();
    expect(stage.running.toSorted()).toEqual(["a", "d"]);
    stage.end("a");
    await turn();
    expect(stage.running.toSorted()).toEqual(["b", "d"]);
    stage.end("b");
    await turn();
    expect(stage.running.toSorted()).toEqual(["c", "d"]);
  });
});

describe("H2 H4 cancelling", () => {
  it("gives up the place in the line, and the next one comes in its stead", async () => {
    const stage = createStage(createGates());
    const tool = toolOf("t", { concurrency: 1 });
    const cancel = new AbortController();
    void stage.call("a", tool);
    const waiting = stage.call("b", tool, cancel.signal);
    void stage.call("c", tool);
    cancel.abort(new Error("not any more"));
    await expect(waiting).rejects.toThrow("not any more");
    stage.end("a");
    await turn();
    expect(stage.running).toEqual(["c"]);
  });

  it("in the very moment of being admitted hands the place on", async () => {
    const stage = createStage(createGates());
    const tool = toolOf("t", { concurrency: 1 });
    const cancel = new AbortController();
    void stage.call("a", tool);
    const waiting = stage.call("b", tool, cancel.signal);
    void stage.call("c", tool);
    await turn();
    stage.end("a");
    // `a` leaves after one turn of the microtask queue; the abort comes in between.
    await Promise.resolve().then(() => cancel.abort(new Error("too late")));
    await waiting.catch(() => {});
    stage.end("b");
    await turn();
    expect(stage.running).toEqual(["c"]);
  });

  it("before the call came is refused at once and takes no place", async () => {
    const stage = createStage(createGates());
    const tool = toolOf("t", { concurrency: 1 });
    await expect(stage.call("a", tool, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    void stage.call("b", tool);
    await turn();
    expect(stage.running).toEqual(["b"]);
  });
});

describe("H2 H4 any schedule", () => {
  // Each call, when it ends, cancels the one that came so many places later, after so many turns of the
  // microtask queue: so that the cancellation also falls between being admitted and beginning.
  const planned = record({ tool: constantFrom("a", "b", "c"), cancels: integer({ min: 0, max: 3 }), turns: integer({ min: 0, max: 6 }) });

  it("keeps to the limits, begins in order, and loses no place, whoever is cancelled when", async () => {
    const property = asyncProperty(array(planned, { maxLength: 14 }), scheduler(), async (plan, schedule) => {
      const passGates = createGates();
      const tools: Record<string, Tool> = {
        a: toolOf("a", { concurrency: 2 }),
        b: toolOf("b", { exclusiveGroup: "g" }),
        c: toolOf("c", { exclusiveGroup: "g", concurrency: 1 }),
      };
      const cancels = plan.map(() => new AbortController());
      const running: string[] = [];
      const begun: Record<string, number[]> = { a: [], g: [] };
      const settled = plan.map(({ tool, cancels: distance, turns }, index) => {
        const { signal } = cancels[index] as AbortController;
        const passed = passGates(tools[tool] as Tool, signal, async () => {
          begun[tool === "a" ? "a" : "g"]?.push(index);
          running.push(tool);
          expect(running.filter((name) => name === "a").length).toBeLessThanOrEqual(2);
          expect(running.filter((name) => name !== "a").length).toBeLessThanOrEqual(1);
          await schedule.schedule(Promise.resolve(index));
          running.splice(running.indexOf(tool), 1);
          if (distance > 0) void cancelLater(cancels[index + distance], turns);
        });
        // Refused calls fail with the reason of their signal; what a call's own checks threw would be another error.
        return passed.then(
          () => true,
          (error: unknown) => error === signal.reason,
        );
      });
      expect(await schedule.waitFor(Promise.all(settled))).not.toContain(false);
      for (const indexes of Object.values(begun)) expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
      // Every place is free again.
      const places = [tools["a"], tools["a"], tools["c"]] as Tool[];
      const stage = createStage(passGates);
      for (const [index, tool] of places.entries()) void stage.call(String(index), tool);
      await turn();
      expect(stage.running.toSorted()).toEqual(["0", "1", "2"]);
    });
    expect(await check(property, { numRuns: 300 })).toMatchObject({ failed: false });
  });
});

async function cancelLater(cancel: AbortController | undefined, turns: number): Promise<void> {
  for (let passed = 0; passed < turns; passed++) await Promise.resolve();
  cancel?.abort(new Error(`cancelled after ${turns} turns`));
}

describe("H2 H6 the tool host", () => {
  it.for([0, -1, 1.5, NaN, Infinity, "2" as unknown as number])("refuses a concurrency of %s", (concurrency) => {
    expect(() => createToolHost([toolOf("t", { concurrency })])).toThrow('tool "t": concurrency must be a whole number of at least 1');
  });
});
