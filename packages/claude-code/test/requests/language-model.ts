// The model under the AI SDK, with the real command line: text, streams, values, and ordinary tools whose
// functions the AI SDK runs while the command line waits.

import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { generateObject, generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CLIExecutionError, createClaudeCode, defineTool, type TransportType } from "../../src/index.ts";
import { say, use, type Conversation, type ModelBlock } from "../../../../test/kit/claude-code/scripted-model.ts";
import { builtBridge, isLong, itInSoak, makeStage } from "../stage.ts";
import { cliOf, hasCli, processesOf, until } from "../../../../test/kit/claude-code/surroundings.ts";
import { isRunning } from "../../../../test/kit/processes.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const full = (name: string): string => `mcp__hawser__${name}`;
const answers =
  (first: readonly ModelBlock[]) =>
  ({ resultTexts }: Conversation) =>
    resultTexts.length > 0 ? say(`results: ${resultTexts.map((text) => text.split("\n")[0]).join(" and ")}`) : first;

it("the run of a step that was abandoned is ended when its conversation goes on without it", async () => {
  const stage = await makeStage(() => []);
  const model = stage.create({ cliPath: join(import.meta.dirname, "../fixtures/unstreamed-cli.mjs") });
  model.setAgentToolsets([], { transport: "sdk" });
  const tools = { double: tool({ inputSchema: jsonSchema({ type: "object" }), outputSchema: z.string() }) };
  const messages = [{ role: "user" as const, content: "double it" }];
  const first = await generateText({ model, messages, tools });
  expect(first.finishReason).toBe("tool-calls");
  const [left] = processesOf(stage.home);
  const content = first.toolCalls.map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output: { type: "text" as const, value: "?" },
  }));
  const moved = [
    ...messages,
    ...first.response.messages,
    { role: "tool" as const, content },
    { role: "user" as const, content: "never mind" },
  ];
  expect((await generateText({ model, messages: moved, tools })).text).toContain("never mind");
  expect(left).toBeTypeOf("number");
  await until(() => !processesOf(stage.home).includes(left!), "the run that was left is gone");
});

describe.runIf(hasCli)("the AI SDK", () => {
  it("generateText: text, usage, and cost, session and warnings in the metadata; registered tools run here, inside the step", async () => {
    const stage = await makeStage(answers([{ type: "thinking", thinking: "hm" }, use(full("boats"))]));
    const model = stage.create();
    model.setAgentToolsets([defineTool({ name: "boats", description: "", input: { type: "object" }, run: () => "three boats" })]);
    const { text, steps, usage, providerMetadata, warnings, finishReason, response } = await generateText({
      model,
      instructions: "Be polite.",
      prompt: "how many?",
      temperature: 0.5,
    });
    expect([text, finishReason, steps.length]).toEqual(["results: three boats", "stop", 1]);
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    expect(providerMetadata?.["claude-code"]).toMatchObject({ model: "claude-sonnet-4-5", turns: 2, warnings: [], sessionId: response.id });
    expect(providerMetadata?.["claude-code"]?.["costUsd"]).toBeGreaterThan(0);
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "temperature" }]);
    expect(stage.model.conversations[0]!.system).toContain("Be polite.");
  });

  it("generateObject: a value that fits the schema, from a model of the provider function", async () => {
    const stage = await makeStage(({ results }) => (results.length > 0 ? say("done") : [use("StructuredOutput", { boats: 3 })]));
    const { model: modelId, ...options } = stage.options;
    const claudeCode = createClaudeCode(options);
    const { object } = await generateObject({ model: claudeCode(modelId), schema: z.object({ boats: z.number() }), prompt: "how many?" });
    expect(object).toEqual({ boats: 3 });
  });

  // In short over one of them: step-life.test.ts hands out calls over the other.
  it.for(isLong ? (["stdio", "sdk"] as const) : (["stdio"] as const))(
    "streamText over %s: parallel calls of ordinary tools, results and errors, in one run",
    async (transport: TransportType) => {
      const stage = await makeStage(
        answers([...say("let me see"), use(full("add"), { a: 1, b: 2 }), use(full("add"), { b: 4, a: 3 }), use(full("fail"))]),
      );
      const model = stage.create();
      model.setAgentToolsets([], { transport });
      const pids: unknown[] = [];
      const result = streamText({
        model,
        prompt: "add",
        stopWhen: isStepCount(5),
        tools: {
          add: tool({
            inputSchema: z.object({ a: z.number(), b: z.number() }),
            execute: ({ a, b }) => {
              pids.push(cliOf(stage.home));
              return { sum: a + b };
            },
          }),
          fail: tool({ inputSchema: jsonSchema({ type: "object" }), execute: (): Promise<string> => Promise.reject(new Error("no luck")) }),
        },
      });
      expect(await result.text).toMatch(/^results: \{"sum":3\} and \{"sum":7\} and .*no luck/);
      const steps = await result.steps;
      expect(steps.map(({ finishReason, text }) => [finishReason, text.slice(0, 10)])).toEqual([
        ["tool-calls", "let me see"],
        ["stop", "results: {"],
      ]);
      expect(steps[0]!.toolCalls.map(({ toolName, input }) => [toolName, input])).toEqual([
        ["add", { a: 1, b: 2 }],
        ["add", { b: 4, a: 3 }],
        ["fail", {}],
      ]);
      // One process for both steps, alive while the functions ran.
      expect(new Set(pids).size).toBe(1);
      expect(pids[0]).toBeTypeOf("number");
      expect(stage.model.conversations).toHaveLength(2);
      expect(await result.totalUsage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    },
  );

  // In short: step-life.test.ts.
  itInSoak("goes on in a new run, told of the conversation, when the waiting one has died", async () => {
    const stage = await makeStage(({ said }) => (said.includes("result of kill") ? say("as I saw") : [use(full("kill"))]));
    const model = stage.create();
    const kill = tool({
      inputSchema: z.object({}),
      async execute() {
        process.kill(cliOf(stage.home)!, "SIGKILL");
        await until(() => fs.readdirSync(stage.directory).length === 0, "it is dead, and its session is gone");
        return "killed it";
      },
    });
    const { text } = await generateText({ model, prompt: "kill it", tools: { kill }, stopWhen: isStepCount(3) });
    expect(text).toBe("as I saw");
    expect(stage.model.conversations.at(-1)!.said).toContain("killed it");
  });

  it("resumes the session of a conversation, and tells a new one what was said", async () => {
    const stage = await makeStage(({ messages }) => say(`answer ${messages.filter(({ role }) => role === "assistant").length}`));
    const model = stage.create();
    const first = await generateText({ model, prompt: "one" });
    const messages = [{ role: "user" as const, content: "one" }, ...first.response.messages, { role: "user" as const, content: "two" }];
    const second = await generateText({ model, messages });
    // The session has the answer before; a fresh process has it in the text that it is told.
    expect([first.text, second.text]).toEqual(["answer 0", "answer 1"]);
    // The command line counts on from the session's past; what this request has cost is told beside it.
    const costs = [first, second].map(
      ({ providerMetadata }) => providerMetadata?.["claude-code"] as { costUsd: number; runCostUsd: number },
    );
    expect(costs[1]!.costUsd).toBeCloseTo(2 * costs[0]!.costUsd, 9);
    expect(costs.map(({ runCostUsd }) => runCostUsd)).toEqual([costs[0]!.costUsd, expect.closeTo(costs[0]!.costUsd, 9)]);
    expect(stage.model.conversations.at(-1)!.said).not.toContain("<conversation>");
    // In short: step-life.test.ts.
    if (!isLong) return;
    const fresh = await generateText({ model: stage.create(), messages });
    expect(fresh.text).toBe("answer 0");
    expect(stage.model.conversations.at(-1)!.said).toContain("[assistant]\nanswer 0");
    // Going back finds the session as it was.
    const again = await generateText({ model, messages: [...messages.slice(0, 2), { role: "user", content: "other" }] });
    expect(again.text).toBe("answer 1");
    expect(stage.model.conversations.at(-1)!.said).not.toContain("two");
    // One whose file is gone is told.
    fs.rmSync(join(stage.home, "claude"), { recursive: true, force: true });
    const told = await generateText({ model, messages });
    expect(told.text).toBe("answer 0");
    expect(stage.model.conversations.at(-1)!.said).toContain("[assistant]\nanswer 0");
  });

  it(
    "a program that leaves steps behind ends by itself, with an interrupt handler too, and the command lines with it",
    { timeout: 180_000 },
    async () => {
      const stage = await makeStage(() => [use(full("ask"))]);
      const program = join(import.meta.dirname, "../fixtures/leaves-a-step.ts");
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--conditions=hawser-source", program, stage.home, stage.directory, builtBridge],
        {
          env: { ...process.env, ...stage.options.env },
          timeout: 170_000,
        },
      );
      const { finishReasons, pids } = JSON.parse(stdout) as { finishReasons: string[]; pids: number[] };
      expect(finishReasons).toEqual(["tool-calls", "tool-calls"]);
      // Two command lines and the process between the real one and the program.
      expect(pids.length).toBeGreaterThanOrEqual(3);
      await until(() => !pids.some(isRunning), "the command lines have ended");
      expect(fs.readdirSync(stage.directory)).toEqual([]);
    },
  );

  it("what the command line says in the model's place, such as that no user is logged in, is an error and never text", async () => {
    const stage = await makeStage(() => say("never asked"));
    const keyless = stage.create({ env: { ...stage.options.env, ANTHROPIC_API_KEY: undefined } });
    const { stream } = await keyless.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }] });
    const types: string[] = [];
    for await (const part of stream) {
      types.push(part.type);
      if (part.type !== "error") continue;
      expect(part.error).toBeInstanceOf(CLIExecutionError);
      expect((part.error as Error).message).toMatch(/log in once with `claude`, or set ANTHROPIC_API_KEY$/);
    }
    expect(types).toEqual(["stream-start", "response-metadata", "error"]);
  });

  // In short: step-life.test.ts.
  itInSoak("a reader that goes away ends the command line", async () => {
    const stage = await makeStage(() => say("one two"));
    const { stream } = await stage.create().doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }] });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(cliOf(stage.home)).toBeUndefined();
  });
});
