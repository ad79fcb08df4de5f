// The command line streams a model's text in pieces, and runs tools of its own between them. Characters stay whole wherever a
// piece ends, and what is said after a tool is not glued to what was said before it.

import { join } from "node:path";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { makeStage } from "./stage.ts";

const oddCli = join(import.meta.dirname, "fixtures/odd-cli.mjs");
const [first, second] = ["\ud83d", "\ude00"];

const event = (event: object): object => ({ type: "stream_event", event });
const block = (index: number, content_block: object, deltas: readonly object[]): object[] => [
  event({ type: "content_block_start", index, content_block }),
  ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
  event({ type: "content_block_stop", index }),
];
const text = (index: number, ...pieces: readonly string[]): object[] =>
  block(
    index,
    { type: "text", text: "" },
    pieces.map((piece) => ({ type: "text_delta", text: piece })),
  );
const thinking = (...pieces: readonly string[]): object[] =>
  block(
    0,
    { type: "thinking", thinking: "" },
    pieces.map((piece) => ({ type: "thinking_delta", thinking: piece })),
  );
const use = (id: string, name: string, ...pieces: readonly string[]): object[] =>
  block(
    5,
    { type: "tool_use", id, name, input: {} },
    pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  );
const inMessage = (...blocks: readonly object[][]): object[] => [
  event({ type: "message_start", message: {} }),
  ...blocks.flat(),
  event({ type: "message_stop" }),
];

async function partsOf(messages: readonly object[]): Promise<LanguageModelV4StreamPart[]> {
  const stage = await makeStage(() => []);
  const env = { ...stage.options.env, HAWSER_TEST_ODD: `messages|${JSON.stringify(messages)}` };
  const tools = [{ type: "function" as const, name: "ask", inputSchema: { type: "object" as const } }];
  const { stream } = await stage
    .create({ cliPath: oddCli, env })
    .doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }], tools });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const deltasOf = (parts: readonly LanguageModelV4StreamPart[], type: "text-delta" | "reasoning-delta" | "tool-input-delta"): string[] =>
  parts.flatMap((part) => (part.type === type ? [part.delta] : []));

it("G5 characters that the stream parts are whole in text, reasoning and arguments", async () => {
  const parts = await partsOf(
    inMessage(
      thinking(`t${first}`, second, first),
      text(1, `see ${first}`, `${second}!`, first),
      use("toolu_1", "mcp__hawser__ask", `{"raw":"${first}`, `${second}","escaped":"\\ud83d`, '\\ude00","half":"\\ud83d"}'),
    ),
  );
  expect(deltasOf(parts, "reasoning-delta")).toEqual(["t", "😀", "\ufffd"]);
  expect(deltasOf(parts, "text-delta")).toEqual(["see ", "😀!", "\ufffd"]);
  expect(deltasOf(parts, "tool-input-delta").every((delta) => delta.isWellFormed())).toBe(true);
  const call = parts.find((part) => part.type === "tool-call");
  expect(JSON.parse(call?.input ?? "")).toEqual({ raw: "😀", escaped: "😀", half: "\ufffd" });
});

it("R121 text before and after a tool of its own is parted by a blank line, and only there", async () => {
  const parts = await partsOf([
    ...inMessage(text(0, "I look", " first."), text(1, " Now."), use("toolu_1", "Read", "{}")),
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] } },
    ...inMessage(text(0, "## What", " this is\n"), use("toolu_2", "Read", "{}")),
    ...inMessage(text(0, "The end")),
    { type: "result", subtype: "success", is_error: false, result: "The end", stop_reason: "end_turn" },
  ]);
  expect(deltasOf(parts, "text-delta").join("")).toBe("I look first. Now.\n\n## What this is\nThe end");
  expect(parts.at(-1)).toMatchObject({ type: "finish" });
});
