// What a turn may not exceed: each limit ends in one clear error.

import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import type { Tool } from "@hawser/tools";
import { createGate, openStage, say, saidBy } from "./stage.ts";

const tool = (name: string, run: Tool["run"]): Tool => ({ name, description: "", input: { type: "object" }, run });

describe("limits of a turn", () => {
  it("RUN-12 a model that never stops calling tools ends in one clear error", async () => {
    const stage = openStage({
      tools: [tool("again", () => "ok")],
      script: (_, count) => [{ type: "tool_call", toolId: `c${count}`, toolName: "again", input: {} }],
    });
    stage.send(say("t1", "go"));
    expect(await stage.endOf("t1")).toMatchObject({ type: "error", error: expect.stringContaining("100 steps") as string });
    await stage.close();
    expect(stage.of("t1").filter(({ type }) => type === "tool_use")).toHaveLength(agentLimits.agentSteps);
  });

  it("more than 128 tool calls in one step end the turn with one error, and none of them is run", async () => {
    let runs = 0;
    const stage = openStage({
      tools: [tool("count", () => void runs++)],
      script: () => Array.from({ length: 129 }, (_, n) => ({ type: "tool_call", toolId: `c${n}`, toolName: "count", input: {} })),
    });
    stage.send(say("t1", "go"));
    expect(await stage.endOf("t1")).toMatchObject({ type: "error", error: expect.stringContaining("128 tool calls") as string });
    await stage.close();
    expect(runs).toBe(0);
  });

  it("more than 16 MiB of text end the turn with one error", async () => {
    const stage = openStage({
      *script() {
        for (let n = 0; n < 20; n++) yield { type: "text", text: "x".repeat(1_048_576) };
      },
    });
    stage.send(say("t1", "go"));
    expect(await stage.endOf("t1")).toMatchObject({ type: "error", code: "too_large" });
    await stage.close();
  });

  it("G11 the 66th message of a conversation is refused with its id while one runs and 64 wait", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script(step) {
        await gate.opened;
        yield { type: "text", text: saidBy(step) };
      },
    });
    const ids = Array.from({ length: 66 }, (_, n) => `t${n}`);
    for (const id of ids) stage.send(say(id, id));
    expect(await stage.endOf("t65")).toMatchObject({ type: "error", code: "overloaded" });
    gate.open();
    await Promise.all(ids.map((id) => stage.endOf(id)));
    await stage.close();
    expect(ids.filter((id) => stage.of(id).at(-1)?.type === "done")).toHaveLength(65);
  });

  it("G11 a 65th conversation with work is refused, and messages that wait are bounded in bytes", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script() {
        await gate.opened;
        yield { type: "text", text: "ok" };
      },
    });
    const ids = Array.from({ length: 65 }, (_, n) => `l${n}`);
    for (const id of ids) stage.send(say(id, "hi", id));
    expect(await stage.endOf("l64")).toMatchObject({ type: "error", code: "overloaded" });
    const long = "x".repeat(9_000_000);
    for (const id of ["big1", "big2", "big3", "big4"]) stage.send(say(id, long, "l0"));
    expect(await stage.endOf("big4")).toMatchObject({ type: "error", code: "overloaded" });
    gate.open();
    await Promise.all([...ids, "big1", "big2", "big3"].map((id) => stage.endOf(id)));
    await stage.close();
  });

  it("G10 G11 the messages that are being answered count too, also in conversations of their own; a short one is still taken", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script() {
        await gate.opened;
        yield { type: "text", text: "ok" };
      },
    });
    const long = "x".repeat(9_000_000);
    for (const id of ["a", "b", "c", "d"]) stage.send(say(id, long, id));
    stage.send(say("short", "hi", "e"));
    expect(await stage.endOf("d")).toMatchObject({ type: "error", code: "overloaded" });
    gate.open();
    const ends = await Promise.all(["a", "b", "c", "short"].map(async (id) => (await stage.endOf(id)).type));
    expect(ends).toEqual(["done", "done", "done", "done"]);
    await stage.close();
  });
});
