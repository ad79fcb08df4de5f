// What a user says while a turn runs: when the model sees it, and what becomes of it when it doesn't.

import type { Tool } from "@hawser/tools";
import { expect, it } from "vitest";
import type { ModelStep } from "../../src/model/model.ts";
import { storeIn, temporaryFolder } from "../history/stores.ts";
import { createGate, say, textOf } from "./stage.ts";
import { openWaitingStage, queueOf, seenIn, usesTool } from "./waiting-stage.ts";

it("a steer reaches the model at its next step, behind the results of the tools that ran, and stands there in the history", async () => {
  const stage = openWaitingStage();
  stage.send(say("t", "wait for it", "c"));
  await stage.next(usesTool);
  const steerId = await stage.steer("s", "t", "in English");
  expect(await queueOf(stage, "q")).toEqual({ requests: [], steers: [{ steerId, message: "in English" }] });
  expect(stage.of("t").some(({ type }) => type === "steered")).toBe(false);
  stage.endTool();
  await stage.endOf("t");
  expect(stage.of("t").map(({ type }) => type)).toEqual(["tool_use", "tool_result", "steered", "token", "done"]);
  expect(stage.of("t")[2]).toMatchObject({ data: { steerId, message: "in English" } });
  expect(stage.seen[1]).toEqual(["user: wait for it", "assistant: tool_use", "assistant: tool_result", "user: in English"]);
  expect(textOf(stage.of("t"))).toBe("you said: in English");
  expect(await queueOf(stage, "q2")).toEqual({ requests: [], steers: [] });
  await stage.ask({ id: "l1", kind: "load_conversation", conversationId: "c" });
  await stage.ask({ id: "l2", kind: "load_conversation", conversationId: "c", include: ["steer", "unknown"] });
  const typesIn = (id: string): string[] =>
    stage.of(id).flatMap((event) => (event.type === "conversation" ? (event.data.messages[1]?.parts.map(({ type }) => type) ?? []) : []));
  expect(typesIn("l1")).toEqual(["tool_use", "tool_result", "text"]);
  expect(typesIn("l2")).toEqual(["tool_use", "tool_result", "steer", "text"]);
  await stage.close();
});

it("several steers are seen together, in their order", async () => {
  const stage = openWaitingStage();
  stage.send(say("t", "wait", "c"));
  await stage.next(usesTool);
  await stage.steer("s1", "t", "one");
  await stage.steer("s2", "t", "two");
  stage.endTool();
  await stage.endOf("t");
  expect(stage.seen[1]?.slice(-2)).toEqual(["user: one", "user: two"]);
  await stage.close();
});

it("unseen at the turn's end, it becomes the next message, before what waits, under its own id", async () => {
  const gate = createGate();
  const order: string[] = [];
  const stage = openWaitingStage({
    async *script(step) {
      const said = seenIn(step);
      order.push(said.at(-1) ?? "");
      yield { type: "text", text: "answer" };
      if (order.length === 1) await gate.opened;
    },
  });
  stage.send(say("t", "first", "c"));
  stage.send(say("later", "second", "c"));
  await stage.next(({ type }) => type === "token");
  const one = await stage.steer("s1", "t", "steer one");
  const two = await stage.steer("s2", "t", "steer two");
  gate.open();
  await stage.endOf("later");
  expect(order).toEqual(["user: first", "user: steer one", "user: steer two", "user: second"]);
  expect(stage.of("t").map(({ type }) => type)).toEqual(["token", "done"]);
  expect([one, two].map((id) => stage.of(id).map(({ type }) => type))).toEqual([
    ["token", "done"],
    ["token", "done"],
  ]);
  expect(await stage.ask({ id: "late", kind: "steer", target: "t", message: "too late" })).toMatchObject({
    type: "error",
    code: "invalid_message",
  });
  expect(await stage.ask({ id: "w", kind: "withdraw", steerId: one })).toMatchObject({
    type: "error",
    error: expect.stringContaining("the model has seen it") as string,
  });
  await stage.close();
});

it("what was steered goes on as a message also when its turn is cancelled, fails, or is cancelled while it waits", async () => {
  const gate = createGate();
  const stage = openWaitingStage({
    async *script(step) {
      const said = seenIn(step).at(-1) ?? "";
      yield { type: "text", text: said };
      if (said === "user: hold") await gate.opened;
      if (said === "user: fail") throw new Error("broken");
    },
  });
  stage.send(say("t1", "hold", "c"));
  stage.send(say("t2", "waits", "c"));
  await stage.next(({ type }) => type === "token");
  const ofWaiting = await stage.steer("s2", "t2", "to the waiting one");
  await stage.ask({ id: "k2", kind: "cancel", target: "t2" });
  const ofRunning = await stage.steer("s1", "t1", "fail");
  expect(await queueOf(stage, "q")).toEqual({
    requests: [{ id: ofWaiting, message: "to the waiting one" }],
    steers: [{ steerId: ofRunning, message: "fail" }],
  });
  await stage.ask({ id: "k1", kind: "cancel", target: "t1" });
  expect(textOf([...stage.of(ofWaiting), await stage.endOf(ofWaiting)])).toBe("user: to the waiting one");
  expect((await stage.endOf(ofRunning)).type).toBe("error");
  await stage.close();
});

it("a runtime that is told to stop begins no turn of its own; what was steered stays for the next one", async () => {
  const folder = temporaryFolder();
  const gate = createGate();
  const stage = openWaitingStage({
    store: storeIn(folder).store,
    async *script() {
      yield { type: "text", text: "answer" };
      await gate.opened;
    },
  });
  stage.send(say("t", "first", "c"));
  await stage.next(({ type }) => type === "token");
  const steerId = await stage.steer("s", "t", "later");
  stage.lifecycle.end("signal", 10_000);
  gate.open();
  await stage.served;
  expect(stage.of(steerId)).toEqual([]);
  const again = openWaitingStage({ store: storeIn(folder).store });
  expect(await queueOf(again, "q")).toEqual({ requests: [], steers: [{ steerId, message: "later" }] });
  await again.close();
});

it("when the input ends, what was steered is still answered", async () => {
  const gate = createGate();
  const stage = openWaitingStage({
    async *script() {
      yield { type: "text", text: "answer" };
      await gate.opened;
    },
  });
  stage.send(say("t", "first", "c"));
  await stage.next(({ type }) => type === "token");
  const steerId = await stage.steer("s", "t", "more");
  stage.input.end();
  gate.open();
  await stage.served;
  await stage.endOf(steerId);
  expect(stage.of(steerId).map(({ type }) => type)).toEqual(["token", "done"]);
  await stage.close();
});

it("a model that owns its loop sees what was steered as the next message", async () => {
  const gate = createGate();
  const seen: string[][] = [];
  const model = {
    name: "own-loop",
    takesSteers: false,
    async *stream(step: ModelStep) {
      seen.push(seenIn(step));
      if (seen.length === 1) yield { type: "tool_call" as const, toolId: "t1", toolName: "wait", input: {} };
      else yield { type: "text" as const, text: "answer" };
    },
  };
  const models = { current: model.name, pick: () => Promise.resolve(model), list: () => Promise.resolve([]) };
  const wait: Tool = { name: "wait", description: "", input: { type: "object" }, run: () => gate.opened.then(() => "waited") };
  const stage = openWaitingStage({ models, tools: [wait] });
  stage.send(say("t", "go", "c"));
  await stage.next(usesTool);
  const steerId = await stage.steer("s", "t", "and this");
  gate.open();
  await stage.endOf(steerId);
  expect(stage.of("t").map(({ type }) => type)).toEqual(["tool_use", "tool_result", "token", "done"]);
  expect(seen[2]?.at(-1)).toBe("user: and this");
  await stage.close();
});
