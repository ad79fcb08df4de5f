// The life of a step of the AI SDK, and of the run behind it, when something gets in the way: the stream has no reader, the
// caller aborts while its tools run, the command line dies as their results come back. What was said is not said
// twice, no function runs twice, and nothing is left.

import { getEventListeners } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { claudeCodeLimits } from "../src/limits.ts";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  CLIExecutionError,
  CLITimeoutError,
  defineTool,
  type SdkMessage,
  type ClaudeCodeModel,
  type ClaudeCodeModelOptions,
} from "../src/index.ts";
import { say, use } from "../../../test/kit/claude-code/scripted-model.ts";
import { makeStage, thrownBy, type Stage } from "./stage.ts";
import { cliOf, hasCli, processesOf, until } from "../../../test/kit/claude-code/surroundings.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const oddCli = join(import.meta.dirname, "fixtures/odd-cli.mjs");
const user = (text: string): LanguageModelV4Prompt[number] => ({ role: "user", content: [{ type: "text", text }] });
const ask = { type: "function", name: "ask", inputSchema: { type: "object" } } as const;
const askCall: LanguageModelV4CallOptions = { prompt: [user("go")], tools: [ask] };
const asksOnce = ({ resultTexts, said }: { resultTexts: readonly string[]; said: string }) =>
  resultTexts.length > 0 || said.includes("<conversation>") ? say("done") : [use("mcp__hawser__ask")];

/** The call that brings the results of an earlier one. */
function withResults({ content }: LanguageModelV4GenerateResult): LanguageModelV4CallOptions {
  const calls = content.filter((part) => part.type === "tool-call");
  return {
    ...askCall,
    prompt: [
      user("go"),
      { role: "assistant", content: calls.map((part) => ({ ...part, input: {} })) },
      {
        role: "tool",
        content: calls.map(({ toolCallId, toolName }) => ({
          type: "tool-result",
          toolCallId,
          toolName,
          output: { type: "text", value: "answered" },
        })),
      },
    ],
  };
}

const textOf = ({ content }: LanguageModelV4GenerateResult): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

interface Odd {
  readonly model: ClaudeCodeModel;
  readonly home: string;
  readonly directory: string;
}

async function makeOdd(deed: string, options: ClaudeCodeModelOptions = {}): Promise<Odd> {
  const stage = await makeStage(() => []);
  const model = stage.create({ ...options, cliPath: oddCli, env: { ...stage.options.env, HAWSER_TEST_ODD: deed } });
  return { model, home: stage.home, directory: stage.directory };
}

describe("a stream without a reader", () => {
  it("is ended by being cancelled", async () => {
    const { model, home } = await makeOdd("silent");
    const { stream } = await model.doStream({ prompt: [user("go")] });
    expect(processesOf(home)).toHaveLength(1);
    await stream.cancel();
    expect(processesOf(home)).toEqual([]);
  });

  it.for(["the caller's signal", "its time"])("is ended by %s", async (what) => {
    const { model, home, directory } = await makeOdd("silent", what === "its time" ? { timeoutMs: 6_000 } : {});
    model.setAgentToolsets([defineTool({ name: "a", description: "", input: { type: "object" }, run: () => "" })]);
    const controller = new AbortController();
    await model.doStream({ prompt: [user("go")], abortSignal: controller.signal });
    expect(fs.readdirSync(directory)).not.toEqual([]);
    if (what !== "its time") controller.abort();
    await until(() => processesOf(home).length === 0 && fs.readdirSync(directory).length === 0, "nothing is left");
  });
});

describe("a step that can't begin", () => {
  it("is refused with the reason of a signal that was aborted before, and starts nothing", async () => {
    const { model } = await makeOdd("silent");
    const abortSignal = AbortSignal.abort(new RangeError("changed my mind"));
    const call = { prompt: [user("go")], abortSignal };
    expect(await thrownBy(model.doGenerate(call))).toBe(abortSignal.reason);
    expect(await thrownBy(model.doStream(call))).toBe(abortSignal.reason);
  });

  it("says so with the error of its run", async () => {
    const { model } = await makeOdd("silent", { timeoutMs: 500 });
    expect(await thrownBy(model.doGenerate({ prompt: [user("go")] }))).toBeInstanceOf(CLITimeoutError);
  });
});

/** A model whose every step hands out calls, without the real command line. */
async function makeCalling(options: ClaudeCodeModelOptions = {}) {
  const stage = await makeStage(() => []);
  const model = stage.create({ ...options, cliPath: join(import.meta.dirname, "fixtures/unstreamed-cli.mjs") });
  model.setAgentToolsets([], { transport: "sdk" });
  const call: LanguageModelV4CallOptions = { prompt: [user("go")], tools: [{ ...ask, name: "double" }] };
  return { stage, model, call };
}

it("a step that was abandoned is ended after its time", async () => {
  const { stage, model, call } = await makeCalling({ toolResultTimeoutMs: 500 });
  expect((await model.doGenerate(call)).finishReason.unified).toBe("tool-calls");
  await until(() => processesOf(stage.home).length === 0, "its run was ended");
});

it("an aborted call of the AI SDK ends the command line", async () => {
  const controller = new AbortController();
  const { model, home } = await makeOdd("silent", { onMessage: () => controller.abort() });
  const error = await thrownBy(generateText({ model, prompt: "go", abortSignal: controller.signal, maxRetries: 0 }));
  expect((error as Error).name).toBe("AbortError");
  expect(processesOf(home)).toEqual([]);
});

it("as many runs as the limit says wait for results: the oldest is ended for one more", async () => {
  const { stage, model, call } = await makeCalling();
  const { claudeWaitingEntries } = claudeCodeLimits;
  claudeCodeLimits.claudeWaitingEntries = 4;
  onTestFinished(() => void (claudeCodeLimits.claudeWaitingEntries = claudeWaitingEntries));
  await model.doGenerate(call);
  const [oldest] = processesOf(stage.home);
  for (let count = 1; count <= claudeCodeLimits.claudeWaitingEntries; count++) await model.doGenerate(call);
  await until(() => processesOf(stage.home).length === claudeCodeLimits.claudeWaitingEntries, "one has ended");
  expect(processesOf(stage.home)).not.toContain(oldest);
  await model.close();
  expect(processesOf(stage.home)).toEqual([]);
});

describe("a run of a scripted command line that waits for results", () => {
  it("is ended when its caller aborts while the functions run", async () => {
    const { stage, model } = await makeCalling();
    const controller = new AbortController();
    const execute = async (): Promise<string> => {
      expect(processesOf(stage.home)).toHaveLength(1);
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return "too late";
    };
    const tools = { double: tool({ inputSchema: jsonSchema({ type: "object" }), execute }) };
    const error = await thrownBy(generateText({ model, prompt: "go", tools, stopWhen: isStepCount(3), abortSignal: controller.signal }));
    expect((error as Error).name).toBe("AbortError");
    await until(() => processesOf(stage.home).length === 0, "the command line has ended");
  });

  it("and is killed as the results come back is replaced by one that is told of them", async () => {
    const { stage, model, call } = await makeCalling();
    const { signal } = new AbortController();
    const first = await model.doGenerate({ ...call, abortSignal: signal });
    // The step's guard has made way for that of the wait.
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    process.kill(processesOf(stage.home)[0]!, "SIGKILL");
    expect(textOf(await model.doGenerate(withResults(first)))).toContain("[result of double]\nanswered");
  });

  it("and is being ended as the results come back is replaced, too", async () => {
    const { model, call } = await makeCalling();
    const controller = new AbortController();
    const first = await model.doGenerate({ ...call, abortSignal: controller.signal });
    controller.abort();
    expect(textOf(await model.doGenerate(withResults(first)))).toContain("[result of double]\nanswered");
  });
});

describe.runIf(hasCli)("a run that waits for results", () => {
  it("outlives a reader that leaves behind the end, and times that no timer can hold; one step takes it, and another with the same results has a run of its own", async () => {
    const stage = await makeStage(asksOnce);
    const model = stage.create({ toolResultTimeoutMs: 3_000_000_000 });
    const { stream } = await model.doStream(askCall);
    const content: LanguageModelV4GenerateResult["content"] = [];
    for await (const part of stream) {
      if (part.type === "tool-call") content.push(part);
      if (part.type === "finish") break;
    }
    // A time that is cut off is over in a moment.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const results = withResults({ content } as unknown as LanguageModelV4GenerateResult);
    const both = await Promise.all([model.doGenerate(results), model.doGenerate(results)]);
    expect(both.map(textOf)).toEqual(["done", "done"]);
    // One was told of nothing, since it was there; the other was told.
    const isTold = stage.model.conversations.slice(1).map(({ said }) => said.includes("<conversation>"));
    expect(new Set(isTold)).toEqual(new Set([false, true]));
    expect(isTold).toHaveLength(2);
  });

  it("that is killed when it has the results is replaced, and no function runs twice", async () => {
    const stage: Stage = await makeStage(async (conversation) => {
      if (conversation.results.length === 0) return asksOnce(conversation);
      process.kill(cliOf(stage.home)!, "SIGKILL");
      return say("said to nobody");
    });
    let runs = 0;
    const tools = { ask: tool({ inputSchema: z.object({}), execute: () => `run ${++runs}` }) };
    const { text } = await generateText({ model: stage.create(), prompt: "go", tools, stopWhen: isStepCount(3) });
    expect([text, runs]).toEqual(["done", 1]);
    expect(stage.model.conversations.at(-1)!.said).toContain("run 1");
  });

  it("is not replaced when a limit has ended it", async () => {
    const stage = await makeStage(asksOnce);
    const model = stage.create({ maxTurns: 1 });
    const first = await model.doGenerate(askCall);
    const error = await thrownBy(model.doGenerate(withResults(first)));
    expect(error).toMatchObject({ name: "CLIExecutionError", facts: { subtype: "error_max_turns" } });
    expect(stage.model.conversations).toHaveLength(1);
  });
});

describe("a session that goes on", () => {
  const answer: LanguageModelV4Prompt[number] = { role: "assistant", content: [{ type: "text", text: "fine" }] };
  const conversation = [user("one"), answer, user("two")];

  it("and fails before it says anything is begun anew, and not tried again", async () => {
    let runs = 0;
    const onMessage = ({ subtype }: SdkMessage): void => void (subtype === "init" && runs++);
    const { model } = await makeOdd("resumed|dies", { onMessage });
    await model.doGenerate({ prompt: [user("one")] });
    for (const expected of [3, 4]) {
      expect(textOf(await model.doGenerate({ prompt: conversation }))).toBe("fine");
      expect(runs).toBe(expected);
    }
  });

  it("and fails after it has said something is an error: nothing is said twice", async () => {
    const { model } = await makeOdd("resumed|says");
    await model.doGenerate({ prompt: [user("one")] });
    expect(await thrownBy(model.doGenerate({ prompt: conversation }))).toBeInstanceOf(CLIExecutionError);
  });

  it("and is refused by the API is not begun anew", async () => {
    let runs = 0;
    const { model } = await makeOdd("resumed|refused", { onMessage: ({ subtype }) => void (subtype === "init" && runs++) });
    await model.doGenerate({ prompt: [user("one")] });
    expect(await thrownBy(model.doGenerate({ prompt: conversation }))).toMatchObject({ name: "CLIExecutionError", facts: { status: 400 } });
    expect(runs).toBe(2);
  });
});
