// What waits in a conversation: listed, changed and taken back until the model sees it, and still there after a crash.

import { expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import type { TurnAgent } from "../../src/model/turn-agent.ts";
import { storeIn, temporaryFolder } from "../history/stores.ts";
import { createGate, say, textOf } from "./stage.ts";
import { openWaitingStage, queueOf, seenIn, usesTool } from "./waiting-stage.ts";

it("what waits can be changed and taken back, each with one end, until the model sees it", async () => {
  const stage = openWaitingStage();
  stage.send(say("t", "wait", "c"));
  await stage.next(usesTool);
  stage.send(say("q1", "queued", "c"));
  stage.send(say("q2", "not wanted", "c"));
  const kept = await stage.steer("s1", "t", "draft");
  const gone = await stage.steer("s2", "t", "never mind");
  expect((await stage.ask({ id: "e1", kind: "edit_queued", target: kept, message: "final" })).type).toBe("done");
  expect((await stage.ask({ id: "e2", kind: "edit_queued", target: "q1", message: "queued, and changed" })).type).toBe("done");
  expect((await stage.ask({ id: "e3", kind: "edit_queued", target: "t", message: "too late" })).type).toBe("error");
  expect((await stage.ask({ id: "e4", kind: "edit_queued", target: "nobody", message: "what?" })).type).toBe("error");
  expect((await stage.ask({ id: "e5", kind: "edit_queued", target: kept, message: " " })).type).toBe("error");
  expect((await stage.ask({ id: "w1", kind: "withdraw", steerId: gone })).type).toBe("done");
  expect((await stage.ask({ id: "w2", kind: "withdraw", steerId: gone })).type).toBe("error");
  expect((await stage.ask({ id: "w3", kind: "withdraw", steerId: "q1" })).type).toBe("error");
  expect((await stage.ask({ id: "k", kind: "cancel", target: "q2" })).type).toBe("done");
  expect(await queueOf(stage, "q")).toEqual({
    requests: [{ id: "q1", message: "queued, and changed" }],
    steers: [{ steerId: kept, message: "final" }],
  });
  stage.endTool();
  await stage.endOf("q1");
  expect(stage.seen.flat()).toContain("user: final");
  expect(stage.seen.flat().join()).not.toMatch(/draft|never mind|not wanted/);
  expect(textOf(stage.of("q1"))).toBe("you said: queued, and changed");
  expect((await stage.ask({ id: "w4", kind: "withdraw", steerId: kept })).type).toBe("error");
  await stage.close();
});

it("a steer that has become a message is changed, withdrawn or cancelled as one that waits, and does not come back", async () => {
  const gates = [createGate(), createGate()];
  let count = 0;
  const stage = openWaitingStage({
    async *script(step) {
      yield { type: "text", text: seenIn(step).at(-1) ?? "" };
      await gates[count++]?.opened;
    },
  });
  stage.send(say("t", "first", "c"));
  await stage.next(({ type }) => type === "token");
  const ids: string[] = [];
  for (const words of ["one", "two", "three", "four"]) ids.push(await stage.steer(`s-${words}`, "t", words));
  const [one = "", two = "", three = "", four = ""] = ids;
  gates[0]?.open();
  await stage.next((event) => event.type === "token" && event.id === one);
  expect(await queueOf(stage, "q")).toEqual({
    requests: [
      { id: two, message: "two" },
      { id: three, message: "three" },
      { id: four, message: "four" },
    ],
    steers: [],
  });
  expect((await stage.ask({ id: "w1", kind: "withdraw", steerId: one })).type).toBe("error");
  expect((await stage.ask({ id: "w2", kind: "withdraw", steerId: two })).type).toBe("done");
  expect((await stage.ask({ id: "k3", kind: "cancel", target: three })).type).toBe("done");
  expect((await stage.ask({ id: "e4", kind: "edit_queued", target: four, message: "four, changed" })).type).toBe("done");
  // A request under the id of one that waits is no second end.
  stage.send({ id: four, kind: "get_status" });
  await stage.next((event) => event.type === "progress" && event.id === four);
  gates[1]?.open();
  await stage.endOf(four);
  expect(textOf(stage.of(four))).toBe("user: four, changed");
  expect(stage.of(four).some(({ type }) => type === "steered")).toBe(false);
  expect([two, three].map((id) => stage.of(id).map(({ type }) => type))).toEqual([["error"], ["error"]]);
  expect(await queueOf(stage, "q2")).toEqual({ requests: [], steers: [] });
  stage.send(say("last", "last", "c"));
  await stage.endOf("last");
  expect(stage.of("last").some(({ type }) => type === "steered")).toBe(false);
  await stage.close();
});

it("what a runtime that is gone had acknowledged is listed, can be withdrawn, and goes before the next message", async () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).store;
  const conversation = await first.open("c");
  await conversation.add({ messageId: "q", role: "user", parts: [{ type: "text", text: "before" }], timestamp: 1_700_000_000_000 });
  for (const name of ["one", "two"]) await conversation.addSteer({ steerId: `steer-${name}`, target: "gone", message: name });
  await first.close();
  const stage = openWaitingStage({ store: storeIn(folder).store });
  expect((await stage.ask({ id: "w0", kind: "withdraw", steerId: "steer-one" })).type).toBe("error");
  expect(await queueOf(stage, "q")).toEqual({
    requests: [],
    steers: [
      { steerId: "steer-one", message: "one" },
      { steerId: "steer-two", message: "two" },
    ],
  });
  expect((await stage.ask({ id: "w", kind: "withdraw", steerId: "steer-one" })).type).toBe("done");
  stage.send(say("t", "now", "c"));
  await stage.endOf("t");
  expect(stage.of("t").map(({ type }) => type)).toEqual(["steered", "token", "done"]);
  expect(stage.seen).toEqual([["user: before", "user: two", "user: now"]]);
  expect(await queueOf(stage, "q2")).toEqual({ requests: [], steers: [] });
  await stage.close();
});

it("an agent that owns its loop is told what was left together with the next message, in the session that knows the rest", async () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).store;
  const conversation = await first.open("c");
  await conversation.add({ messageId: "q", role: "user", parts: [{ type: "text", text: "before" }], timestamp: 1_700_000_000_000 });
  await conversation.add({ messageId: "a", role: "assistant", parts: [{ type: "text", text: "well" }], timestamp: 1_700_000_000_001 });
  await conversation.finish("a");
  await conversation.keepAgentSession({ agent: "acp/other", sessionId: "known", through: "a" });
  await conversation.addSteer({ steerId: "steer-one", target: "gone", message: "one" });
  await first.close();
  const told: object[] = [];
  const agent: TurnAgent = {
    name: "acp/other",
    async run({ message, sessionId, history, emit }) {
      told.push({ message, sessionId, history: history.map(({ messageId }) => messageId) });
      await emit({ type: "text", text: "done" });
    },
    runningSession: () => undefined,
    options: () => Promise.resolve([]),
    setOption: () => Promise.resolve([]),
    release: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const models = { current: agent.name, pick: () => Promise.resolve(agent), list: () => Promise.resolve([]) };
  const stage = openWaitingStage({ store: storeIn(folder).store, models });
  stage.send(say("t", "now", "c"));
  await stage.endOf("t");
  expect(told).toEqual([{ message: "one\n\nnow", sessionId: "known", history: ["q", "a"] }]);
  expect(stage.of("t").map(({ type }) => type)).toEqual(["steered", "token", "done"]);
  await stage.close();
});

it("a history that is cleared takes what was steered with it, and begins no turn", async () => {
  const stage = openWaitingStage();
  stage.send(say("t", "wait", "c"));
  await stage.next(usesTool);
  const steerId = await stage.steer("s", "t", "not any more");
  await stage.ask({ id: "clear", kind: "clear_history", metadata: { conversationId: "c", force: true } });
  expect(stage.of(steerId)).toEqual([]);
  expect(await queueOf(stage, "q")).toEqual({ requests: [], steers: [] });
  await stage.close();
});

it("steers are bounded in number, and a list shows the beginning of a long message", async () => {
  const stage = openWaitingStage();
  stage.send(say("t", "wait", "c"));
  await stage.next(usesTool);
  const long = "é".repeat(agentLimits.agentQueueShownChars + 1);
  await stage.steer("s0", "t", long);
  for (let count = 1; count < agentLimits.agentSteerEntries; count++) await stage.steer(`s${count}`, "t", `steer ${count}`);
  expect(await stage.ask({ id: "more", kind: "steer", target: "t", message: "one more" })).toMatchObject({ code: "overloaded" });
  const { steers } = (await queueOf(stage, "q")) as { steers: { message: string; chars?: number }[] };
  expect(steers).toHaveLength(agentLimits.agentSteerEntries);
  expect(steers[0]).toMatchObject({ chars: long.length });
  expect(steers[0]?.message.length).toBeLessThanOrEqual(agentLimits.agentQueueShownChars);
  stage.endTool();
  await stage.endOf("t");
  expect(stage.seen[1]).toContain(`user: ${long}`);
  await stage.close();
});
