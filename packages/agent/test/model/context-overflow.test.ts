// The refusals of vendors whose context is full, in their real shapes, through the real provider packages.

import { describe, expect, it } from "vitest";
import { createContextWindows } from "../../src/model/context-windows.ts";
import { overflowIn } from "../../src/model/context-overflow.ts";
import { readStep, startScriptedModel, type Api } from "./model-rig.ts";
import type { ScriptedStep } from "../../../../test/kit/models/scripted-server.ts";

const openAiError = (message: string) => ({
  error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
});

const inStream = (event: object): ScriptedStep => ({ raw: `event: error\ndata: ${JSON.stringify(event)}\n\n`, finish: null });

const exceeds = "Your input exceeds the context window of this model. Please adjust your input and try again.";

const shapes: readonly (readonly [string, Api, ScriptedStep, number | undefined])[] = [
  [
    "Anthropic's 400",
    "messages",
    {
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 213462 tokens > 200000 maximum" } },
    },
    200_000,
  ],
  [
    "Anthropic's 400 about max_tokens",
    "messages",
    {
      status: 400,
      body: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message:
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
        },
      },
    },
    200_000,
  ],
  ["OpenAI's 400", "responses", { status: 400, body: openAiError(exceeds) }, undefined],
  [
    "OpenAI's event in the stream",
    "responses",
    inStream({
      type: "error",
      sequence_number: 2,
      error: { type: "invalid_request_error", code: "context_length_exceeded", message: exceeds, param: "input" },
    }),
    undefined,
  ],
  [
    "OpenAI's failed response",
    "responses",
    {
      raw: `event: response.failed\ndata: ${JSON.stringify({
        type: "response.failed",
        sequence_number: 3,
        response: { id: "resp_1", status: "failed", error: { code: "context_length_exceeded", message: exceeds }, usage: null },
      })}\n\n`,
      finish: null,
    },
    undefined,
  ],
  [
    "Chat Completions",
    "chat",
    {
      status: 400,
      body: openAiError(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 10338 tokens. Please reduce the length of the messages.",
      ),
    },
    8_192,
  ],
  [
    "llama.cpp",
    "chat",
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 9_000,
          n_ctx: 8_192,
        },
      },
    },
    8_192,
  ],
];

it.each(shapes)("%s is known for what it is, with the window where it says so, and is not tried again", async (_, api, step, window) => {
  await using rig = await startScriptedModel(api, [step]);
  const { error, events } = await readStep(rig.model);
  expect(error).toMatchObject({ code: "too_large", facts: { isOverflow: true, ...(window !== undefined && { window }) } });
  expect(error?.facts["window"]).toBe(window);
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
  expect(rig.server.requests).toHaveLength(1);
});

describe("an answer that ends where the context is full", () => {
  it("is an error that says how to go on, and tells the size of the context", async () => {
    const step: ScriptedStep = { text: "The harbour", finish: "model_context_window_exceeded", usage: { input: 199_000, output: 1_000 } };
    await using rig = await startScriptedModel("messages", [step]);
    const { error, text } = await readStep(rig.model);
    expect(text).toBe("The harbour");
    expect(error).toMatchObject({ code: "too_large", facts: { isOverflow: true, window: 200_000 } });
    expect(error?.message).toContain("say that it is to go on");
  });
});

describe("words", () => {
  it.each([
    ["This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens", 32_768],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    ["Prompt contains 40046 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32_768],
    ["Input length (265330) exceeds model's maximum context length (262144).", 262_144],
    ["The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)", 1_048_575],
    ["The input (300 tokens) is longer than the model's context length (200 tokens).", 200],
    ["Your request exceeded model token limit: 128000 (requested: 250000)", 128_000],
    ["prompt token count of 5000 exceeds the limit of 4096", 4_096],
    ["prompt too long; exceeded max context length by 4096 tokens", undefined],
    ["Please reduce the length of the messages or completion", undefined],
    ["tokens to keep from the initial prompt is greater than the context length", undefined],
    ["invalid params, context window exceeds limit", undefined],
  ])("%s", (text, window) => {
    expect(overflowIn(text)).toEqual({ isOverflow: true, ...(window !== undefined && { window }) });
  });

  it.each([
    "Rate limit reached for gpt-5.5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000",
    "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens",
    "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after",
    "Overloaded",
  ])("but not: %s", (text) => expect(overflowIn(text)).toBeUndefined());
});

describe("how much fits", () => {
  it("the table comes first, the configuration next, the vendor's word last; each can only narrow what is known", () => {
    const windows = createContextWindows({
      configured: { "ollama/harbour": 32_768, "anthropic/claude-sonnet-5-5": 2_000_000, "openai/gpt-4o": 64_000 },
    });
    expect(windows.of("anthropic/claude-sonnet-5-5")).toBe(1_000_000);
    expect(windows.of("openai/gpt-4o-2024-08-06")).toBe(128_000);
    expect(windows.of("openai/gpt-4o")).toBe(64_000);
    expect(windows.of("ollama/harbour")).toBe(32_768);
    expect(windows.of("ollama/other")).toBeUndefined();
    windows.learn("ollama/other", 8_192);
    windows.learn("ollama/other", 16_384);
    expect(windows.of("ollama/other")).toBe(8_192);
    windows.learn("ollama/harbour", 65_536);
    expect(windows.of("ollama/harbour")).toBe(32_768);
    expect(windows.of("toString")).toBeUndefined();
  });

  it.each([
    ["anthropic/claude-haiku-4-5-20251001", 200_000],
    ["anthropic/claude-opus-4-6", 1_000_000],
    ["anthropic/claude-sonnet-4-20250514", 200_000],
    ["anthropic/claude-3-5-sonnet-latest", 200_000],
    ["openai/gpt-5.5", 922_000],
    ["openai/gpt-5-mini-2025-08-07", 272_000],
    ["openai/gpt-5.1-codex-max", 272_000],
    ["openai/gpt-5-chat-latest", 128_000],
    ["openai/o4-mini", 200_000],
    ["openai/gpt-99", undefined],
    ["openai-compatible/gpt-4o", undefined],
  ])("%s: %s", (name, window) => expect(createContextWindows().of(name)).toBe(window));
});
