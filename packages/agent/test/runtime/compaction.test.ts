// `compact_conversation`: a summary at the user's word.

import { HawserError } from "@hawser/protocol";
import { defineTool } from "@hawser/tools";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../src/model/model.ts";
import { compact, isSummary, load, ofType, openRig, plainAnswer, textsOf, turn, type Answer } from "./context-rig.ts";
import { createGate, say, saidBy } from "./stage.ts";

describe("compact_conversation", () => {
  it("is answered by one compaction and done; the last turn stays as it was said, and the history keeps every message", async () => {
    using rig = openRig();
    const { stage, steps } = rig;
    for (const id of ["one", "two", "three"]) await turn(stage, id);
    const before = await load(stage);
    expect(await compact(stage)).toMatchObject({ type: "done" });
    expect(stage.of("compact")).toMatchObject([
      { type: "compaction", data: { conversationId: "c", messages: 4, tokensBefore: expect.any(Number) as number } },
      { type: "done" },
    ]);
    expect(await load(stage)).toEqual(before);
    await turn(stage, "four");
    expect(steps.at(-1)?.summary).toBe("They met.");
    expect(textsOf(steps.at(-1))).toEqual(["message three", "You said: message three", "message four"]);
    // What the model was asked for the summary: without tools, and with what was said.
    expect(steps[3]).toMatchObject({ tools: [] });
    expect(textsOf(steps[3])[0]).toContain("User: message one");
    expect(textsOf(steps[3])[0]).not.toContain("message three");
    await stage.close();
  });

  it("counts what a turn tells the model besides the conversation, as a summary that is made by itself does", async () => {
    const wordy = defineTool({ name: "wordy", description: "tide ".repeat(2_000), input: { type: "object" }, run: async () => null });
    using rig = openRig({ tools: [wordy] });
    const { stage } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    await compact(stage);
    const [told] = ofType(stage, "compaction");
    expect(told?.data.tokensBefore).toBeGreaterThan(2_000);
    expect(told?.data.tokensAfter).toBeGreaterThan(2_000);
    await stage.close();
  });

  it("a second summary continues the first one, and both are told where they end to a host that asks", async () => {
    using rig = openRig();
    const { stage, steps } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    await compact(stage, "first");
    for (const id of ["three", "four"]) await turn(stage, id);
    await compact(stage, "second");
    expect(textsOf(steps.at(-1))[0]).toMatch(/^The summary until now:\n\nThey met\.\n\nWhat was said and done since then:/);
    const told = await load(stage, ["summary", "nonsense"]);
    expect(told.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ["text"],
      ["text", "summary"],
      ["text"],
      ["text"],
      ["text"],
      ["text", "summary"],
      ["text"],
      ["text"],
    ]);
    expect(told[5]?.parts[1]).toMatchObject({ text: "They met.", messages: 6 });
    await stage.close();
  });

  it("removing messages that a summary stands for removes the summary; removing later ones does not", async () => {
    using rig = openRig();
    const { stage, steps } = rig;
    for (const id of ["one", "two", "three"]) await turn(stage, id);
    await compact(stage);
    const messages = await load(stage);
    stage.send({ id: "late", kind: "truncate_conversation", conversationId: "c", after: messages[4]?.messageId });
    await stage.endOf("late");
    await turn(stage, "four");
    expect(steps.at(-1)?.summary).toBe("They met.");
    stage.send({ id: "early", kind: "truncate_conversation", conversationId: "c", after: messages[2]?.messageId });
    await stage.endOf("early");
    await turn(stage, "five");
    expect(steps.at(-1)?.summary).toBeUndefined();
    expect(textsOf(steps.at(-1))).toContain("message one");
    await stage.close();
  });

  it("without anything to summarise, while a turn runs, and for what keeps its context itself, it is one error that says so", async () => {
    const gate = createGate();
    using rig = openRig({
      answer: async function* (step) {
        if (saidBy(step) === "wait") await gate.opened;
        yield* plainAnswer(step, 0);
      },
    });
    await turn(rig.stage, "one");
    expect(await compact(rig.stage)).toMatchObject({ type: "error", error: expect.stringContaining("nothing to summarise") as string });
    rig.stage.send(say("slow", "wait", "c"));
    expect(await compact(rig.stage, "busy")).toMatchObject({ type: "error", error: expect.stringContaining("busy") as string });
    gate.open();
    await rig.stage.endOf("slow");
    await rig.stage.close();
    using other = openRig({ ownsContext: true });
    for (const id of ["one", "two"]) await turn(other.stage, id);
    expect(await compact(other.stage)).toMatchObject({
      type: "error",
      error: expect.stringContaining("keeps its context itself") as string,
    });
    await other.stage.close();
  });

  it("cancelled, it ends with one error, and the history is as it was", async () => {
    using rig = openRig({
      answer: async function* (step) {
        if (isSummary(step)) await new Promise(() => {});
        yield* plainAnswer(step, 0);
      },
    });
    const { stage, steps } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    const before = await load(stage, ["summary"]);
    stage.send({ id: "compact", kind: "compact_conversation", conversationId: "c" });
    while (steps.length < 3) await new Promise((resolve) => setImmediate(resolve));
    stage.send({ id: "stop", kind: "cancel", target: "compact" });
    expect(await stage.endOf("compact")).toMatchObject({ type: "error", code: "cancelled" });
    expect(await load(stage, ["summary"])).toEqual(before);
    expect(await turn(stage, "three")).toMatchObject({ type: "done" });
    await stage.close();
  });
});

describe("when a summary can't be written", () => {
  const failing = (error: HawserError): Answer =>
    function* (step) {
      if (isSummary(step)) throw error;
      yield* plainAnswer(step, 0) as Iterable<ModelEvent>;
    };

  it("because of what is asked, a list of what was said stands in its place, and the user is told", async () => {
    using rig = openRig({ answer: failing(new HawserError("model_failed", "the content filter stopped it")) });
    const { stage, steps } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    expect(await compact(stage)).toMatchObject({ type: "done" });
    expect(ofType(stage, "progress")[0]?.data.message).toContain("the content filter stopped it");
    await turn(stage, "three");
    expect(steps.at(-1)?.summary).toBe("User: message one\nAgent: You said: message one");
    await stage.close();
  });

  it("because the model can't be reached, that is the error, and nothing is written", async () => {
    using rig = openRig({ answer: failing(new HawserError("connection_failed", "connection refused")) });
    const { stage } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    expect(await compact(stage)).toMatchObject({ type: "error", code: "connection_failed" });
    expect((await load(stage, ["summary"])).flatMap(({ parts }) => parts).some(({ type }) => type === "summary")).toBe(false);
    await stage.close();
  });
});

describe("an odd summary", () => {
  /** What stands for the conversation after a summary of these events. */
  async function told(summary: readonly ModelEvent[]): Promise<{ readonly text: string | undefined; readonly notice: string }> {
    using rig = openRig({ answer: (step) => (isSummary(step) ? summary : plainAnswer(step, 0)) });
    const { stage, steps } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    expect(await compact(stage)).toMatchObject({ type: "done" });
    await turn(stage, "three");
    const notice = ofType(stage, "progress").map(({ data }) => data.message);
    await stage.close();
    return { text: steps.at(-1)?.summary, notice: notice.join() };
  }
  const list = "User: message one\nAgent: You said: message one";

  it("of nothing but spaces is no summary: a list of what was said stands in its place", async () => {
    expect(await told([{ type: "text", text: " \n\t " }])).toEqual({
      text: list,
      notice: expect.stringContaining("an empty summary") as string,
    });
    expect((await told([])).text).toBe(list);
  });

  it("that does not end is cut, at a whole character", async () => {
    const { text = "" } = await told([{ type: "text", text: `a${"\u{1F426}".repeat(500_000)}` }]);
    expect(text.length).toBeLessThan(100_000);
    expect(text.isWellFormed()).toBe(true);
  });

  it("that uses a tool runs none, and what looks like the use of one is text", async () => {
    const use: ModelEvent = { type: "tool_call", toolId: "t1", toolName: "write_file", input: { path: "x" } };
    const words = '<tool_use name="write_file">{}</tool_use>';
    const { text } = await told([{ type: "text", text: words }, use]);
    expect(text).toBe(words);
  });
});
