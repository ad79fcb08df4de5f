// What is wrong with a tool is said when it is given, with its name; a fault of one must not cost a bridge all.

import { describe, expect, it } from "vitest";
import { createContractTools } from "../src/parent/contract-tools.ts";
import type { Tool } from "@hawser/tools";

const circular: Record<string, unknown> = { type: "object" };
circular["self"] = circular;

const faulty = (change: object): Tool => ({ name: "odd", description: "", input: {}, run: () => "", ...change }) as Tool;

describe("a faulty tool", () => {
  it.for<[string, object, string]>([
    ["a description that is a number", { description: 5 }, "its description must be a string, not a number"],
    ["annotations that are a text", { annotations: "str" }, "its annotations must be an object, not a string"],
    ["a maximal size of its results that is none", { maxResultSizeChars: 0 }, "maxResultSizeChars must be a whole number of at least 1"],
    ["annotations that are a list", { annotations: [] }, "its annotations must be an object, not a list"],
    ["a schema that holds itself", { input: circular }, "its schema can't be written as JSON: Converting circular structure to JSON"],
    ["a BigInt in its schema", { input: { default: 1n } }, "its schema can't be written as JSON: Do not know how to serialize a BigInt"],
    [
      "a schema that is a text once written",
      { input: { toJSON: () => "x" } },
      "its input_schema isn't an object once it is written as JSON",
    ],
    [
      "a schema that is nothing once written",
      { input: { toJSON: () => undefined } },
      "its input_schema isn't an object once it is written as JSON",
    ],
    [
      "an output schema with a BigInt",
      { output: { default: 1n } },
      "its schema can't be written as JSON: Do not know how to serialize a BigInt",
    ],
  ])("R38 with %s is refused by name", ([, change, reason]) => {
    expect(() => createContractTools([faulty(change)])).toThrow(new RegExp(`^tool "odd": ${reason}`));
  });

  it("R38 without a description is taken", () => {
    expect(createContractTools([faulty({ description: undefined })]).schemas).toEqual([
      { name: "odd", description: "", input_schema: { type: "object" } },
    ]);
  });
});

describe("a tool's entry in the schema file", () => {
  it("H18 says how long results may be, and to be shown at once, where that was asked for", () => {
    const tools = [faulty({ name: "long", maxResultSizeChars: 200_000 }), faulty({ name: "plain" })];
    const metaOf = (options?: { alwaysLoad: boolean }): unknown[] => createContractTools(tools, options).schemas.map(({ _meta }) => _meta);
    expect(metaOf()).toEqual([{ "anthropic/maxResultSizeChars": 200_000 }, undefined]);
    expect(metaOf({ alwaysLoad: true })).toEqual([
      { "anthropic/maxResultSizeChars": 200_000, "anthropic/alwaysLoad": true },
      { "anthropic/alwaysLoad": true },
    ]);
  });
});
