// Steps of a model through the real provider packages, against scripted servers for all three APIs.

import { describe, expect, it } from "vitest";
import { apis, assistant, createGate, createStep, listFiles, only, readStep, startScriptedModel, user } from "./model-rig.ts";
import { until } from "../../../../test/kit/until.ts";

describe.each(apis)("a step through the %s API", (api) => {
  it("R121: gives the first piece of text while the model still thinks about the next", async () => {
    const { promise: mayGoOn, resolve: goOn } = createGate();
    await using scripted = await startScriptedModel(api, [{ text: ["Good ", mayGoOn, "day"] }]);
    const stream = scripted.model.stream(createStep())[Symbol.asyncIterator]();
    expect(await stream.next()).toEqual({ done: false, value: { type: "text", text: "Good " } });
    goOn();
    expect(await stream.next()).toEqual({ done: false, value: { type: "text", text: "day" } });
    expect(await stream.next()).toMatchObject({ value: { type: "usage" } });
    expect(await stream.next()).toMatchObject({ done: true });
  });

  it("G5 a call with a number that JavaScript can't hold is given as the model wrote it, with what is wrong; others are not", async () => {
    const written = '{"path":"a","ids":[0,1.10,9007199254740993]}';
    await using scripted = await startScriptedModel(api, [
      {
        calls: [
          { id: "c1", name: "list_files", rawArguments: written },
          { id: "c2", name: "list_files", rawArguments: '{"path":"a","ids":[0,1e2,9007199254740992]}' },
        ],
      },
    ]);
    const { events } = await readStep(scripted.model);
    expect(only(events, "tool_call")).toMatchObject([
      {
        input: written,
        problem: "/ids/2: 9007199254740993 would become 9007199254740992 as a JavaScript number; send it as a string",
      },
      { input: { path: "a", ids: [0, 100, 9_007_199_254_740_992] } },
    ]);
    expect(only(events, "tool_call")[1]).not.toHaveProperty("problem");
  });

  it("gives one event for each piece, slow ones too", async () => {
    const slowly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
    await using scripted = await startScriptedModel(api, [{ text: ["a", slowly(), "b", slowly(), "c", slowly(), "d"] }]);
    const { events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(only(events, "text").map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
  });

  it("gives parallel tool calls after the text, and runs none", async () => {
    const calls = [
      { id: "call_1", name: "list_files", input: { path: "src" } },
      { id: "call_2", name: "list_files", input: { path: "test" } },
      { id: "call_3", name: "no_such_tool", input: { a: 1 } },
    ];
    await using scripted = await startScriptedModel(api, [{ text: "I look.", calls }]);
    const { events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(events.slice(0, -1)).toEqual([
      { type: "text", text: "I look." },
      ...calls.map(({ id, name, input }) => ({ type: "tool_call", toolId: id, toolName: name, input })),
    ]);
    expect(scripted.server.requests).toHaveLength(1);
  });

  it("counts tokens, with those from a cache", async () => {
    await using scripted = await startScriptedModel(api, [{ text: "x", usage: { input: 100, output: 7, cached: 60 } }]);
    const { events } = await readStep(scripted.model);
    // Anthropic counts those from the cache besides the others.
    expect(only(events, "usage")).toEqual([
      { type: "usage", inputTokens: api === "messages" ? 160 : 100, outputTokens: 7, cachedInputTokens: 60 },
    ]);
  });

  it("calls a tool by its own name, though the vendor would refuse that", async () => {
    const strange = { ...listFiles, name: "docs.example/list files" };
    await using scripted = await startScriptedModel(api, (request) => ({
      calls: [{ id: "c", name: (request.body.tools[1].function ?? request.body.tools[1]).name, input: {} }],
    }));
    const { events } = await readStep(scripted.model, createStep({ tools: [listFiles, strange] }));
    expect(only(events, "tool_call")).toMatchObject([{ toolName: strange.name }]);
    expect(JSON.stringify(scripted.server.requests[0]?.body.tools)).toContain("docs_example_list_files");
  });

  it("RUN-12: makes ids unique that the model has used before, in this step or another", async () => {
    const calls = ["same", "same", "used"].map((id) => ({ id, name: "list_files", input: {} }));
    await using scripted = await startScriptedModel(api, [{ calls }]);
    const used = { toolId: "used", toolName: "list_files" };
    const messages = [
      user("Hi"),
      assistant([
        { type: "tool_use", ...used, input: {} },
        { type: "tool_result", ...used, result: 1 },
      ]),
      user("Again"),
    ];
    const { events } = await readStep(scripted.model, createStep({ messages }));
    expect(only(events, "tool_call").map(({ toolId }) => toolId)).toEqual(["same", expect.not.stringMatching(/^(?:same|used)$/), "used_2"]);
  });

  it("RUN-12: gives arguments that are broken JSON with the problem", async () => {
    await using scripted = await startScriptedModel(api, [{ calls: [{ id: "c", name: "list_files", rawArguments: '{"path": "sr' }] }]);
    const { events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(only(events, "tool_call")).toEqual([
      { type: "tool_call", toolId: "c", toolName: "list_files", input: '{"path": "sr', problem: expect.stringContaining("not valid JSON") },
    ]);
  });

  it("closes the connection as soon as the signal aborts", async () => {
    await using scripted = await startScriptedModel(api, [{ text: ["a", new Promise(() => {})] }]);
    const controller = new AbortController();
    const { text, error } = await readStep(scripted.model, createStep({ signal: controller.signal }), () => controller.abort());
    expect(text).toBe("a");
    expect(error?.code).toBe("cancelled");
    await until(() => scripted.server.abandoned === 1);
  });

  it("closes the connection when nobody reads on", async () => {
    await using scripted = await startScriptedModel(api, [{ text: ["a", "b", new Promise(() => {})] }]);
    for await (const event of scripted.model.stream(createStep())) if (event.type === "text") break;
    await until(() => scripted.server.abandoned === 1);
    expect(scripted.server.requests).toHaveLength(1);
  });

  it("R121: reads no faster than its reader", async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<string> {
      for (const piece = "x".repeat(65_536); sent < 400_000_000; sent += piece.length) yield piece;
    }
    await using scripted = await startScriptedModel(api, [{ text: endless }]);
    const stream = scripted.model.stream(createStep())[Symbol.asyncIterator]();
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 500));
    // What the system holds for a connection differs by machine, and is far less than this.
    expect(sent).toBeLessThan(100_000_000);
    await stream.return?.();
  });
});
