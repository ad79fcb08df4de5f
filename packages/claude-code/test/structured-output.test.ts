// The shapes in which structured answers really come, and what becomes of each.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { StructuredOutputError } from "../src/index.ts";
import { readStructuredOutput } from "../src/structured-output.ts";
import { thrownBy } from "./stage.ts";

const schema = z.object({ boats: z.number(), names: z.array(z.string()).optional() });
const jsonSchema = { type: "object", properties: { boats: { type: "number" } }, required: ["boats"], additionalProperties: false };
const nothing = { structured: undefined, lastInput: undefined, text: "" };

describe.each([
  ["a Standard Schema", schema],
  ["JSON Schema", jsonSchema],
])("with %s", (_, given) => {
  it.for([
    ["as it should be", { structured: { boats: 3 } }],
    ["wrapped in another object", { structured: { output: { boats: 3 } } }],
    ["wrapped twice", { structured: { parameters: { result: { boats: 3 } } } }],
    ["as JSON in a string", { structured: '{"boats": 3}' }],
    ["wrapped, as JSON in a string", { structured: { result: '{"boats": 3}' } }],
    ["given by the model but not taken", { lastInput: { boats: 3 } }],
    ["in the text", { text: '{"boats": 3}' }],
    ["in a second code fence", { text: 'Look:\n```\nboats\n```\nso:\n```JSON\r\n{"boats": 3}\r\n```' }],
    ["in a code fence", { text: 'Here:\n```json\n{"boats": 3}\n```\nThat is all.' }],
    ["between words", { text: 'I counted {"boats": 3} of them' }],
    ["in the text, though what is called the output does not fit", { structured: { boats: "three" }, text: '{"boats": 3}' }],
  ] as const)("reads an answer %s", async ([, sources]) => {
    expect(await readStructuredOutput(given, { ...nothing, ...sources })).toEqual({ boats: 3 });
  });

  it.for([
    ["missing", {}, "there is no JSON in it"],
    ["of the wrong type", { structured: { boats: "three" } }, "/boats"],
    ["cut off", { text: '{"boats": ' }, "there is no JSON in it"],
    ["nothing at all", { structured: null, text: "" }, "the value: "],
    ["wrapped too deeply", { structured: { a: { b: { c: { d: { e: { boats: 3 } } } } } } }, "boats"],
  ] as const)("fails with a reason where it is %s", async ([, sources, reason]) => {
    const error = await thrownBy(readStructuredOutput(given, { ...nothing, ...sources }));
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect((error as Error).message).toContain(reason);
    expect((error as Error).message).not.toContain("tool");
  });
});

it("reads a list, a number and a text, which need no object around them", async () => {
  expect(await readStructuredOutput(z.array(z.number()), { ...nothing, structured: { items: [1, 2] } })).toEqual([1, 2]);
  expect(await readStructuredOutput(z.number(), { ...nothing, text: "3" })).toBe(3);
  expect(await readStructuredOutput({ type: "string" }, { ...nothing, structured: "three" })).toBe("three");
});

it.for([
  ["brackets that nobody closes", "{".repeat(400_000)],
  ["a fence that nobody closes", `\`\`\`${"\n".repeat(400_000)}`],
])("looks through %s in no time", async ([, text]) => {
  const startedAt = performance.now();
  await thrownBy(readStructuredOutput(schema, { ...nothing, text: text! }));
  // Looking again from every character takes minutes.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

it("members that were written as JSON are read", async () => {
  const structured = { boats: 3, names: '["Anna", "Bert"]' };
  expect(await readStructuredOutput(schema, { ...nothing, structured })).toEqual({ boats: 3, names: ["Anna", "Bert"] });
});
