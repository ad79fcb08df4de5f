// How turns end when somebody interferes: cancel, a question, silence, a dead line, the end of the process.
// Whatever happens there is exactly one end, and the history holds what was said.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Tool } from "@hawser/tools";
import { arrayStore, createGate, openStage, say, saidBy, textOf, toolResultsIn, type Script } from "./stage.ts";
import { asking, write, writing } from "./write-question.ts";

const never = new Promise<never>(() => {});

/** Says a word and never ends, whether it is told to or not. */
const endless: Script = async function* () {
  yield { type: "text", text: "word " };
  await never;
};

describe("cancel", () => {
  it("ends a running turn with one error that says cancelled, and itself with done", async () => {
    const store = arrayStore();
    const stage = openStage({ script: endless, store });
    stage.send(say("t1", "go"));
    await stage.next(({ type }) => type === "token");
    stage.send({ id: "c1", kind: "cancel", target: "t1" });
    expect(await stage.endOf("c1")).toMatchObject({ type: "done", data: { cancelled: true } });
    await stage.close();
    expect(stage.of("t1").at(-1)).toMatchObject({ type: "error", code: "cancelled", error: "Cancelled by request c1" });
    const { messages } = await store.open("default");
    expect(messages.at(-1)).toMatchObject({ parts: [{ type: "text", text: "word " }], interrupted: "cancelled by request c1" });
  });

  it("ends a turn that waits, without touching the one that runs", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script(step) {
        await gate.opened;
        yield { type: "text", text: saidBy(step) };
      },
    });
    stage.send(say("t1", "first"));
    stage.send(say("t2", "second"));
    stage.send({ id: "c1", kind: "cancel", target: "t2" });
    expect(await stage.endOf("t2")).toMatchObject({ type: "error", code: "cancelled" });
    gate.open();
    expect(await stage.endOf("t1")).toMatchObject({ type: "done" });
    await stage.close();
  });

  it("of a tool that listens to nothing ends the turn, and the conversation goes on", async () => {
    const hanging: Tool = { name: "hang", description: "", input: { type: "object" }, run: () => never };
    const stage = openStage({
      tools: [hanging],
      script: (step) =>
        saidBy(step) === "hang" ? [{ type: "tool_call", toolId: "h", toolName: "hang", input: {} }] : [{ type: "text", text: "alive" }],
    });
    stage.send(say("t1", "hang"));
    await stage.next(({ type }) => type === "tool_use");
    stage.send({ id: "c1", kind: "cancel", target: "t1" });
    await stage.endOf("t1");
    stage.send(say("t2", "go on"));
    expect((await stage.endOf("t2")).type).toBe("done");
    await stage.close();
    expect(textOf(stage.of("t2"))).toBe("alive");
  });

  it("reaches the tool's signal", async () => {
    const aborted = createGate();
    const listening: Tool = {
      name: "listen",
      description: "",
      input: { type: "object" },
      run(_, { signal }) {
        signal.addEventListener("abort", aborted.open);
        return never;
      },
    };
    const stage = openStage({ tools: [listening], script: () => [{ type: "tool_call", toolId: "l", toolName: "listen", input: {} }] });
    stage.send(say("t1", "go"));
    await stage.next(({ type }) => type === "tool_use");
    stage.send({ id: "c1", kind: "cancel", target: "t1" });
    await aborted.opened;
    expect((await stage.endOf("c1")).type).toBe("done");
    await stage.close();
  });

  it("of an unknown target is no error", async () => {
    const stage = openStage();
    stage.send({ id: "c1", kind: "cancel", target: "nobody" });
    expect(await stage.endOf("c1")).toMatchObject({ type: "done", data: { cancelled: false } });
    await stage.close();
  });
});

describe("signs of life", () => {
  it("H36 a silent turn, and one that waits, send progress", async () => {
    const stage = openStage({ script: endless, limits: { agentHeartbeatMs: 20 } });
    stage.send(say("t1", "go"));
    stage.send(say("t2", "wait"));
    await stage.next((response) => response.type === "progress" && response.id === "t1");
    expect(await stage.next((response) => response.type === "progress" && response.id === "t2")).toMatchObject({
      data: { message: "waits for its turn" },
    });
    stage.send({ id: "c2", kind: "cancel", target: "t2" });
    stage.send({ id: "c1", kind: "cancel", target: "t1" });
    await stage.endOf("c1");
    await stage.close();
  });

  it("H36 none comes while only the user is awaited", async () => {
    const stage = openStage({ tools: [write], decide: asking, script: writing, limits: { agentHeartbeatMs: 10, permissionMs: 150 } });
    stage.send(say("t1", "write"));
    await stage.next(({ type }) => type === "permission_request");
    await stage.next(({ type }) => type === "tool_result");
    const types = stage.of("t1").map(({ type }) => type);
    const between = types.slice(types.indexOf("permission_request") + 1, types.indexOf("tool_result"));
    expect(between).toEqual([]);
    await stage.endOf("t1");
    await stage.close();
  });

  it("a turn, and a tool, that take too long end in one clear answer", async () => {
    const hanging: Tool = { name: "hang", description: "", input: { type: "object" }, run: () => never };
    const script: Script = (step) =>
      toolResultsIn(step).length > 0 ? [{ type: "text", text: "over" }] : [{ type: "tool_call", toolId: "h", toolName: "hang", input: {} }];
    const slowTool = openStage({ tools: [hanging], script, limits: { agentToolMs: 30 } });
    slowTool.send(say("t1", "go"));
    expect((await slowTool.endOf("t1")).type).toBe("done");
    await slowTool.close();
    expect(slowTool.of("t1").find(({ type }) => type === "tool_result")).toMatchObject({ data: { isError: true } });

    const slowTurn = openStage({ script: endless, limits: { agentTurnMs: 30 } });
    slowTurn.send(say("t1", "go"));
    expect(await slowTurn.endOf("t1")).toMatchObject({ type: "error", code: "timeout" });
    await slowTurn.close();
  });
});

describe("the end of the process", () => {
  it("G8 EOF lets accepted turns finish", async () => {
    const stage = openStage({
      async *script(step) {
        await sleep(20);
        yield { type: "text", text: saidBy(step) };
      },
    });
    for (const id of ["a", "b", "c"]) stage.send(say(id, id));
    await stage.close();
    expect(["a", "b", "c"].map((id) => stage.of(id).at(-1)?.type)).toEqual(["done", "done", "done"]);
  });

  it("R136 RUN-02 a stop refuses what comes, cancels what still runs after the grace, and says so for each id", async () => {
    const stage = openStage({ script: endless });
    const ids = Array.from({ length: 20 }, (_, n) => `t${n}`);
    for (const id of ids) stage.send(say(id, "go", id));
    await Promise.all(ids.map((id) => stage.next((response) => response.type === "token" && response.id === id)));
    stage.lifecycle.end("signal", 50);
    await stage.served;
    await stage.close();
    for (const id of ids) expect(stage.of(id).at(-1)).toMatchObject({ type: "error", code: "cancelled" });
  });

  it("a host that is gone ends everything", async () => {
    const stage = openStage({ script: endless });
    stage.send(say("t1", "go"));
    await stage.next(({ type }) => type === "token");
    stage.output.destroy();
    stage.input.destroy();
    await expect(stage.served).resolves.toBeUndefined();
  });
});
