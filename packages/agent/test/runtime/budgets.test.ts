// What a turn and a conversation may use: tokens, money, time.

import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyAgentResponse } from "@hawser/protocol";
import { defineTool } from "@hawser/tools";
import { afterAll, describe, expect, it } from "vitest";
import { createFileStore } from "../../src/history/file-store.ts";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import type { Model } from "../../src/model/model.ts";
import type { TurnAgent } from "../../src/model/turn-agent.ts";
import { openStage, toolResultsIn, type Stage, type StageOptions } from "./stage.ts";

const dig = defineTool({
  name: "dig",
  description: "Digs.",
  input: { type: "object" },
  annotations: { readOnlyHint: true },
  run: async () => "earth",
});

/** Digs until it has been given so many results; each step takes a thousand tokens. */
const digger = (rounds: number, traits: Partial<Model> = {}): Model => ({
  name: "scripted",
  ...traits,
  async *stream(step) {
    const done = toolResultsIn(step).length;
    if (done < rounds) yield { type: "tool_call", toolId: `dig-${done}`, toolName: "dig", input: {} };
    else yield { type: "text", text: "Found." };
    yield { type: "usage", inputTokens: 900, outputTokens: 100 };
  },
});

const stageWith = (model: Model | TurnAgent, options: StageOptions = {}): Stage =>
  openStage({
    models: { current: model.name, pick: async () => model, list: async () => [] },
    tools: [dig],
    store: createMemoryStore(),
    ...options,
  });

async function ask(stage: Stage, id: string, metadata: object = {}): Promise<AnyAgentResponse> {
  stage.send({ id, kind: "user_message", message: "dig", metadata: { conversationId: "c", ...metadata } });
  return stage.endOf(id);
}

describe("what a killed turn has used", () => {
  /** A runtime that is killed in the middle leaves its files as they are then. */
  async function killedCopy(stage: Stage, folder: string, whenSeen: string): Promise<Stage> {
    stage.send({ id: "one", kind: "user_message", message: "dig", metadata: { conversationId: "c" } });
    await stage.next(({ type }) => type === whenSeen);
    const copy = mkdtempSync(join(tmpdir(), "hawser-killed-"));
    folders.push(folder, copy);
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".jsonl"))) cpSync(join(folder, name), join(copy, name));
    return stageWith(digger(0), { store: storeIn(copy), budgets: { conversation: { tokens: 2_000 } } });
  }

  const folders: string[] = [];
  const storeIn = (folder: string) => createFileStore({ folder, onNotice: () => {} });
  const newFolder = (): string => mkdtempSync(join(tmpdir(), "hawser-budget-"));
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it("counts against the conversation's budget, up to the last step that was complete", async () => {
    const folder = newFolder();
    const stuck = defineTool({ ...dig, run: () => new Promise<string>(() => {}) });
    const stage = stageWith(digger(9), { store: storeIn(folder), tools: [stuck] });
    const next = await killedCopy(stage, folder, "usage");
    expect(await ask(next, "two")).toMatchObject({ type: "done" });
    expect(await ask(next, "three")).toMatchObject({ type: "error", error: expect.stringContaining("2000 of the 2000 tokens") as string });
    await next.close();
    stage.send({ id: "stop", kind: "cancel", target: "one" });
    await stage.endOf("one");
    await stage.close();
  });

  it("counts where an agent with a loop of its own has told it, and not twice when its turn ends", async () => {
    const folder = newFolder();
    const goOn = Promise.withResolvers<void>();
    const agent: TurnAgent = {
      name: "acp/scripted",
      async run({ emit, keepSession }) {
        await keepSession("s");
        await emit({ type: "text", text: "I dig." });
        await emit({ type: "usage", inputTokens: 1_900, outputTokens: 100 });
        await goOn.promise;
        await emit({ type: "usage", inputTokens: 2_000, outputTokens: 100 });
      },
      runningSession: () => undefined,
      options: async () => [],
      setOption: async () => [],
      release: async () => {},
      close: async () => {},
    };
    const stage = stageWith(agent, { store: storeIn(folder) });
    const next = await killedCopy(stage, folder, "usage");
    expect(await ask(next, "two")).toMatchObject({ type: "error", error: expect.stringContaining("2000 of the 2000 tokens") as string });
    await next.close();
    goOn.resolve();
    await stage.endOf("one");
    await stage.close();
    const opened = await storeIn(folder).open("c");
    expect(opened.used.tokens).toBe(2_100);
    await opened.close();
  });
});

describe("the budget of a turn", () => {
  it("in tokens: no step begins that would go beyond it, what was done is kept, and the next message goes on", async () => {
    const stage = stageWith(digger(5));
    const end = await ask(stage, "one", { budget: { tokens: 2_050 } });
    expect(end).toMatchObject({ type: "error", code: "budget_exceeded" });
    expect((end as { error: string }).error).toMatch(/2000 of the 2050 tokens of this turn are used.*metadata\.budget\.tokens/);
    expect(stage.of("one").filter(({ type }) => type === "tool_result")).toHaveLength(2);
    stage.send({ id: "load", kind: "load_conversation", conversationId: "c" });
    await stage.endOf("load");
    const [line] = stage.of("load");
    const [, answer] = line?.type === "conversation" ? line.data.messages : [];
    expect(answer?.parts.map(({ type }) => type)).toEqual(["tool_use", "tool_result", "tool_use", "tool_result"]);
    expect(await ask(stage, "two", { budget: { tokens: 10_000 } })).toMatchObject({ type: "done" });
    await stage.close();
  });

  it("in tokens: a step that can't fit is not begun at all", async () => {
    const stage = stageWith(digger(0));
    expect(await ask(stage, "one", { budget: { tokens: 1 } })).toMatchObject({ type: "error", code: "budget_exceeded" });
    expect(stage.of("one")).toHaveLength(1);
    await stage.close();
  });

  it("in US dollars, by the prices of the configuration; without them it is refused with what to do", async () => {
    const prices = { scripted: { inputPerMillion: 1_000, outputPerMillion: 1_000 } };
    const stage = stageWith(digger(5), { prices });
    const end = await ask(stage, "one", { budget: { usd: 1.5 } });
    expect(end).toMatchObject({ type: "error", code: "budget_exceeded", error: expect.stringContaining("$2.0000 of the $1.5") as string });
    await stage.close();
    const unpriced = stageWith(digger(5));
    expect(await ask(unpriced, "one", { budget: { usd: 1 } })).toMatchObject({
      type: "error",
      code: "usage",
      error: expect.stringContaining('prices["scripted"]') as string,
    });
    await unpriced.close();
    const free = stageWith(digger(2, { isFree: true }));
    expect(await ask(free, "one", { budget: { usd: 0.01 } })).toMatchObject({ type: "done" });
    await free.close();
  });

  it("in time: a turn that is still at it ends with the same error", async () => {
    const hanging: Model = {
      name: "hanging",
      async *stream() {
        yield { type: "text", text: "Hm" };
        await new Promise(() => {});
      },
    };
    const stage = stageWith(hanging);
    const end = await ask(stage, "one", { budget: { ms: 50 } });
    expect(end).toMatchObject({
      type: "error",
      code: "budget_exceeded",
      error: expect.stringContaining("the 50 ms of this turn are over") as string,
    });
    await stage.close();
  });

  it("of the configuration can be narrowed by a message, and not widened", async () => {
    const stage = stageWith(digger(5), { budgets: { turn: { tokens: 2_500 } } });
    expect(await ask(stage, "wide", { budget: { tokens: 100_000 } })).toMatchObject({ code: "budget_exceeded" });
    expect(await ask(stage, "narrow", { budget: { tokens: 1_500 } })).toMatchObject({
      error: expect.stringContaining("of the 1500") as string,
    });
    await stage.close();
  });

  it.each([
    [5, "must be an object"],
    [{ tokens: 0 }, "must be a number above 0"],
    [{ tokens: "many" }, "must be a number above 0"],
    [{ ms: Number.MAX_VALUE * 2 }, "must be a number above 0"],
    [{ dollars: 3 }, "means nothing"],
  ])("%j is refused", async (budget, problem) => {
    const stage = stageWith(digger(0));
    expect(await ask(stage, "one", { budget })).toMatchObject({
      code: "invalid_message",
      error: expect.stringContaining(problem) as string,
    });
    await stage.close();
  });
});

describe("the budget of a conversation", () => {
  it("counts all of its turns, and says where it can be raised; another conversation has its own", async () => {
    const stage = stageWith(digger(1), { budgets: { conversation: { tokens: 4_500 } } });
    expect(await ask(stage, "one")).toMatchObject({ type: "done" });
    expect(await ask(stage, "two")).toMatchObject({ type: "done" });
    const end = await ask(stage, "three");
    expect(end).toMatchObject({ type: "error", code: "budget_exceeded" });
    expect((end as { error: string }).error).toMatch(/tokens of this conversation are used.*budgets\.conversation\.tokens/);
    expect(await ask(stage, "four", { conversationId: "d" })).toMatchObject({ type: "done" });
    await stage.close();
  });
});

describe("an agent that owns its loop", () => {
  const agent = (usage: readonly number[]): TurnAgent => ({
    name: "acp/scripted",
    runningSession: () => undefined,
    async run({ emit, signal }) {
      for (const inputTokens of usage) {
        await emit({ type: "usage", inputTokens });
        signal.throwIfAborted();
        await emit({ type: "text", text: "." });
      }
    },
    options: async () => [],
    setOption: async () => [],
    release: async () => {},
    close: async () => {},
  });

  it("is ended as soon as it says that it has used more", async () => {
    const stage = stageWith(agent([500, 1_500, 2_500]));
    expect(await ask(stage, "one", { budget: { tokens: 1_000 } })).toMatchObject({ code: "budget_exceeded" });
    await stage.close();
  });

  it("that tells nothing of what it uses can't be watched, which is said", async () => {
    const stage = stageWith(agent([]));
    expect(await ask(stage, "one", { budget: { tokens: 1_000 } })).toMatchObject({ type: "done" });
    expect(stage.of("one")).toMatchObject([{ type: "progress", data: { message: expect.stringContaining("not watched") as string } }, {}]);
    await stage.close();
  });
});

describe("effort", () => {
  it("reaches the model; one that has no use for it says so, and an unknown word is refused", async () => {
    const told: unknown[] = [];
    const model = (takesEffort: boolean): Model => ({
      name: "scripted",
      takesEffort,
      async *stream({ effort }) {
        told.push(effort);
        yield { type: "text", text: "Yes." };
      },
    });
    const stage = stageWith(model(true));
    await ask(stage, "one", { effort: "high" });
    await ask(stage, "two");
    expect(told).toEqual(["high", undefined]);
    expect(await ask(stage, "three", { effort: "hard" })).toMatchObject({ code: "invalid_message" });
    await stage.close();
    const other = stageWith(model(false));
    await ask(other, "one", { effort: "high" });
    expect(other.of("one")[0]).toMatchObject({ type: "progress", data: { message: expect.stringContaining("no effort") as string } });
    await other.close();
  });
});
