// What models think and plan: told to the host, kept in the history, shown to those who ask, and given back to vendors that want it.

import type { AnyAgentResponse } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { createModelCatalog } from "../../src/model/catalog.ts";
import { createUpdatePlan } from "../../src/tools/update-plan.ts";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import type { ScriptedStep } from "../../../../test/kit/models/scripted-server.ts";
import { openStage, say, type Stage, type Script } from "./stage.ts";

const plan = { entries: [{ content: "Count the boats", status: "in_progress" }] };
const openRig = (script: Script): Stage => openStage({ script, store: createMemoryStore(), tools: [createUpdatePlan()] });

async function partsOf(stage: Stage, include?: readonly string[]) {
  const id = `load-${stage.responses.length}`;
  stage.send({ id, kind: "load_conversation", conversationId: "c", ...(include && { include }) });
  await stage.endOf(id);
  const messages = stage.of(id).flatMap((response) => (response.type === "conversation" ? response.data.messages : []));
  return messages.at(-1)?.parts;
}

const typesOf = (responses: readonly AnyAgentResponse[]): string[] => responses.map(({ type }) => type);

describe("thoughts", () => {
  it("are told as they come, and are in the history for a host that asks; for another one the text is one text", async () => {
    const stage = openRig(function* () {
      yield { type: "reasoning", text: "The user wants " };
      yield { type: "reasoning", text: "a greeting." };
      yield { type: "text", text: "Hel" };
      yield { type: "reasoning", text: "Friendly." };
      yield { type: "text", text: "lo" };
    });
    stage.send(say("one", "hi", "c"));
    await stage.endOf("one");
    expect(typesOf(stage.of("one"))).toEqual(["reasoning", "reasoning", "token", "reasoning", "token", "done"]);
    expect(await partsOf(stage)).toEqual([{ type: "text", text: "Hello" }]);
    expect(await partsOf(stage, ["reasoning"])).toEqual([
      { type: "reasoning", text: "The user wants a greeting." },
      { type: "text", text: "Hel" },
      { type: "reasoning", text: "Friendly." },
      { type: "text", text: "lo" },
    ]);
    await stage.close();
  });

  it("a character that is split over two pieces arrives whole, and a thought without an end is bounded like a text", async () => {
    const stage = openRig(function* () {
      for (const half of "🚢".split("")) yield { type: "reasoning", text: half };
      yield { type: "text", text: "Ship." };
    });
    stage.send(say("one", "hi", "c"));
    await stage.endOf("one");
    expect(stage.of("one")[0]).toMatchObject({ type: "reasoning", data: { text: "🚢" } });
    await stage.close();
    const endless = openRig(function* () {
      for (;;) yield { type: "reasoning", text: "x".repeat(1_000_000) };
    });
    endless.send(say("one", "hi", "c"));
    expect(await endless.endOf("one")).toMatchObject({
      code: "too_large",
      error: expect.stringContaining("the answer is longer than") as string,
    });
    await endless.close();
  });
});

/** A thought with a signature, as Anthropic sends it. */
const signed = (text: string, signature: string): string =>
  [
    { type: "content_block_start", index: 7, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 7, delta: { type: "thinking_delta", thinking: text } },
    { type: "content_block_delta", index: 7, delta: { type: "signature_delta", signature } },
    { type: "content_block_stop", index: 7 },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");

const call = { id: "call_1", name: "update_plan", input: plan };

async function converse(api: "anthropic" | "openai-compatible", steps: readonly ScriptedStep[]) {
  const server = await (api === "anthropic" ? startScriptedAnthropic : startScriptedOpenAI)(steps);
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const models = createModelCatalog({ env, config: { openaiCompatible: { baseUrl: server.url } }, model: `${api}/claude-harbour` });
  const stage = openStage({ models, store: createMemoryStore(), tools: [createUpdatePlan()] });
  stage.send(say("one", "plan", "c"));
  expect(await stage.endOf("one")).toMatchObject({ type: "done" });
  stage.send(say("two", "go on", "c"));
  await stage.endOf("two");
  await stage.close();
  await server.close();
  return { stage, bodies: server.requests.map(({ body }) => body as { messages: { role: string; content: unknown }[] }) };
}

describe("what a vendor thought", () => {
  it("goes back to Anthropic with its signature while its tools run, and not with the next message", async () => {
    const { stage, bodies } = await converse("anthropic", [
      { raw: signed("Let me plan.", "sig-abc"), calls: [call], finish: "tool_use" },
      { text: "Planned." },
      { text: "Going." },
    ]);
    expect(typesOf(stage.of("one"))).toContain("reasoning");
    expect(bodies[1]?.messages[1]).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me plan.", signature: "sig-abc" },
        { type: "tool_use", id: "call_1" },
      ],
    });
    expect(JSON.stringify(bodies[2])).not.toContain("sig-abc");
  });

  it("goes back as reasoning_content to a server of Chat Completions", async () => {
    const { bodies } = await converse("openai-compatible", [
      { thought: "Let me plan.", calls: [call] },
      { text: "Planned." },
      { text: "Going." },
    ]);
    expect(bodies[1]?.messages.find(({ role }) => role === "assistant")).toMatchObject({ reasoning_content: "Let me plan." });
    expect(JSON.stringify(bodies[2])).not.toContain("reasoning_content");
  });
});

describe("a plan", () => {
  it("is set by update_plan without a question, told as an event, and in the history for a host that asks", async () => {
    const stage = openRig(function* (step) {
      if (step.messages.at(-1)?.parts.length === 0) yield { type: "tool_call", toolId: "p", toolName: "update_plan", input: plan };
      else yield { type: "text", text: "Planned." };
    });
    stage.send(say("one", "plan", "c"));
    await stage.endOf("one");
    expect(typesOf(stage.of("one"))).toEqual(["tool_use", "tool_result", "plan", "token", "done"]);
    expect(stage.of("one")[2]).toMatchObject({ data: plan });
    expect((await partsOf(stage))?.map(({ type }) => type)).toEqual(["tool_use", "tool_result", "text"]);
    expect(await partsOf(stage, ["plan"])).toContainEqual({ type: "plan", ...plan });
    await stage.close();
  });

  it("with a status that there is not is refused, and nothing is told", async () => {
    const stage = openRig(function* (step) {
      const input = { entries: [{ content: "Sail", status: "soon" }] };
      if (step.messages.at(-1)?.parts.length === 0) yield { type: "tool_call", toolId: "p", toolName: "update_plan", input };
      else yield { type: "text", text: "Hm." };
    });
    stage.send(say("one", "plan", "c"));
    await stage.endOf("one");
    expect(stage.of("one")[1]).toMatchObject({ type: "tool_result", data: { isError: true } });
    expect(typesOf(stage.of("one"))).not.toContain("plan");
    await stage.close();
  });
});
