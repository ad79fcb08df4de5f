// Tools of other libraries, as those libraries make them: they are recognised, named, described,
// checked and called as if they had been written for us.

import { tool as agentSdkTool } from "@anthropic-ai/claude-agent-sdk";
import { dynamicTool, jsonSchema, tool as aiSdkTool, zodSchema } from "ai";
import { describe, expect } from "vitest";
import { z } from "zod";
import { defineTool } from "@hawser/tools";
import { isTool, toTools, type ToolSource } from "@hawser/tools/internal";
import { createContractTools } from "../src/parent/contract-tools.ts";
import { anyTool, it } from "./fixtures/parent-it.ts";

const cancel = new AbortController();
const context = { signal: cancel.signal, client: undefined, progress: () => {}, log: () => {} };
const hostOf = (source: ToolSource) => createContractTools(toTools(source));
const call = (source: ToolSource, name: string, args: Record<string, unknown> = {}) => hostOf(source).call(name, args, context);

describe("R52 R53 tools of the AI SDK", () => {
  const add = aiSdkTool({
    description: "adds",
    inputSchema: z.object({ a: z.number(), b: z.coerce.number().default(1) }),
    execute: ({ a, b }) => Promise.resolve({ sum: a + b }),
  });

  it("are named by their key, and described by themselves", () => {
    expect(hostOf({ add }).schemas).toEqual([
      {
        name: "add",
        description: "adds",
        input_schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 1 } }, required: ["a"] },
      },
    ]);
  });

  it("R18 are called with checked and transformed arguments", async () => {
    expect(await call({ add }, "add", { a: 1, b: "4" })).toMatchObject({ result: { structuredContent: { sum: 5 } } });
    expect(await call({ add }, "add", { a: "x" })).toMatchObject({
      error: { type: "ToolInputValidationError", message: expect.stringContaining("/a: ") as string },
    });
  });

  it.for([
    ["jsonSchema(…)", () => jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } }, required: ["n"] })],
    [
      "jsonSchema(…) made lazily",
      () => jsonSchema<{ n: number }>(() => ({ type: "object", properties: { n: { type: "number" } }, required: ["n"] })),
    ],
  ] as const)("R18 take %s", async ([, makeSchema]) => {
    const source = { twice: aiSdkTool({ description: "", inputSchema: makeSchema(), execute: ({ n }) => Promise.resolve(n * 2) }) };
    expect(hostOf(source).schemas[0]?.input_schema).toEqual({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
    expect(await call(source, "twice", { n: 4 })).toEqual({ result: { content: [{ type: "text", text: "8" }] } });
    expect(await call(source, "twice", {})).toMatchObject({ error: { type: "ToolInputValidationError" } });
  });

  it("R18 H6 take zodSchema(…) and jsonSchema(…) with a check of its own, which decides and transforms", async () => {
    const source = {
      zod: aiSdkTool({ inputSchema: zodSchema(z.object({ n: z.coerce.number() })), execute: ({ n }) => Promise.resolve(n + 1) }),
      own: aiSdkTool({
        inputSchema: jsonSchema<string>(
          { type: "object" },
          {
            validate: (value) =>
              "ok" in (value as object) ? { success: true, value: "checked" } : { success: false, error: new Error("not ok") },
          },
        ),
        execute: (value) => Promise.resolve(value),
      }),
    };
    expect(await call(source, "zod", { n: "4" })).toEqual({ result: { content: [{ type: "text", text: "5" }] } });
    expect(await call(source, "zod", { n: "x" })).toMatchObject({ error: { message: expect.stringContaining("/n: ") as string } });
    expect(await call(source, "own", { ok: 1 })).toEqual({ result: { content: [{ type: "text", text: "checked" }] } });
    expect(await call(source, "own", {})).toMatchObject({
      error: { type: "ToolInputValidationError", message: expect.stringContaining("not ok") as string },
    });
  });

  it("may stream: the last value is the result", async () => {
    const counting = aiSdkTool({
      inputSchema: z.object({}),
      async *execute() {
        yield "one";
        await Promise.resolve();
        yield "two";
      },
    });
    const failing = aiSdkTool({
      inputSchema: z.object({}),
      async *execute() {
        yield await Promise.resolve("one");
        throw new RangeError("in the middle");
      },
    });
    expect(await call({ counting }, "counting")).toEqual({ result: { content: [{ type: "text", text: "two" }] } });
    expect(await call({ failing }, "failing")).toEqual({ error: { type: "RangeError", message: 'tool "failing" failed: in the middle' } });
  });

  it("H4 get the call's signal, an id of their own for each call, and no messages", async () => {
    const seen: unknown[] = [];
    const note = aiSdkTool({ inputSchema: z.object({}), execute: (_, options) => void seen.push(options) });
    const host = hostOf({ note });
    await host.call("note", {}, context);
    await host.call("note", {}, context);
    expect(seen).toEqual([
      { toolCallId: "note-1", messages: [], abortSignal: cancel.signal, context: undefined },
      { toolCallId: "note-2", messages: [], abortSignal: cancel.signal, context: undefined },
    ]);
  });

  it("may be dynamic", async () => {
    const any = dynamicTool({ description: "any", inputSchema: z.object({ n: z.number() }), execute: (input) => Promise.resolve(input) });
    expect(await call({ any }, "any", { n: 1 })).toMatchObject({ result: { structuredContent: { n: 1 } } });
  });

  it("in a list have no name, and the error says so", () => {
    expect(() => toTools([add])).toThrow("tool 0: an AI SDK tool has no name of its own; give an object with the name as its key");
  });

  it("without `execute`, or with a schema of another kind, are refused by name", () => {
    const remote = aiSdkTool({ description: "", inputSchema: z.object({}), outputSchema: z.string() });
    expect(() => toTools({ remote })).toThrow(/^tool "remote" isn't a tool/);
    expect(() => toTools({ odd: { execute: () => 0, inputSchema: 5 } })).toThrow(/^tool "odd": its inputSchema is neither/);
    const later = jsonSchema(Promise.resolve({ type: "object" as const }));
    expect(() => toTools({ later: aiSdkTool({ inputSchema: later, execute: () => 0 }) })).toThrow(
      /^tool "later": its inputSchema is neither/,
    );
  });
});

describe("R52 R53 tools of the Agent SDK", () => {
  const shape = { city: z.string().describe("where"), days: z.number().int().default(3), unit: z.enum(["c", "f"]).optional() };
  const weather = agentSdkTool(
    "weather",
    "tells the weather",
    shape,
    ({ city, days }) => Promise.resolve({ content: [{ type: "text", text: `${city}: ${days}` }], isError: city === "" }),
    { annotations: { readOnlyHint: true } },
  );

  it("keep their own name, in a list and in an object", () => {
    const expected = [
      {
        name: "weather",
        description: "tells the weather",
        input_schema: {
          type: "object",
          properties: {
            city: { type: "string", description: "where" },
            days: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991, default: 3 },
            unit: { type: "string", enum: ["c", "f"] },
          },
          required: ["city"],
        },
        annotations: { readOnlyHint: true },
      },
    ];
    expect(hostOf([weather]).schemas).toEqual(expected);
    expect(hostOf({ other: weather }).schemas).toEqual(expected);
  });

  it("R18 R22 are called with checked arguments, and their results pass whole", async () => {
    expect(await call([weather], "weather", { city: "Bonn", more: 1 })).toEqual({
      result: { content: [{ type: "text", text: "Bonn: 3" }], isError: false },
    });
    expect(await call([weather], "weather", { city: 5, days: 1.5 })).toMatchObject({
      error: { type: "ToolInputValidationError", message: expect.stringMatching(/\/city: .*\/days: /) as string },
    });
    expect(await call([weather], "weather", {})).toMatchObject({ error: { message: expect.stringContaining("/city: ") as string } });
  });

  it("take only own members as arguments: one may be called `constructor`", async () => {
    const odd = agentSdkTool("odd", "", { constructor: z.string().optional() }, (args) =>
      Promise.resolve({ content: [{ type: "text", text: JSON.stringify(args) }] }),
    );
    expect(await call([odd], "odd", {})).toMatchObject({ result: { content: [{ text: "{}" }] } });
  });

  it("H4 get the call's signal", async () => {
    let extra: unknown;
    const note = agentSdkTool("note", "", {}, (_, given) => {
      extra = given;
      return Promise.resolve({ content: [] });
    });
    await call([note], "note");
    expect(extra).toEqual({ signal: cancel.signal });
  });
});

describe("R53 isTool", () => {
  it("knows all three kinds and nothing else", () => {
    const ours = defineTool({ name: "a", description: "", input: {}, run: () => 0 });
    const theirs = aiSdkTool({ inputSchema: z.object({}), execute: () => 0 });
    const agents = agentSdkTool("b", "", {}, () => Promise.resolve({ content: [] }));
    expect([ours, theirs, agents].map(isTool)).toEqual([true, true, true]);
    const others = [
      null,
      undefined,
      5,
      "x",
      () => 0,
      {},
      [],
      { name: "a" },
      { run: () => 0 },
      { execute: () => 0 },
      { name: "a", handler: () => 0 },
    ];
    expect(others.filter(isTool)).toEqual([]);
  });
});

describe("R52 R53 what isn't a tool", () => {
  it.for([
    ["a function", () => 0],
    ["null", null],
    ["a definition without `run`", { name: "a", description: "", input: {} }],
    ["a list in the list", [anyTool("a", () => 0)]],
  ] as const)("is refused with its place and what to do: %s", ([, value]) => {
    const message = "isn't a tool; use defineTool({ name, description, input, run })";
    expect(() => toTools([anyTool("first", () => 0), value])).toThrow(`tool 1 ${message}`);
    expect(() => toTools({ wrong: value })).toThrow(`tool "wrong" ${message}`);
  });

  it.for([null, undefined, 5, "tools"])("%s isn't a set of tools", (source) => {
    expect(() => toTools(source as unknown as ToolSource)).toThrow("tools are a list, or an object with their names as its keys");
  });

  it("two tools of one name are refused", () => {
    const twin = anyTool("twin", () => 0);
    expect(() => hostOf([twin, anyTool("other", () => 0), twin])).toThrow('two tools are called "twin"; rename one');
    expect(() => hostOf({ a: twin, b: twin })).toThrow('two tools are called "twin"; rename one');
  });

  it("a tool without a name is refused", () => {
    expect(() => hostOf([anyTool("", () => 0)])).toThrow("a tool needs a name");
  });
});
