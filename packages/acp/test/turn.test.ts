// A turn of an ACP agent through the real runtime: what it tells becomes the events that every host knows.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, openRuntime, textOf, type Runtime } from "./runtime-stage.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime();
});
afterAll(() => runtime.close());

const update = (value: object): string => `update ${JSON.stringify(value)}`;
const call = (toolCallId: string, more: object = {}): string => update({ sessionUpdate: "tool_call", toolCallId, ...more });
const change = (toolCallId: string, more: object): string => update({ sessionUpdate: "tool_call_update", toolCallId, ...more });
const content = (text: string): object[] => [{ type: "content", content: { type: "text", text } }];
const withoutFrame = (responses: readonly object[]): object[] =>
  responses.map((response) => Object.fromEntries(Object.entries(response).filter(([name]) => !["id", "seq", "timestamp"].includes(name))));

describe("what an agent tells", () => {
  it("text and thought arrive as tokens and reasoning, and the turn is done", async () => {
    const said = await runtime.say("think Hmm.\nsay Hello \nsay world");
    // On a busy machine the runtime says what it is waiting for.
    expect(withoutFrame(said.filter(({ type }) => type !== "progress"))).toMatchObject([
      { type: "reasoning", data: { text: "Hmm." } },
      { type: "token", token: "Hello " },
      { type: "token", token: "world" },
      { type: "done", data: { conversationId: "one" } },
    ]);
  });

  it("a character that is split over two pieces arrives whole", async () => {
    const piece = (text: string): string =>
      `raw {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${text}"}}}}`;
    await runtime.say("say x", "split");
    const [, sessionId = ""] = /"sessionId":"([^"]+)"/.exec(JSON.stringify(await sessionsOf(runtime, "split"))) ?? [];
    const said = await runtime.say(
      [piece(String.raw`a\ud83d`), piece(String.raw`\udea2b`)].join("\n").replaceAll("SESSION", sessionId),
      "split",
    );
    expect(textOf(said)).toBe("a🚢b");
  });

  it("R121 text before and after a use of one of its tools is parted by one token of two line feeds, which the history does not have", async () => {
    const said = await runtime.say(
      [
        "say first.",
        call("g1", { title: "Read", kind: "read", rawInput: { file: "a" } }),
        change("g1", { status: "completed", content: content("read") }),
        "say ## What",
      ].join("\n"),
      "gap",
    );
    const tokens = said.flatMap((response) => (response.type === "token" ? [response.token] : []));
    expect(tokens).toEqual(["first.", "\n\n", "## What"]);
    const [loaded] = await runtime.ask({ kind: "load_conversation", conversationId: "gap" });
    if (loaded?.type !== "conversation") throw new Error("no conversation");
    const texts = loaded.data.messages.at(-1)?.parts.filter(({ type }) => type === "text");
    expect(texts).toEqual([
      { type: "text", text: "first." },
      { type: "text", text: "## What" },
    ]);
  });

  it("a tool call is told once when its arguments are known, and its result once, with title, kind, places and changes", async () => {
    const said = await runtime.say(
      [
        call("c1", { title: "Preparing…", name: "Write", kind: "edit", status: "pending", rawInput: {} }),
        change("c1", { title: "Write boats.txt", rawInput: { file: "boats.txt" }, locations: [{ path: "/w/boats.txt", line: 2 }] }),
        change("c1", { status: "in_progress" }),
        change("c1", {
          status: "completed",
          content: [...content("written"), { type: "diff", path: "/w/boats.txt", oldText: "3", newText: "4" }],
        }),
        change("c1", { status: "completed", content: content("again") }),
      ].join("\n"),
    );
    expect(withoutFrame(said)).toMatchObject([
      {
        type: "tool_use",
        data: {
          toolId: "c1",
          toolName: "Write",
          input: { file: "boats.txt" },
          title: "Write boats.txt",
          kind: "edit",
          locations: [{ path: "/w/boats.txt", line: 2 }],
        },
      },
      {
        type: "tool_result",
        data: { toolId: "c1", toolName: "Write", result: "written", diffs: [{ path: "/w/boats.txt", oldText: "3", newText: "4" }] },
      },
      { type: "done" },
    ]);
  });

  it("a call that fails, one without arguments, and one that never ends have one use and one result each", async () => {
    const said = await runtime.say(
      [
        call("d1", { title: "ls", kind: "execute", rawInput: { command: "ls" } }),
        change("d1", { status: "failed", rawOutput: "no such folder" }),
        call("d2", { title: "look", kind: "read", status: "pending" }),
        change("d2", { content: content("what it does") }),
        change("d2", { status: "completed", rawOutput: { lines: 3 } }),
        call("d3", { title: "for ever", kind: "other", status: "in_progress" }),
        "say done",
      ].join("\n"),
    );
    expect(withoutFrame(said).filter((response) => "data" in response)).toMatchObject([
      { type: "tool_use", data: { toolId: "d1", toolName: "execute" } },
      { type: "tool_result", data: { toolId: "d1", isError: true, error: "no such folder", result: null } },
      { type: "tool_use", data: { toolId: "d2", input: {} } },
      { type: "tool_result", data: { toolId: "d2", result: { lines: 3 } } },
      { type: "tool_use", data: { toolId: "d3" } },
      { type: "tool_result", data: { toolId: "d3", isError: true, error: "acp/scripted told no result" } },
      { type: "done" },
    ]);
  });

  it("plan, usage and notices arrive; a window that is not known is left out", async () => {
    const entries = [{ content: "Look", priority: "high", status: "in_progress" }];
    const said = await runtime.say(
      [
        update({ sessionUpdate: "plan", entries }),
        update({ sessionUpdate: "usage_update", used: 1200, size: 200_000, cost: { amount: 0.5, currency: "USD" } }),
        update({ sessionUpdate: "usage_update", used: 1300, size: 0, cost: { amount: 0.5, currency: "EUR" } }),
        "notice The limit is near",
        update({ sessionUpdate: "something_new", x: 1 }),
      ].join("\n"),
    );
    expect(withoutFrame(said)).toEqual([
      { type: "plan", data: { entries: [{ content: "Look", status: "in_progress" }] } },
      { type: "usage", data: { model: "acp/scripted", contextTokens: 1200, contextWindow: 200_000, costUsd: 0.5 } },
      { type: "usage", data: { model: "acp/scripted", contextTokens: 1300 } },
      { type: "progress", data: { message: "The limit is near" } },
      expect.objectContaining({ type: "done" }),
    ]);
  });

  it("its title becomes the conversation's, unless the user gives one", async () => {
    await runtime.say("title Boats and ships\nsay x", "titled");
    const titleOf = async (): Promise<string | undefined> => {
      const [list] = await runtime.ask({ kind: "list_conversations" });
      if (list?.type !== "conversations") throw new Error("no list");
      return list.data.conversations.find(({ conversationId }) => conversationId === "titled")?.title;
    };
    expect(await titleOf()).toBe("Boats and ships");
    await runtime.ask({ kind: "rename_conversation", conversationId: "titled", title: "Mine" });
    await runtime.say("title Another one", "titled");
    expect(await titleOf()).toBe("Mine");
  });

  it("what it said and did is in the history, with its model", async () => {
    await runtime.say(
      `say Before.\n${call("h1", { title: "ls", kind: "execute", rawInput: { c: 1 } })}\n${change("h1", { status: "completed" })}\nsay After.`,
      "kept",
    );
    const [loaded] = await runtime.ask({ kind: "load_conversation", conversationId: "kept" });
    if (loaded?.type !== "conversation") throw new Error("no conversation");
    expect(loaded.data.messages.at(-1)).toMatchObject({
      role: "assistant",
      model: "acp/scripted",
      parts: [
        { type: "text", text: "Before." },
        { type: "tool_use", toolId: "h1", title: "ls", kind: "execute" },
        { type: "tool_result", toolId: "h1", result: null },
        { type: "text", text: "After." },
      ],
    });
  });
});

describe("how a turn ends", () => {
  it.each([
    ["stop end_turn", undefined],
    ["stop max_tokens", "Model failed: acp/scripted: the answer was cut off at the model's output limit; ask it to go on"],
    ["stop max_turn_requests", "Overloaded: acp/scripted took as many steps as it may in one turn; ask it to go on"],
    ["stop refusal", "Model failed: acp/scripted refused to answer this message, and has dropped it; ask for something else"],
    ["stop cancelled", "Cancelled by acp/scripted itself"],
    ["error -32603 the ship has sunk", "Model failed: acp/scripted says: the ship has sunk"],
    ["error -32000 Authentication required", "Not possible: acp/scripted is not logged in; log in with its own program"],
  ])("%s", async (line, error) => {
    const said = await runtime.say(`say so far\n${line}`);
    expect(textOf(said)).toBe("so far");
    if (error === undefined) expect(said.at(-1)?.type).toBe("done");
    else expect(errorOf(said)).toBe(error);
    expect(textOf(await runtime.say("say next"))).toBe("next");
  });
});

describe("a message with files", () => {
  it("a text goes as a resource and an image as an image", async () => {
    mkdirSync(join(runtime.home, "work"), { recursive: true });
    writeFileSync(join(runtime.home, "work", "notes.txt"), "four boats");
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    writeFileSync(join(runtime.home, "work", "boat.png"), png);
    const attachments = [
      { path: "notes.txt", mime: "text/plain" },
      { path: "boat.png", mime: "image/png" },
    ];
    const blocks = JSON.parse(textOf(await runtime.say("prompt", "files", { attachments }))) as object[];
    expect(blocks).toMatchObject([
      { type: "text", text: "prompt" },
      { type: "resource", resource: { text: "four boats", mimeType: "text/plain" } },
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
    ]);
  });
});

/** What the scripted agent's answers show of its session. */
async function sessionsOf(open: Runtime, conversationId: string): Promise<object> {
  const { readFileSync, readdirSync } = await import("node:fs");
  const folder = join(open.home, "data", "conversations");
  const file = readdirSync(folder).find((name) => name.includes(`${conversationId}.`) && name.endsWith(".jsonl")) ?? "";
  const line = readFileSync(join(folder, file), "utf8")
    .split("\n")
    .findLast((text) => text.includes('"type":"agent"'));
  return JSON.parse(line ?? "{}") as object;
}
