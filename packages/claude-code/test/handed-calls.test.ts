// Calls that are handed out: where they are found in messages that were not streamed, and which result each gets.

import { join } from "node:path";
import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { generateText, isStepCount, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createHandedCalls } from "../src/language/handed-calls.ts";
import { makeStage } from "./stage.ts";

const context = (signal = new AbortController().signal) => ({ signal, progress() {}, log() {}, client: undefined });
const text = (value: string): LanguageModelV4ToolResultOutput => ({ type: "text", value });
const call = (toolCallId: string, toolName: string, input: object) => ({ toolCallId, toolName, input: JSON.stringify(input) });

function makeCalls() {
  const handed = createHandedCalls(["a", "b"].map((name) => ({ type: "function", name, inputSchema: { type: "object" } })));
  const run = (name: string, args: object, signal?: AbortSignal): Promise<unknown> =>
    handed.tools.find((offered) => offered.name === name)!.run(args as never, context(signal)) as Promise<unknown>;
  return { handed, run };
}

describe("results of calls that were handed out", () => {
  it("reach their calls by name and arguments, in whatever order those come, before or after the results", async () => {
    const { handed, run } = makeCalls();
    const early = [run("b", { y: 1, x: 2 }), run("a", { x: 1 })];
    const calls = [call("1", "a", { x: 1 }), call("2", "a", { x: 2 }), call("3", "b", { x: 2, y: 1 })];
    handed.settle(
      calls,
      new Map([
        ["1", text("one")],
        ["2", text("two")],
        ["3", text("three")],
      ]),
    );
    const late = run("a", { x: 2 });
    expect(await Promise.all([...early, late])).toMatchObject([
      { content: [{ text: "three" }] },
      { content: [{ text: "one" }] },
      { content: [{ text: "two" }] },
    ]);
  });

  it("reach a call whose arguments were changed on the way, by its name", async () => {
    const { handed, run } = makeCalls();
    handed.settle([call("1", "a", { x: "1" })], new Map([["1", text("one")]]));
    expect(await run("a", { x: 1 })).toMatchObject({ content: [{ text: "one" }] });
  });

  it("reach the others where the arguments of one were no JSON", async () => {
    const { handed, run } = makeCalls();
    const broken = { toolCallId: "1", toolName: "a", input: '{"x": ' };
    handed.settle(
      [broken, call("2", "b", {})],
      new Map([
        ["1", text("one")],
        ["2", text("two")],
      ]),
    );
    expect(await run("b", {})).toMatchObject({ content: [{ text: "two" }] });
  });

  it.for([
    [undefined, { content: [{ text: "there is no result of this call" }], isError: true }],
    [{ type: "json", value: { n: 1 } }, { content: [{ text: '{"n":1}' }] }],
    [{ type: "json", value: "quoted" }, { content: [{ text: '"quoted"' }] }],
    [
      { type: "error-text", value: "no" },
      { content: [{ text: "no" }], isError: true },
    ],
    [
      { type: "error-json", value: [1] },
      { content: [{ text: "[1]" }], isError: true },
    ],
    [
      { type: "execution-denied", reason: "not you" },
      { content: [{ text: "the call was denied: not you" }], isError: true },
    ],
    [{ type: "content", value: [] }, { content: [{ type: "text", text: "" }] }],
    [
      {
        type: "content",
        value: [
          { type: "text", text: "see" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2]) } },
        ],
      },
      { content: [{ text: "see" }, { type: "image", data: "AQI=", mimeType: "image/png" }] },
    ],
  ] as const)("are what a function would have returned: %j", async ([output, expected]) => {
    const { handed, run } = makeCalls();
    handed.settle([call("1", "a", {})], new Map(output ? [["1", output as unknown as LanguageModelV4ToolResultOutput]] : []));
    expect(await run("a", {})).toMatchObject(expected);
  });

  it("a call that is cancelled waits no longer, and takes nobody's result", async () => {
    const { handed, run } = makeCalls();
    const controller = new AbortController();
    const cancelled = run("a", {}, controller.signal);
    controller.abort(new Error("gone"));
    await expect(cancelled).rejects.toThrow("gone");
    const waiting = run("a", {});
    handed.settle([call("1", "a", {})], new Map([["1", text("one")]]));
    expect(await waiting).toMatchObject({ content: [{ text: "one" }] });
  });
});

it("calls in messages that were not streamed are handed out together, once the first of them is made", async () => {
  const stage = await makeStage(() => []);
  const model = stage.create({ cliPath: join(import.meta.dirname, "fixtures/unstreamed-cli.mjs") });
  model.setAgentToolsets([], { transport: "sdk" });
  const double = tool({ inputSchema: z.object({ x: z.number() }), execute: ({ x }) => `${2 * x}` });
  const { text: answer, steps } = await generateText({ model, prompt: "go", tools: { double }, stopWhen: isStepCount(3) });
  expect(answer).toBe("they said 2 and 4");
  expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0]);
});
