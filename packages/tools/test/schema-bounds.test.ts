// Arguments and schemas that are made to take long: the check never keeps the event loop from other work, and ends. What is counted
// are the turns that the loop has meanwhile, which are the same on a busy machine; only where JavaScript does all in one step is
// there nothing to count.

import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { toolLimits } from "../src/limits.ts";
import { LargeMap } from "../src/json-schema/checking.ts";
import { patternThreadStats } from "../src/json-schema/pattern-thread.ts";
import { prepareInput } from "../src/tool-input.ts";
import { inSlices, watchLoop } from "./loop-turns.ts";
import { exitOf, startNode, textOf } from "../../../test/kit/node-programs.ts";

async function checkAll(schema: object, values: readonly unknown[]) {
  const { check } = prepareInput("t", { properties: { value: schema } });
  const { result: answers, ...seen } = await watchLoop(() =>
    Promise.all(values.map((value) => check("t", { value }).then(() => "fits", String))),
  );
  return { answers, ...seen };
}

const list = <Item>(length: number, item: (index: number) => Item): Item[] => Array.from({ length }, (_, index) => item(index));
const objects = list(4_000, (id) => ({ id, name: `boat ${id}` }));
const texts = list(50_000, (index) => `text ${index}`);
const lists = [objects.slice(0, 2_000), texts.slice(0, 5_000)];
const doubling = Object.fromEntries(
  list(60, (n) => [`d${n}`, n === 0 ? { type: "null" } : { anyOf: list(2, () => ({ $ref: `#/properties/value/$defs/d${n - 1}` })) }]),
);

const wide: unknown = JSON.parse(JSON.stringify(Object.fromEntries(list(100_000, (n) => [`m${n}`, n]))));
const seen = (depth: number): object => (depth === 0 ? { items: true } : { anyOf: [seen(depth - 1)] });

const fits = /^fits$/;
// A tenth of what is shipped takes a tenth of the time to use up.
const fewSteps = 300_000;
const tooMuch = /checking the value takes more than 300000 steps; give less, or simplify the schema/;

const usualLimits = { ...toolLimits };
afterEach(() => void Object.assign(toolLimits, usualLimits));

describe("SEC-05: no check keeps the event loop for 100 ms:", () => {
  // A pause takes one turn or two: nearly half of those that were seen. A walk without pauses has a handful.
  it.for<[string, object, unknown, RegExp, number, number?]>([
    ["4,000 objects that differ", { uniqueItems: true }, objects, fits, 9_000],
    [
      "objects of which two are the same",
      { uniqueItems: true },
      [...objects.slice(0, 2_000), objects[7]],
      /Duplicate items at indexes 7 and 2000/,
      4_500,
    ],
    ["lists that are compared within a list", { uniqueItems: true, items: { uniqueItems: true } }, lists, fits, 13_000],
    ["1,000 texts of 10,000 that are allowed", { items: { enum: texts.slice(0, 10_000) } }, texts.slice(0, 1_000), fits, 1_300],
    ["lists that contain nothing", { contains: { contains: { type: "null" } } }, list(60, () => list(60, String)), /too few items/, 3_000],
    ["letters that are counted ten times", { allOf: list(10, () => ({ minLength: 1_000_000 })) }, "x".repeat(1_500_000), fits, 15],
    [
      "members that are counted sixty times",
      { allOf: list(60, () => ({ minProperties: 1 })) },
      Object.fromEntries(list(20_000, (n) => [`m${n}`, n])),
      fits,
      150,
    ],
    [
      "100,000 names that three hundred schemas ask for",
      { anyOf: list(300, () => ({ additionalProperties: false })) },
      wide,
      /Not allowed here/,
      2_300,
    ],
    [
      "100,000 names that three hundred schemas count",
      { anyOf: list(300, () => ({ minProperties: 1e6 })) },
      wide,
      /too few properties/,
      900,
    ],
    [
      "alternatives that refer to themselves",
      { allOf: [{ anyOf: [{ oneOf: [{ $ref: "#/properties/value" }] }] }] },
      1,
      /deeper than 500 levels/,
      350,
    ],
    // So many steps that a turn for each few would take long.
    ["references that double at every step", { $ref: "#/properties/value/$defs/d59", $defs: doubling }, 1, tooMuch, 20, 1],
    ["a constant of a hundred thousand members", { const: list(100_000, (n) => ({ n })) }, 1, /does not match \[{"n":0},/, 20, 1],
    ["a million items that a hundred alternatives see", { unevaluatedItems: false, ...seen(100) }, list(1_000_000, () => 1), fits, 20, 1],
  ])("%s", async ([, schema, value, expected, least, sliceMs]) => {
    if (expected === tooMuch) toolLimits.schemaCheckSteps = fewSteps;
    const { answers, turns } = await inSlices(() => checkAll(schema, [value]), sliceMs);
    expect(answers[0]).toMatch(expected);
    expect(turns).toBeGreaterThan(least);
  });

  it("many checks at once take their slices one after the other", async () => {
    const some = objects.slice(0, 500);
    const alone = await inSlices(() => checkAll({ uniqueItems: true }, [some]));
    const together = await inSlices(() => checkAll({ uniqueItems: true }, Array<unknown>(6).fill(some)));
    expect(new Set(together.answers)).toEqual(new Set(["fits"]));
    expect(together.turns).toBeGreaterThan(2 * alone.turns);
  });
});

describe("SEC-05: what can't be divided takes no longer than its text is long:", () => {
  // Each step takes about as long as reading the text once: what goes over it again and again takes many seconds.
  it.for<[string, object, unknown, RegExp]>([
    ["50,000 members that must be there", { required: texts }, {}, /required property "text 0", "text 1"/],
    [
      "schemas for what 50,000 members left",
      { properties: { a: {} }, unevaluatedProperties: { type: "null" } },
      Object.fromEntries(texts.entries()),
      /\/0: Instance type/,
    ],
    [
      "100,000 wrong items",
      { items: { type: "null" } },
      list(100_000, Number),
      /\/4: Instance type "number" is invalid. Expected "null". Correct/,
    ],
    ["an address without an end", { format: "url" }, `http://${"a".repeat(100_000)}!`, fits],
    ["an address of ten megabytes", { format: "uri" }, `http://host/${"a".repeat(9_900_000)}`, fits],
    ["ten megabytes of colons", { format: "ipv6" }, "a:".repeat(4_900_000), /format/],
    ["a duration of ten megabytes", { format: "duration" }, `P${"1".repeat(9_900_000)}D`, fits],
    ["an address of twenty thousand users", { format: "uri" }, `a://${"@".repeat(20_000)}:x`, /format/],
    ["an expression without an end", { format: "regex" }, String.raw`\p{L}`.repeat(20_000), fits],
    ["a name of nine megabytes", { propertyNames: { maxLength: 1 } }, { ["~/".repeat(4_500_000)]: 1 }, /^.{0,1000}too long.{0,100}$/],
    ["a duration of four million numbers", { format: "duration" }, `P${"1Y".repeat(4_000_000)}`, /format/],
    ["ten megabytes of text", { maxLength: 9_999_998, format: "email" }, "a".repeat(9_999_999), /too long/],
  ])("%s", async ([, schema, value, expected]) => {
    const { answers, longestMs } = await checkAll(schema, [value]);
    expect(answers[0]).toMatch(expected);
    expect(longestMs).toBeLessThan(1_000);
  });
});

const names = list(9_000, (n) => `name ${(n * 7_919) % 1_000_003}`);
const membersOf = (keys: readonly string[]): object => Object.fromEntries(keys.map((name) => [name, 1]));
const some = names.slice(0, 3_000);
const many = membersOf(some);
const nested = (depth: number): object => (depth === 0 ? { contains: true } : { anyOf: [nested(depth - 1)] });
const deep = list(100, Number).reduce<unknown>((value) => [value], "x".repeat(1_000_000));

describe("SEC-05: the event loop has its turns while", () => {
  // Nine turns for ten of them (twice that where the schema is read as well), where a walk without pauses has a handful.
  it.for<[string, object, unknown, RegExp, number]>([
    ["9,000 names are sorted, merged in two rounds, and written", { uniqueItems: true }, [membersOf(names)], fits, 24_300],
    ["3,000 properties are looked for", { properties: many }, {}, fits, 5_400],
    ["3,000 dependent schemas are looked for", { dependentSchemas: many }, {}, fits, 5_400],
    ["3,000 dependent names are looked for", { dependentRequired: many }, {}, fits, 2_700],
    ["3,000 names are required", { required: some }, many, fits, 2_700],
    ["3,000 unknown keywords are passed over", { allOf: [many] }, {}, fits, 2_700],
    ["3,000 definitions are read", { $defs: many }, {}, fits, 2_700],
    [
      "what was seen of 400 items is carried out of twenty alternatives",
      { unevaluatedItems: false, ...nested(20) },
      list(400, Number),
      fits,
      7_200,
    ],
    ["a template of 6,000 variables is read", { format: "uri-template" }, "{a,b,c}".repeat(2_000), fits, 5_400],
    ["a long text is copied through a hundred lists", { const: 1 }, deep, /match/, 90],
  ])("%s", async ([, schema, value, expected, least]) => {
    const { answers, turns } = await inSlices(() => checkAll(schema, [value]));
    expect(answers[0]).toMatch(expected);
    expect(turns).toBeGreaterThan(least);
  });

  it.for<[string, object, string, RegExp]>([
    ["is tried", { pattern: "a".repeat(15_000) }, "x", /does not match pattern/],
    [
      "is found to be wrong",
      { pattern: "(".repeat(15_000) },
      "x",
      /its schema can't be used: the pattern "\(.*" is not a regular expression/,
    ],
  ])("a pattern of 15,000 characters %s: in the thread", async ([, schema, value, expected]) => {
    const { tests } = patternThreadStats;
    const { answers } = await checkAll(schema, [value]);
    expect(answers[0]).toMatch(expected);
    expect(patternThreadStats.tests).toBe(tests + 1);
  });

  it("a map of more entries than two of JavaScript's may have grows", () => {
    const map = new LargeMap<number, number>();
    for (let n = 0; n < 550_000; n++) map.set(n, n);
    map.set(3, 4);
    expect([map.get(3), map.get(549_999), map.get(-1), [...map.keys()].length]).toEqual([4, 549_999, undefined, 550_000]);
  });
});

describe("SEC-05: a regular expression of a schema", () => {
  it.for<[string, object, unknown]>([
    ["for a text", { pattern: "^(a+)+$" }, `${"a".repeat(50)}!`],
    ["for a name", { patternProperties: { "(x+x+)+y": {} } }, { ["x".repeat(50)]: 1 }],
  ])("that never ends, %s, is tried in a thread and refused in time", async ([, schema, value]) => {
    const { tests } = patternThreadStats;
    // The thread is busy for all of it.
    toolLimits.schemaPatternMs = 200;
    const { answers, turns } = await checkAll(schema, [value]);
    expect(answers[0]).toMatch(
      /invalid arguments for tool "t": \(arguments\): the pattern ".*" takes too long for this text; give another text/,
    );
    // Meanwhile the loop turns freely.
    expect(turns).toBeGreaterThan(100);
    expect(patternThreadStats.tests).toBe(tests + 1);
  });

  it.for([
    "(a|b)+",
    "^(a{2}){3}$",
    "a{1,1000}b{1,1000}",
    "(?:a|b)*c",
    "^(?<name>a)\\k<name>$",
    "(a)\\1",
    `${"a?".repeat(20)}b`,
    `^${"(a|b)".repeat(20)}`,
    "a*b*c*d*e*f*g*",
    // Only since it may begin anywhere.
    "a*b*c*d",
  ])("%s is tried in a thread, since it may take long", async (pattern) => {
    const { tests } = patternThreadStats;
    const { answers } = await checkAll({ pattern }, ["d".repeat(20)]);
    expect([answers.length, patternThreadStats.tests]).toEqual([1, tests + 1]);
  });

  it("is tried here where it can't take long, and starts no thread", async () => {
    const { tests } = patternThreadStats;
    const schema = { pattern: "^[a-z0-9-]{1,40}(/[A-Z]{2})?$", patternProperties: { "^x-": {} } };
    const { answers } = await checkAll(schema, ["harbour-7", "harbour-7/DE", "HARBOUR", { "x-a": 1 }]);
    expect(answers.map((answer) => answer.includes("String does not match pattern") || answer)).toEqual(["fits", "fits", true, "fits"]);
    expect(patternThreadStats.tests).toBe(tests);
  });

  it("costs other checks their turn in the thread, not their answer; too many are refused", async () => {
    const values = list(toolLimits.schemaWaitingEntries + 2, (index) => "ab".repeat(index % 5));
    const { answers } = await checkAll({ pattern: "^(ab)*$" }, values);
    expect(answers.filter((answer) => answer === "fits")).toHaveLength(toolLimits.schemaWaitingEntries);
    expect(answers.filter((answer) => answer.includes("too many values wait to be checked"))).toHaveLength(2);
  });

  it("G9: keeps no process alive, neither its thread nor the end of it", async () => {
    const child = startNode([join(import.meta.dirname, "fixtures/schema-thread.ts")]);
    const [{ code }, printed] = await Promise.all([exitOf(child), textOf(child.stdout)]);
    const [answer, endedAt] = printed.trim().split("\n");
    expect([code, answer]).toEqual([0, "refused"]);
    // The thread would have been ended for want of work only then.
    expect(Date.now() - Number(endedAt)).toBeLessThan(toolLimits.schemaThreadIdleMs);
  });
});
