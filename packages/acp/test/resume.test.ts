// What an agent knows of a conversation: after a restart its session is resumed, else loaded, else it is told the history; and
// when the conversation and its session differ, a new one is told.

import { expect, it } from "vitest";
import { makeHome, openRuntime, textOf, type Runtime, type RuntimeOptions } from "./runtime-stage.ts";

const recall = async (runtime: Runtime): Promise<string[]> => JSON.parse(textOf(await runtime.say("recall"))) as string[];

async function restarted(flags: readonly string[], more: RuntimeOptions = {}): Promise<Runtime> {
  const home = makeHome();
  const options = { home, agents: { scripted: flags }, ...more };
  const first = await openRuntime(options);
  await first.say("say The harbour has four boats.");
  await first.close();
  return openRuntime(options);
}

it("G12 after a restart its session is resumed, and nothing is told twice", async () => {
  const runtime = await restarted([]);
  expect(await recall(runtime)).toEqual(["say The harbour has four boats."]);
  await runtime.close();
});

it("an agent that can't resume loads its session, and the replay is not shown", async () => {
  const runtime = await restarted(["--no-resume"]);
  const said = await runtime.say("recall");
  expect(JSON.parse(textOf(said))).toEqual(["say The harbour has four boats."]);
  await runtime.close();
});

it("an agent that can do neither is told the history as text", async () => {
  const runtime = await restarted(["--no-resume", "--no-load"]);
  const prompt = textOf(await runtime.say("prompt"));
  expect(prompt).toContain("User: say The harbour has four boats.");
  expect(prompt).toContain("Assistant: The harbour has four boats.");
  expect(await recall(runtime)).toHaveLength(1);
  await runtime.close();
});

it("an agent that has forgotten its session is told the history", async () => {
  const home = makeHome();
  const first = await openRuntime({ home });
  await first.say("say The harbour has four boats.");
  await first.close();
  const { rmSync, mkdirSync } = await import("node:fs");
  rmSync(`${home}/memory`, { recursive: true });
  mkdirSync(`${home}/memory`);
  const runtime = await openRuntime({ home });
  expect(textOf(await runtime.say("prompt"))).toContain("Assistant: The harbour has four boats.");
  await runtime.close();
});

it("G12 a runtime that is killed in the middle of a turn resumes with the interrupted one known", async () => {
  const home = makeHome();
  const first = await openRuntime({ home });
  await first.say("say one");
  const id = first.begin("say half\nwait");
  await first.next((response) => response.type === "token" && response.id === id);
  first.child.kill("SIGKILL");
  await first.ended;
  const runtime = await openRuntime({ home });
  expect(await recall(runtime)).toEqual(["say one", "say half\nwait"]);
  await runtime.close();
});

it.each([
  [
    "truncate_conversation",
    async (runtime: Runtime, answerId: string) => runtime.ask({ kind: "truncate_conversation", conversationId: "one", after: answerId }),
  ],
  [
    "a turn by another model",
    async (runtime: Runtime) => runtime.say("hello", "one", { metadata: { conversationId: "one", model: "offline" } }),
  ],
])("after %s a new session is told what the conversation holds", async (_, change) => {
  const runtime = await openRuntime();
  const first = (await runtime.say("say Four boats.")).at(-1);
  const answerId = first?.type === "done" ? (first.data?.assistantMessageId ?? "") : "";
  await runtime.say("say Five boats.");
  await change(runtime, answerId);
  const prompt = textOf(await runtime.say("prompt"));
  expect(prompt).toContain("Assistant: Four boats.");
  expect(prompt.includes("Five boats.")).toBe(change.length === 1);
  // And from now on it is known.
  expect(await recall(runtime)).toHaveLength(1);
  await runtime.close();
});

it("after clear_history a new session knows nothing", async () => {
  const runtime = await openRuntime();
  await runtime.say("say Four boats.");
  await runtime.ask({ kind: "clear_history", metadata: { conversationId: "one" } });
  expect(await recall(runtime)).toEqual([]);
  await runtime.close();
});
