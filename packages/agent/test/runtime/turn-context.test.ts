// Room in a model's context by itself: before a step, within a turn, and after a vendor refused a request.

import { HawserError } from "@hawser/protocol";
import { defineTool } from "@hawser/tools";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../src/model/model.ts";
import { isSummary, load, ofType, openRig, plainAnswer, turn } from "./context-rig.ts";
import { saidBy } from "./stage.ts";

const long = (words: number): string => "harbour ".repeat(words);

describe("by itself", () => {
  it("near the window it happens before the step, under the turn's id, and the turn goes on", async () => {
    using rig = openRig({ window: 2_000 });
    const { stage } = rig;
    for (const id of ["one", "two", "three", "four"]) await turn(stage, id, long(150));
    const compactions = ofType(stage, "compaction");
    expect(compactions.length).toBeGreaterThan(0);
    const { id, data } = compactions[0]!;
    expect(data.tokensBefore).toBeGreaterThan(1_600);
    expect(data.tokensAfter).toBeLessThan(1_200);
    expect(stage.of(id).map(({ type }) => type)).toEqual(["compaction", "token", "done"]);
    await stage.close();
  });

  it("an unknown window means no guess: nothing is summarised until the vendor refuses", async () => {
    using rig = openRig();
    for (const id of ["one", "two", "three", "four"]) await turn(rig.stage, id, long(5_000));
    expect(ofType(rig.stage, "compaction")).toEqual([]);
    await rig.stage.close();
  });

  it("within a long turn it ends between two rounds of tools: no use without its result, and the question stays", async () => {
    const dig = defineTool({
      name: "dig",
      description: "Digs.",
      input: { type: "object" },
      annotations: { readOnlyHint: true },
      run: async () => ({ found: long(60) }),
    });
    let rounds = 0;
    using rig = openRig({
      window: 2_000,
      tools: [dig],
      *answer(step) {
        if (isSummary(step)) yield { type: "text", text: "Dug so far." };
        else if (rounds === 20) yield { type: "text", text: "Nothing there." };
        else {
          rounds++;
          for (const each of ["a", "b"]) yield { type: "tool_call", toolId: `dig-${rounds}${each}`, toolName: "dig", input: {} };
        }
      },
    });
    const { stage, steps } = rig;
    expect(await turn(stage, "one", "dig for treasure")).toMatchObject({ type: "done" });
    expect(ofType(stage, "compaction").length).toBeGreaterThan(1);
    for (const step of steps.filter((each) => !isSummary(each))) {
      const parts = step.messages.flatMap((message) => message.parts);
      const idsOf = (type: string): string[] => parts.flatMap((part) => (part.type === type && "toolId" in part ? [part.toolId] : []));
      expect(idsOf("tool_use")).toEqual(idsOf("tool_result"));
      expect(saidBy(step)).toBe("dig for treasure");
    }
    const [, answer] = await load(stage);
    expect(answer?.parts.filter(({ type }) => type === "tool_use")).toHaveLength(40);
    await stage.close();
  });
});

const refusal = (): HawserError => new HawserError("too_large", "scripted: too long", { facts: { isOverflow: true } });

describe("after a vendor refused a request as too long", () => {
  it("what was said is summarised, and the step is tried once more", async () => {
    let refusals = 0;
    using rig = openRig({
      *answer(step) {
        if (saidBy(step) === "message three" && !isSummary(step) && refusals++ === 0) throw refusal();
        yield* plainAnswer(step, 0) as Iterable<ModelEvent>;
      },
    });
    const { stage, steps } = rig;
    for (const id of ["one", "two", "three"]) expect(await turn(stage, id)).toMatchObject({ type: "done" });
    expect(stage.of("three").map(({ type }) => type)).toEqual(["progress", "compaction", "token", "done"]);
    expect(steps.at(-1)?.summary).toBe("They met.");
    await stage.close();
  });

  it("two refusals in a row end in one error that says what to do, and the next message works again", async () => {
    let isFull = true;
    using rig = openRig({
      *answer(step) {
        if (saidBy(step) === "message three" && !isSummary(step) && isFull) throw refusal();
        yield* plainAnswer(step, 0) as Iterable<ModelEvent>;
      },
    });
    const { stage, steps } = rig;
    for (const id of ["one", "two"]) await turn(stage, id);
    const end = await turn(stage, "three");
    expect(end).toMatchObject({ type: "error", code: "too_large", error: expect.stringContaining("Begin another conversation") as string });
    expect(end).toMatchObject({ error: expect.stringContaining("also after what was said before was summarised") as string });
    // Two turns, the step, its summary, and the step once more: never a loop.
    expect(steps).toHaveLength(5);
    isFull = false;
    expect(await turn(stage, "four")).toMatchObject({ type: "done" });
    await stage.close();
  });

  it("where nothing can be left out, that is the error", async () => {
    using rig = openRig({
      // oxlint-disable-next-line require-yield -- it is refused before it says something
      *answer() {
        throw refusal();
      },
    });
    expect(await turn(rig.stage, "one")).toMatchObject({
      type: "error",
      error: expect.stringContaining("nothing left to summarise") as string,
    });
    expect(rig.steps).toHaveLength(1);
    await rig.stage.close();
  });

  it("an answer that has begun is not begun again", async () => {
    using rig = openRig({
      *answer(step) {
        yield* plainAnswer(step, 0) as Iterable<ModelEvent>;
        if (saidBy(step) === "message three") throw refusal();
      },
    });
    for (const id of ["one", "two"]) await turn(rig.stage, id);
    expect(await turn(rig.stage, "three")).toMatchObject({ type: "error", code: "too_large" });
    expect(ofType(rig.stage, "compaction")).toEqual([]);
    await rig.stage.close();
  });
});
