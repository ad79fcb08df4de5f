// Language models that the composing program hands in: whatever they stream, a step ends as ours do.

import { describe, expect, it } from "vitest";
import { createAiSdkModel, type AiSdkLanguageModel } from "../../src/model/ai-sdk-model.ts";
import { createStep, readStep } from "./model-rig.ts";

const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, text: undefined, reasoning: undefined };
const usage = { inputTokens: none, outputTokens: none };
const text = (delta: string): object[] => [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta },
  { type: "text-end", id: "1" },
];
const finish = (unified: string, raw?: string): object => ({ type: "finish", finishReason: { unified, raw }, usage });

/** A language model as another package may hand it in, that streams these parts. `onCall` is told of the signal of each call. */
function createModel(parts: readonly object[], onCall: (signal: AbortSignal | undefined) => void = () => {}) {
  const doStream = ({ abortSignal }: { readonly abortSignal?: AbortSignal }) => {
    onCall(abortSignal);
    return Promise.resolve({ stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts]) });
  };
  const languageModel = { specificationVersion: "v4", provider: "other", modelId: "m", supportedUrls: {}, doStream };
  return createAiSdkModel("other/m", languageModel as unknown as AiSdkLanguageModel, {
    retries: { calls: 0, backoffMs: 1, pauseMs: 1, totalMs: 1 },
  });
}

describe("a model from another package", () => {
  it("may run tools of its own: they are told, and not run again", async () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "web_search", input: "{}", providerExecuted: true, dynamic: true };
    const { events, error } = await readStep(createModel([call, ...text("Found."), finish("stop", "end")]));
    expect(error).toBeUndefined();
    expect(events).toEqual([
      { type: "notice", message: "the model used its own tool web_search" },
      { type: "text", text: "Found." },
    ]);
  });

  it("R121 its texts around a tool of its own are one text, parted by a blank line", async () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "web_search", input: "{}", providerExecuted: true, dynamic: true };
    const second = text("## What").map((part) => ({ ...part, id: "2" }));
    const { text: said } = await readStep(createModel([...text("first."), call, ...second, finish("stop", "end")]));
    expect(said).toBe("first.\n\n## What");
  });

  it("gives no empty text and no usage that it did not count", async () => {
    const { events } = await readStep(createModel([...text(""), ...text("a"), finish("stop")]));
    expect(events).toEqual([{ type: "text", text: "a" }]);
  });

  it.each([
    ["no end", []],
    ["an end that it has no reason for", [finish("other")]],
    ["an end that is an error", [finish("error", "boom")]],
    ["an error after its end", [finish("stop"), { type: "error", error: "too late" }]],
  ])("RUN-12: that has %s is one error", async (_, end) => {
    const { text: said, error } = await readStep(createModel([...text("Half"), ...end]));
    expect(said).toBe("Half");
    expect(error?.code).toBe("connection_lost");
  });
});

describe("the signal of a call", () => {
  const call = { type: "tool-call", toolCallId: "c", toolName: "list_files", input: "{}" };

  it("is not aborted by the end of its step, since the model may wait for results; it is by that of the turn", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const turn = new AbortController();
    const model = createModel([call, finish("tool-calls", "tool_use")], (signal) => signals.push(signal));
    const { events, error } = await readStep(model, createStep({ signal: turn.signal }));
    expect([events.map(({ type }) => type), error]).toEqual([["tool_call"], undefined]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    turn.abort();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it.each([
    ["its reader leaves", [finish("stop")]],
    ["it fails", [{ type: "error", error: "broken" }]],
  ])("is aborted when %s", async (_, end) => {
    const signals: (AbortSignal | undefined)[] = [];
    const model = createModel([...text("Half"), ...end], (signal) => signals.push(signal));
    const events = model.stream(createStep())[Symbol.asyncIterator]();
    await events.next();
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    if (end[0] && "error" in end[0]) await expect(events.next()).rejects.toThrow("broken");
    else await events.return?.();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});
