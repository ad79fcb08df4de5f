// A model's stream may be cut anywhere, also between the two halves of a character. Whatever the vendor and wherever the cut:
// the host, the tool and the journal get the character. And what is said after a tool is not glued to what was said before.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HawserError, type AnyAgentResponse, type MessagePart } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { createFileStore } from "../../src/history/file-store.ts";
import type { ModelEvent } from "../../src/model/model.ts";
import { apis, startScriptedModel } from "../model/model-rig.ts";
import { openStage, say, textOf, type Script, type Stage, type StageOptions } from "./stage.ts";

const smile = "😀";
const [first, second] = ["\ud83d", "\ude00"];

interface Kept extends Stage {
  /** All files of the history, as text. */
  journal(): string;
  /** The parts of the answer, as `load_conversation` has them. */
  answer(): Promise<readonly MessagePart[]>;
}

function openKept(options: StageOptions): Kept {
  const folder = fs.mkdtempSync(join(tmpdir(), "hawser-pieces-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const stage = openStage({ store: createFileStore({ folder, onNotice: () => {} }), ...options });
  return {
    ...stage,
    journal: () =>
      fs
        .readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => fs.readFileSync(join(folder, name), "utf8"))
        .join(""),
    async answer() {
      stage.send({ id: "load", kind: "load_conversation", conversationId: "c" });
      await stage.endOf("load");
      const loaded = stage.of("load").find(({ type }) => type === "conversation") as { data: { messages: { parts: MessagePart[] }[] } };
      return loaded.data.messages.at(-1)?.parts ?? [];
    },
  };
}

const noteTool = (seen: unknown[]): Tool => ({
  name: "note",
  description: "",
  input: { type: "object" },
  run: (args) => void seen.push(args),
});

const tokens = (responses: readonly AnyAgentResponse[]): string[] =>
  responses.flatMap((response) => (response.type === "token" ? [response.token] : []));

const textsOf = (texts: readonly string[]): ModelEvent[] => texts.map((text) => ({ type: "text", text }));

describe("G5 characters that a model's stream parts", () => {
  it.each(apis)("are whole in text and arguments, on the wire, for the tool and in the journal: %s", async (api) => {
    await using scripted = await startScriptedModel(api, [
      {
        text: [`see ${first}`, `${second}!`, second, first],
        calls: [
          { id: "c1", name: "note", rawArguments: [`{"raw":"${first}`, `${second}","escaped":"\\ud83d`, `\\ude00","half":"\\ud83d"}`] },
        ],
      },
      { text: ["end"] },
    ]);
    const { model } = scripted;
    const seen: unknown[] = [];
    const models = { current: model.name, pick: () => Promise.resolve(model), list: () => Promise.resolve([]) };
    const stage = openKept({ models, tools: [noteTool(seen)] });
    stage.send(say("t", "go", "c"));
    await stage.endOf("t");
    expect(tokens(stage.of("t"))).toEqual(["see ", `${smile}!`, "\ufffd", "\ufffd", "\n\n", "end"]);
    const input = { raw: smile, escaped: smile, half: "\ufffd" };
    expect(seen).toEqual([input]);
    expect(stage.of("t").find(({ type }) => type === "tool_use")).toMatchObject({ data: { input } });
    expect(await stage.answer()).toMatchObject([
      { type: "text", text: `see ${smile}!\ufffd\ufffd` },
      { type: "tool_use", input },
      { type: "tool_result" },
      { type: "text", text: "end" },
    ]);
    expect(stage.journal()).toContain(`see ${smile}!`);
    expect(stage.journal()).not.toMatch(/\\ud83d/);
    await stage.close();
  });

  it("are whole wherever else they are parted: by a notice, by a call, by a failure", async () => {
    const stage = openKept({
      *script() {
        yield* textsOf([first]);
        yield { type: "notice", message: "still here" };
        yield* textsOf([`${second}a${first}`]);
        yield { type: "tool_call", toolId: "1", toolName: "none", input: {} };
        yield* textsOf([`b${first}`]);
        throw new HawserError("model_failed", "gone");
      },
    });
    stage.send(say("t", "go", "c"));
    await stage.endOf("t");
    expect(tokens(stage.of("t"))).toEqual([`${smile}a`, "\ufffd", "\n\n", "b", "\ufffd"]);
    expect((await stage.answer()).flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([`${smile}a\ufffd`, "b\ufffd"]);
    await stage.close();
  });

  it("are whole in what the model thinks, where a half without the other becomes one U+FFFD as well", async () => {
    const thoughts = (...texts: readonly string[]): ModelEvent[] => texts.map((text) => ({ type: "reasoning", text }));
    const stage = openKept({
      *script(_, count) {
        if (count > 0) return yield* thoughts(`c${first}`);
        yield* thoughts(first);
        yield { type: "notice", message: "still here" };
        yield* thoughts(`${second}a${first}`);
        yield* textsOf(["said"]);
        yield { type: "thought", thought: { text: "", vendor: undefined } };
        yield* thoughts(`b${first}`);
        throw new HawserError("model_failed", "gone");
      },
    });
    const toldIn = async (id: string): Promise<string[]> => {
      stage.send(say(id, "go", "c"));
      await stage.endOf(id);
      return stage.of(id).flatMap((response) => (response.type === "reasoning" ? [response.data.text] : []));
    };
    expect(await toldIn("t")).toEqual([`${smile}a`, "\ufffd", "b", "\ufffd"]);
    expect(await toldIn("next")).toEqual(["c", "\ufffd"]);
    for (const text of [`${smile}a`, "\ufffdb\ufffd", "c\ufffd"]) expect(stage.journal()).toContain(`"${text}"`);
    expect(stage.journal()).not.toMatch(/\\ud83d/);
    await stage.close();
  });
});

/** Says one of the texts in each step, and calls a tool between them. */
const inSteps =
  (...steps: readonly (readonly string[])[]): Script =>
  (_, count) => [
    ...textsOf(steps[count] ?? []),
    ...(count < steps.length - 1 ? [{ type: "tool_call", toolId: `c${count}`, toolName: "note", input: {} } as const] : []),
  ];

describe("R121 text before and after a tool", () => {
  it("is parted by one token of two line feeds, which the history does not have", async () => {
    const stage = openKept({ script: inSteps(["I look", " first."], [], ["## What", " this is"]), tools: [noteTool([])] });
    stage.send(say("t", "go", "c"));
    await stage.endOf("t");
    expect(tokens(stage.of("t"))).toEqual(["I look", " first.", "\n\n", "## What", " this is"]);
    expect((await stage.answer()).flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([
      "I look first.",
      "## What this is",
    ]);
    await stage.close();
  });

  it.each([
    ["the first ends with a line feed", ["one\n"], ["two"], "one\ntwo"],
    ["the second begins with one", ["one"], ["\n", "two"], "one\ntwo"],
    ["there is no first", [], ["two"], "two"],
    ["there is no second", ["one"], [], "one"],
    ["the second is empty", ["one"], [""], "one"],
  ])("is left as it is when %s", async (_, before, after, text) => {
    const stage = openKept({ script: inSteps(before, after), tools: [noteTool([])] });
    stage.send(say("t", "go", "c"));
    await stage.endOf("t");
    expect(textOf(stage.of("t"))).toBe(text);
    await stage.close();
  });

  it("has the same token when it is sent again to a host that subscribes, and the next turn begins without one", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const stage = openStage({
      tools: [noteTool([])],
      async *script(step, count) {
        yield* inSteps(["one"], ["two"], ["three"])(step, count) as Iterable<ModelEvent>;
        if (count === 1) await asked;
      },
    });
    stage.send(say("t", "go", "c"));
    await stage.next((response) => response.type === "token" && response.token === "two");
    const before = tokens(stage.of("t"));
    stage.send({ id: "s", kind: "subscribe", conversationId: "c" });
    await stage.endOf("s");
    expect(tokens(stage.of("t"))).toEqual([...before, ...before]);
    expect(before).toEqual(["one", "\n\n", "two"]);
    ask();
    await stage.endOf("t");
    stage.send(say("next", "go", "c"));
    await stage.endOf("next");
    expect(tokens(stage.of("next"))).toEqual([]);
    stage.input.end();
    await stage.served;
  });
});
