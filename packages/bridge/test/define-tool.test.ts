// A tool is written once and its types follow from its input. The lines with `ts-expect-error` are the
// tests: the compiler, which checks this file too, fails where an error is missing.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, expectTypeOf } from "vitest";
import { z } from "zod";
import { defineTool, type Tool, type ToolContext, type ToolDefinition } from "@hawser/tools";
import type { CallToolParams, IPCRequest, IPCResponse, ToolHandler } from "../src/contract/contract.ts";
import { createIPCSession } from "../src/parent/session.ts";
import { it } from "./fixtures/parent-it.ts";

describe("R53 the arguments of `run`", () => {
  it("are inferred from zod, after coercions, defaults and transformations", () => {
    const tool = defineTool({
      name: "t",
      description: "",
      input: z.object({
        n: z.coerce.number(),
        d: z.string().default("x"),
        o: z.boolean().optional(),
        l: z.string().transform((s) => s.length),
      }),
      run(args, context) {
        expectTypeOf(args).toEqualTypeOf<{ n: number; d: string; o?: boolean | undefined; l: number }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        // @ts-expect-error a member that the schema does not have
        void args.missing;
        // @ts-expect-error a number isn't a text
        void args.n.length;
        return args.n;
      },
    });
    expect(tool.run({ n: 1, d: "", l: 0 }, {} as ToolContext)).toBe(1);
  });

  it("are inferred from valibot, as it is or through toStandardJsonSchema", () => {
    const input = v.object({ a: v.string(), b: v.optional(v.number()) });
    type Arguments = { a: string; b?: number | undefined };
    defineTool({ name: "t", description: "", input, run: (args) => void expectTypeOf(args).toEqualTypeOf<Arguments>() });
    const wrapped = toStandardJsonSchema(input);
    defineTool({ name: "t", description: "", input: wrapped, run: (args) => void expectTypeOf(args).toEqualTypeOf<Arguments>() });
  });

  it("are a record of unknowns for plain JSON Schema", () => {
    defineTool({
      name: "t",
      description: "",
      input: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      run(args) {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
        // @ts-expect-error its type is not known
        const text: string = args["a"];
        return text;
      },
    });
  });

  it("may be taken by a function of its own, whose type must fit", () => {
    const input = z.object({ n: z.number() });
    const fits = ({ n }: { n: number }): number => n;
    const differs = ({ n }: { n: string }): string => n;
    defineTool({ name: "t", description: "", input, run: fits });
    // @ts-expect-error n is a number
    defineTool({ name: "t", description: "", input, run: (args) => differs(args) });
  });
});

describe("R53 a definition", () => {
  it("needs a name, a description, an input and a function", () => {
    const run = (): void => {};
    const definitions = [
      // @ts-expect-error no name
      defineTool({ description: "", input: {}, run }),
      // @ts-expect-error no description
      defineTool({ name: "t", input: {}, run }),
      // @ts-expect-error no input
      defineTool({ name: "t", description: "", run }),
      // @ts-expect-error no function
      defineTool({ name: "t", description: "", input: {} }),
      // @ts-expect-error a text isn't a schema
      defineTool({ name: "t", description: "", input: "object", run }),
      // @ts-expect-error no such hint
      defineTool({ name: "t", description: "", input: {}, annotations: { readOnly: true }, run }),
      // @ts-expect-error a number is needed
      defineTool({ name: "t", description: "", input: {}, concurrency: "1", run }),
      // @ts-expect-error there is no such level
      defineTool({ name: "t", description: "", input: {}, run: (_, { log }) => log("x", "warn") }),
    ];
    // At run time it is the identity: what is wrong is refused when a session is made of it.
    expect(definitions.map((definition) => typeof definition)).toEqual(definitions.map(() => "object"));
  });

  it("is given back as it was, and goes into a list with others", ({ directory }) => {
    const definition = { name: "a", description: "", input: z.object({ n: z.number() }), run: ({ n }: { n: number }) => n };
    const tool = defineTool(definition);
    expect(tool).toBe(definition);
    const other = defineTool({ name: "b", description: "", input: { type: "object" }, run: () => "x" });
    const tools: Tool[] = [tool, other];
    expectTypeOf(other).toExtend<ToolDefinition>();
    expect(createIPCSession(tools, { directory }).state).toBe("created");
    expect(createIPCSession({ tool, other }, { directory }).state).toBe("created");
  });

  it("reads what `run` gets from the validator, through the socket", async ({ start, connect }) => {
    const tool = defineTool({
      name: "repeat",
      description: "",
      input: z.object({ text: z.string(), times: z.coerce.number().int().max(3).default(2) }),
      run: ({ text, times }) => text.repeat(times),
    });
    const client = await connect(await start([tool]));
    expect((await client.ask("repeat", { text: "ab" })).result?.content[0]?.text).toBe("abab");
    expect((await client.ask("repeat", { text: "ab", times: "3" })).result?.content[0]?.text).toBe("ababab");
    expect((await client.ask("repeat", { text: "ab", times: 4 })).error).toMatchObject({
      type: "ToolInputValidationError",
      message: expect.stringContaining("/times") as string,
    });
  });
});

describe("the contract's types", () => {
  it("R15 R20 R53 R75 have the shapes that the contract gives them", () => {
    expectTypeOf<IPCRequest>().toEqualTypeOf<{ method: "call_tool"; params: { name: string; arguments: Record<string, unknown> } }>();
    expectTypeOf<CallToolParams>().toEqualTypeOf<IPCRequest["params"]>();
    expectTypeOf<{ result: { content: { type: "text"; text: string }[]; isError: boolean } }>().toExtend<IPCResponse>();
    expectTypeOf<ToolHandler>().toEqualTypeOf<(args: Record<string, unknown>) => Promise<Record<string, unknown>>>();
    const handler: ToolHandler = (args) => Promise.resolve({ content: [{ type: "text", text: String(args["a"]) }] });
    // @ts-expect-error a handler is asynchronous
    const synchronous: ToolHandler = () => ({});
    expect([handler, synchronous]).toHaveLength(2);
  });
});
