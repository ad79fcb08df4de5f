// Turns: what a host sees of one, in which order they run, how they end.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { defineTool, type Tool } from "@hawser/tools";
import { agentLimits } from "../../src/limits.ts";
import { createGate, openStage, say, saidBy, textOf, toolResultsIn, type Script } from "./stage.ts";

const objectInput = { type: "object" } as const;
const tool = (name: string, run: Tool["run"], rest: Partial<Tool> = {}): Tool => ({
  name,
  description: "",
  input: objectInput,
  run,
  ...rest,
});

/** Calls these tools in its first step, and says what came of it in the second. */
const calling =
  (...calls: readonly { toolName: string; input?: unknown; toolId?: string; problem?: string }[]): Script =>
  (step) => {
    const results = toolResultsIn(step);
    if (results.length > 0)
      return [{ type: "text", text: `results: ${JSON.stringify(results.map(({ result, error }) => error ?? result))}` }];
    return calls.map(({ toolName, input = {}, toolId = toolName, problem }) => ({ type: "tool_call", toolId, toolName, input, problem }));
  };

describe("a turn", () => {
  it("R119 R120 R121 R124 R131 begins with ready, streams tokens and ends with one done", async () => {
    const stage = openStage({ script: () => ["Hel", "lo"].map((text) => ({ type: "text", text })) });
    stage.send(say("t1", "Hello"));
    await stage.endOf("t1");
    await stage.close();
    expect(stage.responses[0]).toMatchObject({ type: "ready", version: "1.0.0", model: "scripted", build: "0.0.0-test" });
    expect((stage.responses[0] as { capabilities: string[] }).capabilities).toEqual(
      expect.arrayContaining(["streaming", "tools", "attachments", "cancel", "permissions", "conversations"]),
    );
    expect(stage.of("t1").map(({ type }) => type)).toEqual(["token", "token", "done"]);
  });

  it("R121 sends a token before the model has finished", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script() {
        yield { type: "text", text: "first" };
        await gate.opened;
        yield { type: "text", text: "second" };
      },
    });
    stage.send(say("t1", "go"));
    await stage.next(({ type }) => type === "token");
    expect(textOf(stage.of("t1"))).toBe("first");
    gate.open();
    await stage.endOf("t1");
    await stage.close();
  });

  it("R127 keeps text with line feeds, separators, emoji and a megabyte on single lines", async () => {
    const text = `a\nb\u2028c\u2029d💥${"é".repeat(600_000)}`;
    const stage = openStage();
    stage.send(say("t1", text));
    await stage.endOf("t1");
    await stage.close();
    expect(textOf(stage.of("t1"))).toBe(`you said: ${text}`);
    expect(Math.max(...stage.of("t1").map((response) => JSON.stringify(response).length))).toBeLessThan(4 * agentLimits.agentTokenChars);
  });

  it("R122 R123 H39 shows a tool's use and its result under one toolId, then goes on with text", async () => {
    const list = tool("list_files", () => ({ files: ["index.ts"] }));
    const stage = openStage({ tools: [list], script: calling({ toolName: "list_files", input: { path: "src" }, toolId: "abc" }) });
    stage.send(say("t1", "list"));
    await stage.endOf("t1");
    await stage.close();
    const [use, result, ...rest] = stage.of("t1");
    expect(use).toMatchObject({ type: "tool_use", data: { toolId: "abc", toolName: "list_files", input: { path: "src" } } });
    expect(result).toMatchObject({ type: "tool_result", data: { toolId: "abc", toolName: "list_files", result: { files: ["index.ts"] } } });
    expect(textOf(rest)).toContain("index.ts");
  });

  it("H32 O9 runs turns of one conversation one after the other, and conversations side by side", async () => {
    const order: string[] = [];
    const gates = new Map(["a1", "a2", "b1"].map((name) => [name, createGate()]));
    const stage = openStage({
      async *script(step) {
        const said = saidBy(step);
        order.push(`begin ${said}`);
        await gates.get(said)?.opened;
        order.push(`end ${said}`);
        yield { type: "text", text: said };
      },
    });
    stage.send(say("1", "a1", "a"));
    stage.send(say("2", "a2", "a"));
    stage.send(say("3", "b1", "b"));
    await expect.poll(() => order, { timeout: 30_000 }).toEqual(["begin a1", "begin b1"]);
    gates.get("b1")?.open();
    await stage.endOf("3");
    gates.get("a2")?.open();
    gates.get("a1")?.open();
    await Promise.all([stage.endOf("1"), stage.endOf("2")]);
    await stage.close();
    expect(order).toEqual(["begin a1", "begin b1", "end b1", "end a1", "begin a2", "end a2"]);
  });

  it("R115 keeps the histories of two conversations apart, and remembers each", async () => {
    const stage = openStage({ script: (step) => [{ type: "text", text: `${step.messages.length} messages` }] });
    for (const [id, lane] of [
      ["1", "a"],
      ["2", "b"],
      ["3", "a"],
    ] as const) {
      stage.send(say(id, "hi", lane));
      await stage.endOf(id);
    }
    await stage.close();
    expect(["1", "2", "3"].map((id) => textOf(stage.of(id)))).toEqual(["2 messages", "2 messages", "4 messages"]);
  });
});

describe("tools in a turn", () => {
  it("R134 H35 RUN-10 whatever a tool throws is a result with isError, and the turn goes on", async () => {
    const bad = [
      tool("throws", () => {
        throw new Error("boom");
      }),
      tool("throws_null", () => Promise.reject(null as unknown as Error)),
      tool("rejects", () => Promise.reject(new Error("later"))),
      tool("circular", () => {
        const value: Record<string, unknown> = {};
        value["self"] = value;
        return value;
      }),
      tool("big", () => "x".repeat(3_000_000)),
      tool("deep", () => JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as unknown),
      tool("nothing", () => {}),
    ];
    const stage = openStage({ tools: bad, script: calling(...bad.map(({ name }) => ({ toolName: name })), { toolName: "unknown" }) });
    stage.send(say("t1", "go"));
    expect((await stage.endOf("t1")).type).toBe("done");
    await stage.close();
    const results = new Map(
      stage.of("t1").flatMap((response) => (response.type === "tool_result" ? [[response.data.toolName, response.data] as const] : [])),
    );
    expect(results.get("throws")).toMatchObject({ isError: true, error: "boom", result: null });
    expect(results.get("throws_null")).toMatchObject({ isError: true });
    expect(results.get("rejects")).toMatchObject({ isError: true, error: "later" });
    expect(results.get("circular")?.result).toContain("can't be written as JSON");
    expect(results.get("big")?.result).toMatchObject({ truncated: true, chars: 3_000_000 });
    expect(typeof results.get("deep")?.result).toBe("string");
    expect(results.get("nothing")).toMatchObject({ result: null });
    expect(results.get("unknown")?.error).toContain('there is no tool "unknown"');
  });

  it("H35 ends the turn with an error instead, where tool failures are fatal", async () => {
    const stage = openStage({
      toolFailure: "fatal",
      tools: [tool("throws", () => Promise.reject(new Error("boom")))],
      script: calling({ toolName: "throws" }),
    });
    stage.send(say("t1", "go"));
    expect(await stage.endOf("t1")).toMatchObject({ type: "error", error: expect.stringContaining("boom") as string });
    await stage.close();
  });

  it("checks the arguments before the tool runs, and tells the model which field and why", async () => {
    const seen: unknown[] = [];
    const add = defineTool({
      name: "add",
      description: "",
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      run: (args) => void seen.push(args),
    });
    const calls = [
      { toolName: "add", input: { a: "one" } },
      { toolName: "add", toolId: "2", input: {}, problem: "broken JSON" },
    ];
    const stage = openStage({ tools: [add], script: calling(...calls) });
    stage.send(say("t1", "go"));
    await stage.endOf("t1");
    await stage.close();
    expect(seen).toEqual([]);
    expect(textOf(stage.of("t1"))).toMatch(/\/a.*broken JSON/);
  });

  it("RUN-12 makes repeated tool ids different, so that results never cross", async () => {
    const stage = openStage({
      tools: [tool("echo", (args) => args, { annotations: { readOnlyHint: true } })],
      script: calling({ toolName: "echo", toolId: "same", input: { n: 1 } }, { toolName: "echo", toolId: "same", input: { n: 2 } }),
    });
    stage.send(say("t1", "go"));
    await stage.endOf("t1");
    await stage.close();
    const uses = stage.of("t1").flatMap((response) => (response.type === "tool_use" ? [response.data] : []));
    const results = stage.of("t1").flatMap((response) => (response.type === "tool_result" ? [response.data] : []));
    expect(new Set(uses.map(({ toolId }) => toolId)).size).toBe(2);
    for (const { toolId, input } of uses) expect(results.find((result) => result.toolId === toolId)?.result).toEqual(input);
  });

  it("runs calls that only read side by side, and others in their order", async () => {
    let most = 0;
    let running = 0;
    const order: unknown[] = [];
    const run =
      (meeting: number, met = createGate()): Tool["run"] =>
      async (args) => {
        most = Math.max(most, ++running);
        // Those that run side by side wait for each other; a moment more is time for one that should not have begun.
        if (running === meeting) met.open();
        await met.opened;
        await sleep(20);
        running--;
        order.push((args as { n: number }).n);
      };
    const calls = (name: string) => [3, 1, 2].map((n) => ({ toolName: name, toolId: `${name}${n}`, input: { n } }));
    for (const [name, rest, expected] of [
      ["reads", { annotations: { readOnlyHint: true } }, 3],
      ["writes", {}, 1],
    ] as const) {
      [most, order.length] = [0, 0];
      const stage = openStage({ tools: [tool(name, run(expected), rest)], script: calling(...calls(name)) });
      stage.send(say("t1", "go"));
      await stage.endOf("t1");
      await stage.close();
      expect(most).toBe(expected);
      if (expected === 1) expect(order).toEqual([3, 1, 2]);
    }
  });

  it("RUN-10 nothing comes after the end, although the tool goes on reporting", async () => {
    const gate = createGate();
    const noisy = tool("noisy", async (_, { progress }) => {
      progress(1, 2, "half");
      void gate.opened.then(() => progress(2, 2, "late"));
    });
    const stage = openStage({ tools: [noisy], script: calling({ toolName: "noisy" }) });
    stage.send(say("t1", "go"));
    await stage.endOf("t1");
    gate.open();
    stage.send(say("t2", "go on"));
    await stage.endOf("t2");
    await stage.close();
    expect(stage.of("t1").filter(({ type }) => type === "progress")).toHaveLength(1);
  });
});
