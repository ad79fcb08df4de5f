// Schemas and names as clients can take them: what is repaired, what is left out, and that nothing else changes.

import { describe, expect, it } from "vitest";
import { toClientSchema } from "../../src/contract/client-schema.ts";
import { toClientTools, type ClientTool } from "../../src/contract/client-tools.ts";
import { processorTimeOf } from "../../../../test/kit/processor-time.ts";

const tool = (name: string, inputSchema: object = { type: "object" }, more: object = {}): never =>
  ({ name, description: `about ${name}`, input_schema: inputSchema, ...more }) as never;
const listOf = (...tools: readonly never[]): readonly ClientTool[] => toClientTools(tools).pages.flat();
const namesOf = (...names: readonly string[]): string[] => listOf(...names.map((name) => tool(name))).map(({ name }) => name);

describe("schemas", () => {
  it("R46: a schema that needs no repair is passed on as it is", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        a: { type: ["string", "null"], default: true },
        b: { items: { $ref: "#/$defs/x" } },
        c: { anyOf: [{ const: 1 }, { enum: [true] }] },
      },
      required: ["a"],
      additionalProperties: false,
      $defs: { x: { type: "object", additionalProperties: true } },
      "x-own": { oneOf: true },
    };
    expect(toClientSchema(schema)).toEqual(schema);
  });

  it("R46: a boolean where clients expect a schema becomes an object that says the same", () => {
    const schema = {
      type: "object",
      properties: {
        any: true,
        none: false,
        list: { type: "array", items: true, prefixItems: [true] },
        deep: { properties: { any: true } },
      },
      patternProperties: { "^x": true },
      $defs: { any: true },
      additionalProperties: { properties: { any: true } },
      unevaluatedProperties: false,
    };
    expect(toClientSchema(schema)).toEqual({
      type: "object",
      properties: {
        any: {},
        none: { not: {} },
        list: { type: "array", items: {}, prefixItems: [{}] },
        deep: { properties: { any: {} } },
      },
      patternProperties: { "^x": {} },
      $defs: { any: {} },
      additionalProperties: { properties: { any: {} } },
      unevaluatedProperties: false,
    });
  });

  it("R46: a union at the root becomes one object: all properties, and what every branch requires", () => {
    const schema = {
      oneOf: [
        { type: "object", properties: { kind: { const: "a" }, left: { type: "number" } }, required: ["kind", "left"] },
        { type: "object", properties: { kind: { const: "b" }, right: true }, required: ["kind"] },
      ],
    };
    expect(toClientSchema(schema)).toEqual({
      type: "object",
      properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, left: { type: "number" }, right: {} },
      required: ["kind"],
    });
  });

  it("R46: unions behind references and inside unions are found, also when they refer to themselves", () => {
    const schema = {
      $ref: "#/$defs/Arguments",
      $defs: {
        Arguments: {
          anyOf: [{ $ref: "#/$defs/One" }, { allOf: [{ $ref: "#/$defs/Two" }, { required: ["two"] }] }, { $ref: "#/$defs/Arguments" }],
        },
        One: { properties: { one: { type: "string" }, both: { type: "string" } }, required: ["one"] },
        Two: { properties: { two: { type: "string" }, both: { type: "string" } } },
      },
    };
    expect(toClientSchema(schema)).toEqual({
      type: "object",
      properties: { one: { type: "string" }, both: { type: "string" }, two: { type: "string" } },
      $defs: schema.$defs,
    });
  });

  it("R46: `anyOf` that only says which members are needed leaves the properties as they are", () => {
    const properties = { id: { type: "string" }, name: { type: "string" } };
    const schema = { type: "object", properties, required: ["id"], anyOf: [{ required: ["name"] }, { required: ["other"] }] };
    expect(toClientSchema(schema)).toEqual({ type: "object", properties, required: ["id"] });
  });

  it("R46: members called like parts of every object stay members", () => {
    const schema = JSON.parse('{"oneOf":[{"properties":{"__proto__":{"type":"string"},"constructor":true}}]}') as Record<string, unknown>;
    const repaired = toClientSchema(schema);
    expect(Object.keys(repaired?.["properties"] as object)).toEqual(["__proto__", "constructor"]);
  });

  it.each([[{}], [{ type: ["object", "null"] }], [{ properties: {} }]])("a root of %j is an object", (schema) => {
    expect(toClientSchema(schema)).toEqual({ ...schema, type: "object" });
  });

  it.each([
    [{ type: "array" }],
    [{ type: "string" }],
    [{ type: ["string"] }],
    [{ properties: [] }],
    [{ required: true }],
    [{ required: [1] }],
  ])("a root of %j can't be offered", (schema) => {
    expect(toClientSchema(schema)).toBeUndefined();
  });
});

describe("names", () => {
  it("names that clients take stay; others are mapped to letters, digits, _ and -", () => {
    expect(namesOf("plain", "a-b_C9", "with.dot", "space here", "日本", "", "x".repeat(64))).toEqual([
      "plain",
      "a-b_C9",
      "with_dot",
      "space_here",
      "__",
      "tool",
      "x".repeat(64),
    ]);
  });

  it("no two tools get one name, and a name that needs no repair is never taken away", () => {
    const names = namesOf("a.b", "a b", "a_b", "a:b", "a_b_2", `${"n".repeat(64)}.1`, `${"n".repeat(64)}.2`, "n".repeat(64));
    expect(names).toEqual(["a_b_3", "a_b_4", "a_b", "a_b_5", "a_b_2", `${"n".repeat(62)}_2`, `${"n".repeat(62)}_3`, "n".repeat(64)]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("the parent's own name is kept for the call", () => {
    const { originals } = toClientTools([tool("with.dot", {}, { output_schema: {} }), tool("plain")]);
    expect(originals.get("with_dot")).toEqual({ name: "with.dot", isStructured: true });
    expect(originals.get("plain")).toEqual({ name: "plain", isStructured: false });
  });

  it("BRG-09: ten thousand names that all map to the same one take no time to speak of", () => {
    const given = Array.from({ length: 10_000 }, (_, index) => `${"é".repeat(60)}${String.fromCodePoint(0x4e00 + index)}`);
    let names: string[] = [];
    expect(processorTimeOf(() => (names = namesOf(...given)))).toBeLessThan(2_000);
    expect(new Set(names).size).toBe(10_000);
  });
});

describe("what can't be offered", () => {
  it("one bad tool is left out with its reason and hides no other", () => {
    const nested = JSON.parse(`${'{"items":'.repeat(200)}{}${"}".repeat(200)}`) as object;
    const { pages, omissions, count } = toClientTools([
      tool("list", { type: "array" }),
      tool("good"),
      tool("deep", { type: "object", properties: { a: nested } }),
      tool("large", { type: "object", description: "d".repeat(5_000_000) }),
    ]);
    expect(pages.flat().map(({ name }) => name)).toEqual(["good"]);
    expect(count).toBe(1);
    expect(omissions).toEqual([
      'tool "list" is left out: its input_schema does not describe an object',
      expect.stringMatching(/^tool "deep" is left out: nested deeper than \d+ levels/),
      expect.stringMatching(/^tool "large" is left out: it has \d+ bytes, more than the 4000000/),
    ]);
  });

  it("an output schema or a hint that clients can't take is dropped, the tool stays", () => {
    const annotations = { title: 5, readOnlyHint: "yes", destructiveHint: false, openWorldHint: null };
    expect(listOf(tool("a", {}, { output_schema: { type: "array" }, annotations, _meta: { "anthropic/maxResultSizeChars": 9 } }))).toEqual([
      {
        name: "a",
        description: "about a",
        inputSchema: { type: "object" },
        annotations: { destructiveHint: false },
        _meta: { "anthropic/maxResultSizeChars": 9 },
      },
    ]);
    expect(listOf(tool("b", {}, { output_schema: 5, annotations: [], _meta: "x" }))).toEqual([
      { name: "b", description: "about b", inputSchema: { type: "object" } },
    ]);
  });

  it("tools that do not fit into one line are split into pages, in order", () => {
    const tools = Array.from({ length: 10 }, (_, index) => tool(`t${index}`, { type: "object", description: "d".repeat(900) }));
    const { pages, omissions } = toClientTools(tools, 3_500);
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([["t0", "t1", "t2"], ["t3", "t4", "t5"], ["t6", "t7", "t8"], ["t9"]]);
    expect(omissions).toEqual([]);
  });
});
