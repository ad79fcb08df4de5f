// What a vendor gets to see of a conversation: through the real provider packages, and as it is prepared for them.

import { describe, expect, it } from "vitest";
import type { MessagePart } from "@hawser/protocol";
import { toModelMessages } from "../../src/model/to-model-messages.ts";
import { createToolNames } from "../../src/model/vendor-names.ts";
import { assistant, createStep, listFiles, readStep, startScriptedModel, user, type Api } from "./model-rig.ts";

const use = (toolId: string, path: unknown = { path: toolId }): MessagePart => ({
  type: "tool_use",
  toolId,
  toolName: "list_files",
  input: path,
});
const result = (toolId: string, value: unknown): MessagePart => ({ type: "tool_result", toolId, toolName: "list_files", result: value });
const failed: MessagePart = {
  type: "tool_result",
  toolId: "t2",
  toolName: "list_files",
  result: null,
  isError: true,
  error: "not allowed",
};

/** Two rounds of tools in one answer, the first with two calls; the second step of a turn sends it. */
const twoRounds = [
  user("List them"),
  assistant([
    { type: "text", text: "I look." },
    use("t1"),
    use("t2"),
    result("t1", { files: ["a.ts"] }),
    failed,
    use("t3"),
    result("t3", "three"),
  ]),
];

async function sentTo(api: Api, messages = twoRounds): Promise<unknown> {
  await using scripted = await startScriptedModel(api, [{ text: "Done." }]);
  const { error } = await readStep(scripted.model, createStep({ messages }));
  expect(error).toBeUndefined();
  const body = scripted.server.requests[0]?.body as { messages?: unknown; input?: unknown } | undefined;
  return body?.messages ?? body?.input;
}

describe("the history reaches the vendor", () => {
  it("as the Messages API takes it: results in the message after their calls", async () => {
    expect(await sentTo("messages")).toMatchObject([
      { role: "user", content: [{ type: "text", text: "List them" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "list_files", input: { path: "t1" } },
          { type: "tool_use", id: "t2", name: "list_files", input: { path: "t2" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: '{"files":["a.ts"]}' },
          { type: "tool_result", tool_use_id: "t2", content: "not allowed", is_error: true },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t3" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t3", content: "three", cache_control: { type: "ephemeral" } }] },
    ]);
  });

  it("as Chat Completions takes it: one message for each result", async () => {
    expect(await sentTo("chat")).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: "List them" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "t1", type: "function", function: { name: "list_files", arguments: '{"path":"t1"}' } },
          { id: "t2", type: "function", function: { name: "list_files", arguments: '{"path":"t2"}' } },
        ],
      },
      { role: "tool", tool_call_id: "t1", content: '{"files":["a.ts"]}' },
      { role: "tool", tool_call_id: "t2", content: "not allowed" },
      { role: "assistant", tool_calls: [{ id: "t3" }] },
      { role: "tool", tool_call_id: "t3", content: "three" },
    ]);
  });

  it("as Responses takes it: calls and outputs as items", async () => {
    expect(await sentTo("responses")).toMatchObject([
      { role: expect.stringMatching(/system|developer/), content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "List them" }] },
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "t1", name: "list_files", arguments: '{"path":"t1"}' },
      { type: "function_call", call_id: "t2", name: "list_files", arguments: '{"path":"t2"}' },
      { type: "function_call_output", call_id: "t1", output: '{"files":["a.ts"]}' },
      { type: "function_call_output", call_id: "t2", output: '{"error":"not allowed"}' },
      { type: "function_call", call_id: "t3" },
      { type: "function_call_output", call_id: "t3", output: "three" },
    ]);
  });

  it.each(["messages", "chat", "responses"] as const)("R114: through %s with images as images and text as text", async (api) => {
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    const attachments = new Map([
      ["/a.png", { path: "/a.png", mime: "image/png", content: new Uint8Array(pixel) }],
      ["/b.txt", { path: "/b.txt", mime: "text/plain", content: "the text inside" }],
    ]);
    const parts = ["/a.png", "/b.txt", "/gone.txt"].map((path): MessagePart => ({ type: "attachment", path, mime: "text/plain" }));
    await using scripted = await startScriptedModel(api, [{ text: "Seen." }]);
    const { error } = await readStep(scripted.model, createStep({ messages: [user("Look", ...parts)], attachments }));
    expect(error).toBeUndefined();
    const sent = JSON.stringify(scripted.server.requests[0]?.body);
    expect(sent).toContain(pixel.toString("base64"));
    expect(sent).toContain("image/png");
    expect(sent).toContain("the text inside");
    expect(sent).toContain("/gone.txt can't be read any more");
  });
});

describe("what the user said while tools ran reaches the vendor behind the results, and before what the model says then", () => {
  const steer = (message: string): MessagePart => ({ type: "steer", steerId: `steer-${message}`, message });
  const parts = [use("t1"), result("t1", "one"), steer("Only one."), steer("In English."), use("t2"), result("t2", "two"), steer("Stop.")];
  const steered = [user("List them"), assistant(parts, "cancelled"), user("Go on")];

  it("as the Messages API takes it: in the message with the results, after them", async () => {
    expect(await sentTo("messages", steered)).toMatchObject([
      { role: "user", content: [{ text: "List them" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "t1" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }, { text: "Only one." }, { text: "In English." }] },
      { role: "assistant", content: [{ type: "tool_use", id: "t2" }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t2" },
          { text: "Stop." },
          { text: "[The answer before ended early: cancelled]" },
          { text: "Go on" },
        ],
      },
    ]);
  });

  it("as Chat Completions takes it: a message of the user after the results", async () => {
    expect(await sentTo("chat", steered)).toMatchObject([
      { role: "system" },
      { role: "user", content: "List them" },
      { role: "assistant", tool_calls: [{ id: "t1" }] },
      { role: "tool", tool_call_id: "t1" },
      { role: "user", content: [{ text: "Only one." }, { text: "In English." }] },
      { role: "assistant", tool_calls: [{ id: "t2" }] },
      { role: "tool", tool_call_id: "t2" },
      { role: "user", content: [{ text: "Stop." }, { text: "[The answer before ended early: cancelled]" }, { text: "Go on" }] },
    ]);
  });

  it("as Responses takes it: an item of the user after the outputs", async () => {
    expect(await sentTo("responses", steered)).toMatchObject([
      {},
      { role: "user", content: [{ text: "List them" }] },
      { type: "function_call", call_id: "t1" },
      { type: "function_call_output", call_id: "t1" },
      { role: "user", content: [{ text: "Only one." }, { text: "In English." }] },
      { type: "function_call", call_id: "t2" },
      { type: "function_call_output", call_id: "t2" },
      { role: "user", content: [{ text: "Stop." }, { text: "[The answer before ended early: cancelled]" }, { text: "Go on" }] },
    ]);
  });
});

describe("an image that a tool returned", () => {
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const bytes = Math.floor((data.length * 3) / 4);
  const content = [
    { type: "text", text: "a boat" },
    { type: "image", data, mimeType: "image/png" },
    { type: "audio", data, mimeType: "audio/wav" },
  ];

  async function sentTo(api: Api): Promise<string> {
    await using scripted = await startScriptedModel(api, [{ text: "Seen." }]);
    const messages = [user("Show it"), assistant([use("t1"), result("t1", { content })])];
    expect((await readStep(scripted.model, createStep({ messages }))).error).toBeUndefined();
    return JSON.stringify(scripted.server.requests[0]?.body);
  }

  it("is an image for the Messages API, and other media is described", async () => {
    const sent = await sentTo("messages");
    expect(sent).toContain(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`);
    expect(sent).toContain(`[audio, audio/wav, ${bytes} bytes]`);
  });

  it("is an image for the Responses API", async () => {
    expect(await sentTo("responses")).toContain(`"image_url":"data:image/png;base64,${data}"`);
  });

  it("is described where results of tools are text only, as in Chat Completions", async () => {
    const sent = await sentTo("chat");
    expect(sent).toContain(`a boat\\n[image, image/png, ${bytes} bytes]`);
    expect(sent).not.toContain(data);
  });
});

describe("the history is made fit", () => {
  const names = createToolNames([listFiles]);
  const convert = (...messages: Parameters<typeof toModelMessages>[0]["messages"]): unknown =>
    toModelMessages({ messages, attachments: new Map() }, { names, takesToolImages: true });

  it("R123: a call without a result gets one that says so, a result without a call is left out", () => {
    expect(convert(user("Go"), assistant([result("lost", 1), use("open")], "the process ended"))).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "open" }] },
      { role: "tool", content: [{ toolCallId: "open", output: { type: "error-text", value: expect.stringContaining("no result") } }] },
    ]);
  });

  it("results that came late or in another order stand with their calls", () => {
    const parts = [use("a"), use("b"), result("b", 2), use("c"), result("a", 1), result("c", 3)];
    expect(convert(user("Go"), assistant(parts))).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ toolCallId: "a" }, { toolCallId: "b" }] },
      {
        role: "tool",
        content: [
          { toolCallId: "a", output: { value: 1 } },
          { toolCallId: "b", output: { value: 2 } },
        ],
      },
      { role: "assistant", content: [{ toolCallId: "c" }] },
      { role: "tool", content: [{ toolCallId: "c", output: { value: 3 } }] },
    ]);
  });

  it("RUN-12: two calls with one id keep their own results, under ids of their own", () => {
    const answer = (value: number) => assistant([use("same"), result("same", value)]);
    expect(convert(user("Go"), answer(1), user("Again"), answer(2))).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ toolCallId: "same" }] },
      { role: "tool", content: [{ toolCallId: "same", output: { value: 1 } }] },
      { role: "user" },
      { role: "assistant", content: [{ toolCallId: "same_2" }] },
      { role: "tool", content: [{ toolCallId: "same_2", output: { value: 2 } }] },
    ]);
  });

  it("an id or a name that a vendor would refuse is changed, in the call and in its result", () => {
    const toolId = `offline:${"é".repeat(60)}`;
    const part = { toolId, toolName: "made up tool" };
    const [, call, answer] = convert(
      user("Go"),
      assistant([
        { type: "tool_use", ...part, input: {} },
        { type: "tool_result", ...part, result: 1 },
      ]),
    ) as {
      content: { toolCallId: string; toolName: string }[];
    }[];
    expect(call?.content[0]?.toolCallId).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(call?.content[0]?.toolName).toBe("made_up_tool");
    expect(answer?.content[0]).toMatchObject({ toolCallId: call?.content[0]?.toolCallId, toolName: "made_up_tool" });
  });

  it("arguments that were no object become one", () => {
    expect(convert(user("Go"), assistant([use("t", '{"path'), result("t", 1)]))).toMatchObject([
      {},
      { content: [{ input: { invalid_arguments: '{"path' } }] },
      {},
    ]);
  });

  it("nothing empty is sent, and half an answer is said to be one", () => {
    const blank: MessagePart = { type: "text", text: " \n" };
    const half: MessagePart = { type: "text", text: "It is" };
    expect(convert(user("Go"), assistant([half, blank], "cancelled"), user("And?"), assistant([blank]), user(" "))).toMatchObject([
      { role: "user", content: [{ text: "Go" }] },
      { role: "assistant", content: [{ text: "It is" }] },
      {
        role: "user",
        content: [{ text: "[The answer before ended early: cancelled]" }, { text: "And?" }, { text: "[The message is empty]" }],
      },
    ]);
  });

  it("half a character is made whole", () => {
    expect(convert(user("a\ud83d"))).toMatchObject([{ content: [{ text: "a\ufffd" }] }]);
  });
});
