// Parallel calls over few connections: which calls run, which wait, what a cancel reaches, what a lost connection
// costs. The functions run in this process, behind a real session and a real bridge.

import { describe, expect } from "vitest";
import { defineTool, it } from "./bridges.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../test/kit/until.ts";
import { textAnswer, unknownMethod } from "./raw-parent.ts";

const input = { type: "object" } as const;

/** A tool whose calls are counted and last until they are let go. */
function createHeldTool() {
  const running = new Set<string>();
  const started: string[] = [];
  const aborted: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<string>>();
  const tool = defineTool({
    name: "held",
    description: "",
    input,
    async run({ key }, { signal }) {
      const name = String(key);
      started.push(name);
      running.add(name);
      signal.addEventListener("abort", () => aborted.push(name));
      const gate = Promise.withResolvers<string>();
      gates.set(name, gate);
      try {
        return await gate.promise;
      } finally {
        running.delete(name);
      }
    },
  });
  return { tool, running, started, aborted, letGo: (name: string) => gates.get(name)?.resolve(`end of ${name}`) };
}

describe("places", () => {
  it("H2 R7 O1: eight calls run side by side, and the ninth waits for a place", async ({ serve, start }) => {
    const held = createHeldTool();
    const bridge = start((await serve([held.tool])).mcpServerConfig);
    await bridge.initialize();
    const keys = Array.from({ length: 9 }, (_, n) => `call ${n}`);
    const ids = keys.map((key) => bridge.startCall("held", { key }));
    await until(() => held.running.size === 8, 30_000, "eight run");
    // Time in which a ninth would begin.
    await bridge.request("ping");
    await sleep(200);
    expect(held.started).toHaveLength(8);
    const [first = "", ...others] = held.started;
    held.letGo(first);
    await until(() => held.started.length === 9, 30_000, "the ninth runs");
    expect(held.running.size).toBe(8);
    const [ninth = ""] = keys.filter((key) => key !== first && !others.includes(key));
    for (const key of [...others, ninth]) held.letGo(key);
    const answers = await Promise.all(ids.map(async (id) => (await bridge.answerTo(id)).result.content[0].text as string));
    expect(answers).toEqual(keys.map((key) => `end of ${key}`));
  });

  it("H2: --connections 1 runs one call after the other, in order, on one connection", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: (frame, { send }) => setTimeout(send, 20, frame.method === "hello" ? unknownMethod : textAnswer(frame.params.arguments.n)),
    });
    const bridge = start(raw.config, { options: ["--connections", "1"] });
    await bridge.initialize();
    const ids = [1, 2, 3, 4, 5].map((n) => bridge.startCall("echo", { n: String(n) }));
    const answers = await Promise.all(ids.map((id) => bridge.answerTo(id)));
    expect(answers.map(({ result }) => result.content[0].text)).toEqual(["1", "2", "3", "4", "5"]);
    expect(raw.connections).toHaveLength(1);
    expect(raw.frames.slice(1).map(({ frame }) => frame.params.arguments.n)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("R7 R8: on no connection is a frame sent before the one before it was answered", async ({ parent, start }) => {
    const unanswered = new Map<number, number>();
    let most = 0;
    const raw = await parent({
      onFrame: (frame, { send, number }) => {
        unanswered.set(number, (unanswered.get(number) ?? 0) + 1);
        most = Math.max(most, ...unanswered.values());
        setTimeout(() => {
          unanswered.set(number, unanswered.get(number)! - 1);
          send(frame.method === "hello" ? unknownMethod : textAnswer("x"));
        }, Math.random() * 10);
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    await Promise.all(Array.from({ length: 100 }, () => bridge.call("echo")));
    expect(most).toBe(1);
    expect(raw.connections.length).toBeLessThanOrEqual(8);
  });
});

describe("cancel", () => {
  it("H4 G4: aborts the function of the call, sends no answer to it, and touches no other call", async ({ serve, start }) => {
    const held = createHeldTool();
    const bridge = start((await serve([held.tool])).mcpServerConfig);
    await bridge.initialize();
    const [one, two] = [bridge.startCall("held", { key: "one" }), bridge.startCall("held", { key: "two" })];
    await until(() => held.running.size === 2, 30_000, "both run");
    bridge.cancel(one);
    await until(() => held.aborted.length > 0, 30_000, "the function is aborted");
    held.letGo("two");
    expect((await bridge.answerTo(two)).result.content[0].text).toBe("end of two");
    expect(held.aborted).toEqual(["one"]);
    expect(bridge.messages.some(({ id }) => id === one)).toBe(false);
  });

  it("H2 H4: a call that still waits is cancelled without ever being started", async ({ serve, start }) => {
    const held = createHeldTool();
    const bridge = start((await serve([held.tool])).mcpServerConfig, { options: ["--connections", "1"] });
    await bridge.initialize();
    const ids = ["a", "b", "c"].map((key) => bridge.startCall("held", { key }));
    await until(() => held.started.length === 1, 30_000, "the first runs");
    bridge.cancel(ids[1]!);
    // Its answer says that the cancel before it was read: the end of the first call comes another way and could overtake it.
    await bridge.request("ping");
    held.letGo("a");
    await until(() => held.started.length > 1, 30_000, "the next runs");
    held.letGo("c");
    await bridge.answerTo(ids[2]!);
    expect(held.started).toEqual(["a", "c"]);
    expect(held.aborted).toEqual([]);
  });

  it("a cancel for a call that has ended, or that never was, is ignored", async ({ serve, start }) => {
    const held = createHeldTool();
    const bridge = start((await serve([held.tool])).mcpServerConfig);
    await bridge.initialize();
    const first = bridge.startCall("held", { key: "first" });
    await until(() => held.running.has("first"), 30_000, "it runs");
    held.letGo("first");
    await bridge.answerTo(first);
    for (const id of [first, first, 999, "no such"]) bridge.cancel(id);
    bridge.send({ method: "notifications/cancelled", params: {} });
    bridge.send({ method: "notifications/cancelled" });
    const second = bridge.startCall("held", { key: "second" });
    await until(() => held.running.has("second"), 30_000, "the next runs");
    held.letGo("second");
    expect((await bridge.answerTo(second)).result.content[0].text).toBe("end of second");
    expect(held.aborted).toEqual([]);
  });

  it("H3 H4: with --reconnect never a cancelled call doesn't count as a lost connection", async ({ serve, start }) => {
    const held = createHeldTool();
    const bridge = start((await serve([held.tool])).mcpServerConfig, { options: ["--reconnect", "never"] });
    await bridge.initialize();
    const first = bridge.startCall("held", { key: "first" });
    await until(() => held.running.size === 1, 30_000, "it runs");
    bridge.cancel(first);
    await until(() => held.aborted.length === 1, 30_000, "it is aborted");
    const second = bridge.startCall("held", { key: "second" });
    await until(() => held.running.has("second"), 30_000, "the next runs");
    held.letGo("second");
    expect((await bridge.answerTo(second)).result.isError).toBeUndefined();
  });
});

describe("connections", () => {
  it("R6 R16: nothing is connected before the first call, not even for tools/list; then one connection is used again", async ({
    parent,
    start,
  }) => {
    const raw = await parent({ onFrame: (frame, { send }) => send(frame.method === "hello" ? unknownMethod : textAnswer("x")) });
    const bridge = start(raw.config);
    await bridge.initialize();
    for (let round = 0; round < 3; round++) await bridge.request("tools/list");
    expect(raw.connections).toHaveLength(0);
    for (let round = 0; round < 3; round++) await bridge.call("echo", { round });
    expect(raw.connections).toHaveLength(1);
    expect(raw.frames.map(({ frame }) => frame.method)).toEqual(["hello", "call_tool", "call_tool", "call_tool"]);
  });

  /** A parent that drops the first connection at the first call. */
  const dropFirst = (
    frame: { method: string },
    { number, socket, send }: { number: number; socket: { destroy(): void }; send(frame: object): void },
  ): void => {
    if (frame.method === "hello") send(unknownMethod);
    else if (number === 1) socket.destroy();
    else send(textAnswer("again"));
  };

  it("H3 R11 R36: the call on a lost connection fails and is never sent again; the next opens a new connection", async ({
    parent,
    start,
  }) => {
    const raw = await parent({ onFrame: dropFirst });
    const bridge = start(raw.config);
    await bridge.initialize();
    const lost = await bridge.call("echo", { n: 1 });
    expect(lost).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
    expect(lost.content[0].text).toContain("closed the connection before it answered");
    expect(lost.content[0].text).toContain(raw.socketPath);
    expect((await bridge.call("echo", { n: 2 })).content[0].text).toBe("again");
    expect(raw.frames.filter(({ frame }) => frame.method === "call_tool").map(({ frame }) => frame.params.arguments.n)).toEqual([1, 2]);
  });

  it("H3 R11: with --reconnect never all later calls fail at once, and tools/list goes on", async ({ parent, start }) => {
    const raw = await parent({ onFrame: dropFirst });
    const bridge = start(raw.config, { options: ["--reconnect", "never"] });
    await bridge.initialize();
    expect((await bridge.call("echo", { n: 1 })).isError).toBe(true);
    const next = await bridge.call("echo", { n: 2 });
    expect(next).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
    expect(next.content[0].text).toContain("was lost and reconnecting is off");
    expect(raw.connections).toHaveLength(1);
    expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
  });

  it("H3 R11: with --reconnect never an idle connection that the parent closes in good order is lost too", async ({ parent, start }) => {
    const raw = await parent({ onFrame: (frame, { send }) => send(frame.method === "hello" ? unknownMethod : textAnswer("x")) });
    const bridge = start(raw.config, { options: ["--reconnect", "never"] });
    await bridge.initialize();
    await bridge.call("echo");
    const closed = new Promise((resolve) => raw.connections[0]!.socket.once("close", resolve));
    raw.connections[0]!.socket.end();
    await closed;
    expect((await bridge.call("echo")).content[0].text).toContain("reconnecting is off");
  });

  it("H1 H3: a parent that closes after each answer is served call by call", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: (frame, { send, socket }) => {
        send(frame.method === "hello" ? unknownMethod : textAnswer(`call ${frame.params.arguments.n}`));
        if (frame.method === "call_tool") socket.end();
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    for (let n = 1; n <= 5; n++) {
      expect((await bridge.call("echo", { n })).content[0].text).toBe(`call ${n}`);
      await until(() => raw.connections.at(-1)!.socket.destroyed, 30_000, "the bridge has closed its end too");
    }
    expect(raw.connections).toHaveLength(5);
  });

  it("R30: a socket that is not there is an error result that names it; the bridge stays useful", async ({ parent, start }) => {
    const raw = await parent({ onFrame: (frame, { send }) => send(frame.method === "hello" ? unknownMethod : textAnswer("x")) });
    await raw.stop();
    const bridge = start(raw.config);
    await bridge.initialize();
    const result = await bridge.call("echo");
    expect(result).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
    expect(result.content[0].text).toContain(`no program is listening at ${raw.socketPath}; is it running?`);
    expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
  });
});
