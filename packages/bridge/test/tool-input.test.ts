// What a tool accepts: the schema that clients see, and the check before the function runs. A refusal
// names the field by its JSON pointer, and the function never sees what was refused.

import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect } from "vitest";
import { z } from "zod";
import { defineTool, type JsonSchema, prepareInput, type Tool, type ToolInput, toTools } from "@hawser/tools/internal";
import { createContractTools } from "../src/parent/contract-tools.ts";
import { it } from "./fixtures/parent-it.ts";

const context = { signal: new AbortController().signal, client: undefined, progress: () => {}, log: () => {} };

/** The answer of a tool with this input, and what its function got. */
async function callWith(input: ToolInput, args: Record<string, unknown>) {
  const seen: unknown[] = [];
  const tool: Tool = { name: "t", description: "", input, run: (given: unknown) => void seen.push(given) };
  return { answer: await createContractTools([tool]).call("t", args, context), seen };
}

const problem = async (input: ToolInput, args: Record<string, unknown>): Promise<string> => {
  const { answer, seen } = await callWith(input, args);
  expect(seen).toEqual([]);
  const error = "error" in answer ? answer.error : { type: "", message: "" };
  expect(error.type).toBe("ToolInputValidationError");
  return error.message;
};

describe("R18 H6 JSON Schema", () => {
  const object = (properties: object, rest: object = {}): JsonSchema => ({ type: "object", properties, ...rest });

  it.for<[string, JsonSchema, Record<string, unknown>, string]>([
    ["a wrong type", object({ a: { type: "number" } }), { a: "x" }, '/a: Instance type "string" is invalid. Expected "number"'],
    ["a missing field", object({}, { required: ["a"] }), {}, '(arguments): Instance does not have required property "a"'],
    [
      "a deep field",
      object({ a: object({ b: { type: "array", items: { enum: [1] } } }) }),
      { a: { b: [1, 2] } },
      "/a/b/1: Instance does not match any of [1]",
    ],
    ["a field that is not known", object({}, { additionalProperties: false }), { b: 1 }, "/b: Not allowed here"],
    ["a reference", object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { minimum: 3 } } }), { a: 1 }, "/a: 1 is less than 3"],
    ["a name with other letters", object({ "größe/~ %": { type: "number" } }), { "größe/~ %": "" }, "/größe~1~0 %: Instance type"],
    [
      "no branch of a union",
      object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      { a: 1 },
      '/a: Instance type "number" is invalid. Expected "string"; /a: Instance type "number" is invalid. Expected "null"; /a: Instance does not match any',
    ],
    ["a rule about names", object({}, { propertyNames: { pattern: "^[a-z]+$" } }), { A: 1 }, "/A: String does not match pattern"],
  ])("R18 R25 H6 names %s by its JSON pointer", async ([, schema, args, expected]) => {
    const message = await problem(schema, args);
    expect(message.startsWith(`invalid arguments for tool "t": ${expected}`), message).toBe(true);
    expect(message.endsWith(". Correct them and call again")).toBe(true);
  });

  it("R18 hands valid arguments over as they came, with members that the schema does not know", async () => {
    const args = { a: 1, more: { deep: [null] } };
    const { answer, seen } = await callWith(object({ a: { type: "number" } }), args);
    expect(answer).toHaveProperty("result");
    expect(seen[0]).toBe(args);
  });

  it("H6 names at most five problems, and its facts have the first path", async () => {
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, { type: "number" }]));
    const args = Object.fromEntries(Object.keys(properties).map((name) => [name, "x"]));
    const checking = prepareInput("t", object(properties)).check("t", args);
    const error = await checking.catch((caught: unknown) => caught);
    expect((error as Error).message.match(/Instance type/g)).toHaveLength(5);
    expect(error).toMatchObject({ name: "ToolInputValidationError", code: "invalid_arguments", facts: { tool: "t", path: "/p0" } });
  });

  it("SEC-05 a schema that is itself wrong is a failure of that tool alone", async () => {
    for (const schema of [object({ a: { pattern: "(" } }), object({ a: { $ref: "https://example.com/schema.json" } })]) {
      const { answer, seen } = await callWith(schema, { a: "x" });
      expect(answer).toMatchObject({ error: { message: expect.stringMatching(/^tool "t" failed: /) as string } });
      expect(seen).toEqual([]);
    }
  });

  it("SEC-05 while the arguments of one call take long to check, other calls are answered", async () => {
    const seen: string[] = [];
    const tool = (name: string, input: JsonSchema): Tool => ({ name, description: "", input, run: () => name });
    const host = createContractTools([
      tool("slow", object({ list: { uniqueItems: true } })),
      tool("endless", object({ a: { pattern: "(a+)+$" } })),
      tool("quick", {}),
    ]);
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await host.call(name, args, context);
      seen.push(`${name}: ${"error" in answer ? answer.error.type : "ok"}`);
    };
    const list = Array.from({ length: 60_000 }, (_, id) => ({ id }));
    await Promise.all([call("endless", { a: `${"a".repeat(50)}!` }), call("slow", { list }), call("quick", {})]);
    expect([seen[0], seen.slice(1).toSorted()]).toEqual(["quick: ok", ["endless: ToolInputValidationError", "slow: ok"]]);
  });

  it("R46 is given to clients as it is; an empty one becomes any object", () => {
    const schema = { oneOf: [{ type: "object" }], $schema: "https://json-schema.org/draft/2020-12/schema", "x-mine": [1] };
    expect(prepareInput("t", schema).jsonSchema).toBe(schema);
    expect(prepareInput("t", {}).jsonSchema).toEqual({ type: "object" });
  });

  it.for([undefined, null, 5, "string", [], true])("refuses %s as a schema, naming the tool", (input) => {
    expect(() => prepareInput("t", input as unknown as ToolInput)).toThrow(/^tool "t": its schema is/);
  });
});

describe("R18 H6 Standard Schema", () => {
  it("R18 H6 zod: names the field, and the function never runs", async () => {
    const schema = z.object({ a: z.object({ "b/c~d": z.array(z.number()) }) });
    expect(await problem(schema, { a: { "b/c~d": [1, "x"] } })).toMatch(/^invalid arguments for tool "t": \/a\/b~1c~0d\/1: /);
    expect(await problem(schema, {})).toMatch(/^invalid arguments for tool "t": \/a: /);
  });

  it("R18 zod: what was coerced, defaulted or transformed is what the function gets", async () => {
    const schema = z.object({ n: z.coerce.number(), d: z.string().default("x"), l: z.string().transform((text) => text.length) });
    const { seen } = await callWith(schema, { n: "5", l: "four", stripped: true });
    expect(seen).toEqual([{ n: 5, d: "x", l: 4 }]);
  });

  it("R46 zod: prints the schema of what goes in, without $schema", () => {
    const schema = z.object({ n: z.coerce.number(), d: z.string().default("x") });
    expect(prepareInput("t", schema).jsonSchema).toEqual({
      type: "object",
      properties: { n: { type: "number" }, d: { type: "string", default: "x" } },
      required: ["n"],
    });
  });

  it("R18 H6 zod: an asynchronous check is waited for", async () => {
    const schema = z.object({ id: z.number().refine(async (id) => (await delay(5, id)) > 0, "no such id") });
    expect(await problem(schema, { id: -1 })).toBe('invalid arguments for tool "t": /id: no such id. Correct them and call again');
    expect((await callWith(schema, { id: 1 })).seen).toEqual([{ id: 1 }]);
  });

  const valibotSchema = v.object({
    l: v.pipe(
      v.string(),
      v.transform((text) => text.length),
    ),
  });

  it.for<[string, ToolInput]>([
    ["as it is", valibotSchema],
    ["through toStandardJsonSchema", toStandardJsonSchema(valibotSchema)],
  ])("R18 H6 valibot %s: names the field, transforms, prints", async ([, schema]) => {
    expect(await problem(schema, { l: 5 })).toMatch(/^invalid arguments for tool "t": \/l: /);
    expect((await callWith(schema, { l: "four" })).seen).toEqual([{ l: 4 }]);
    expect(prepareInput("t", schema).jsonSchema).toEqual({ type: "object", properties: { l: { type: "string" } }, required: ["l"] });
  });

  it("a plain valibot schema works in tools of the AI SDK and of the Agent SDK too", () => {
    const aiSdk = { description: "", inputSchema: v.object({ a: v.number() }), execute: () => 0 };
    const agentSdk = { name: "agent", description: "", inputSchema: { a: v.optional(v.number()) }, handler: () => 0 };
    const properties = { a: { type: "number" } };
    expect(createContractTools([...toTools({ ai: aiSdk }), ...toTools([agentSdk])]).schemas).toMatchObject([
      { name: "ai", input_schema: { type: "object", properties, required: ["a"] } },
      { name: "agent", input_schema: { type: "object", properties, required: [] } },
    ]);
  });

  it("a plain valibot schema without the package that prints it is refused with its name", async ({ directory }) => {
    const packages = join(import.meta.dirname, "../..");
    for (const name of ["protocol", "wire", "tools"]) {
      const installed = join(directory, "node_modules/@hawser", name);
      fs.cpSync(join(packages, name, "dist"), join(installed, "dist"), { recursive: true });
      fs.copyFileSync(join(packages, name, "package.json"), join(installed, "package.json"));
    }
    fs.symlinkSync(join(packages, "../node_modules/valibot"), join(directory, "node_modules/valibot"));
    const program = join(directory, "program.mjs");
    fs.writeFileSync(
      program,
      'import * as v from "valibot"; import { prepareInput } from "@hawser/tools/internal"; try { prepareInput("t", v.object({})) } catch (error) { console.log(error.message) }',
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toContain('tool "t": its schema can\'t be written as JSON Schema: a plain valibot schema');
    expect(stdout).toContain("npm install @valibot/to-json-schema");
  });

  it("a plain valibot schema is printed by the package that only the program has, as strict package managers install it", async ({
    directory,
  }) => {
    const packages = join(import.meta.dirname, "../..");
    const store = join(directory, "store/node_modules");
    for (const name of ["protocol", "wire", "tools"]) {
      fs.cpSync(join(packages, name, "dist"), join(store, "@hawser", name, "dist"), { recursive: true });
      fs.copyFileSync(join(packages, name, "package.json"), join(store, "@hawser", name, "package.json"));
    }
    const own = join(directory, "own/node_modules");
    for (const scope of ["@hawser", "@valibot"]) fs.mkdirSync(join(own, scope), { recursive: true });
    fs.symlinkSync(join(store, "@hawser/tools"), join(own, "@hawser/tools"));
    for (const name of ["valibot", "@valibot/to-json-schema"]) fs.symlinkSync(join(packages, "../node_modules", name), join(own, name));
    fs.symlinkSync(join(packages, "../node_modules/valibot"), join(store, "valibot"));
    const program = join(directory, "own/program.mjs");
    fs.writeFileSync(
      program,
      'import * as v from "valibot"; import { prepareInput } from "@hawser/tools/internal"; console.log(JSON.stringify(prepareInput("t", v.object({})).jsonSchema))',
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", properties: {} });
  });

  it("what can't be written as JSON Schema is refused with the reason, and a library that can't write it with what to do", () => {
    const refusalOf =
      (input: ToolInput): unknown =>
      () =>
        createContractTools([defineTool({ name: "t", description: "", input, run: () => 0 })]);
    expect(refusalOf(v.object({ a: v.date() }))).toThrow(/^tool "t": its schema can't be written as JSON Schema: .*date/);
    const foreign = { "~standard": { version: 1, vendor: "theirs", validate: (value: unknown) => ({ value }) } } as const;
    expect(refusalOf(foreign)).toThrow('tool "t": a theirs schema that can\'t print JSON Schema; give JSON Schema instead');
  });

  it("R35 a validator that throws is the tool's failure", async () => {
    const schema = z.object({ a: z.unknown().transform(() => JSON.parse("{") as unknown) });
    const { answer, seen } = await callWith(schema, {});
    expect(answer).toMatchObject({ error: { type: "SyntaxError", message: expect.stringMatching(/^tool "t" failed: /) as string } });
    expect(seen).toEqual([]);
  });

  it("R18 H6 an issue without a path is about the arguments as a whole", async () => {
    const schema = z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b, "a must be less than b");
    expect(await problem(schema, { a: 2, b: 1 })).toContain("(arguments): a must be less than b");
  });
});
