// Plain JSON Schema as the input of a tool, keyword by keyword, and the published test suite of JSON Schema where there is
// a checkout of it. What is done otherwise than the suite wants is listed here, and in the documentation.

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { isRecord } from "@hawser/protocol/internal";
import { createSchemaCheck } from "../src/json-schema/check-value.ts";
import { prepareInput } from "../src/tool-input.ts";

const isAccepted = (schema: object, value: unknown): Promise<boolean> =>
  prepareInput("t", { type: "object", properties: { value: schema }, $defs: { short: { $anchor: "short", maxLength: 2 } } })
    .check("t", { value })
    .then(
      () => true,
      () => false,
    );

// As text: an object that has a `then` would be taken for a promise.
const branches = JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"number"}}') as object;

const cases: readonly (readonly [name: string, schema: object, good: unknown, bad: unknown])[] = [
  ["type", { type: "integer" }, 1.0, 1.5],
  ["several types", { type: ["string", "null"] }, null, 0],
  ["const", { const: { a: [1] } }, { a: [1] }, { a: [2] }],
  ["enum", { enum: ["x", 0, null] }, 0, false],
  ["minimum", { minimum: 2 }, 2, 1],
  ["exclusiveMinimum", { exclusiveMinimum: 2 }, 3, 2],
  ["maximum", { maximum: 2 }, 2, 3],
  ["exclusiveMaximum", { exclusiveMaximum: 2 }, 1, 2],
  ["multipleOf", { multipleOf: 0.1 }, 0.3, 0.35],
  ["minLength, in letters", { minLength: 2 }, "⛵⛵", "⛵"],
  ["maxLength, in letters", { maxLength: 2 }, "⛵⛵", "abc"],
  ["pattern", { pattern: "^\\p{L}+$" }, "Ärmel", "a1"],
  ["items", { items: { type: "number" } }, [1], ["x"]],
  ["prefixItems", { prefixItems: [{ type: "number" }], items: false }, [1], [1, 2]],
  ["minItems", { minItems: 1 }, [0], []],
  ["maxItems", { maxItems: 1 }, [0], [0, 0]],
  ["uniqueItems", { uniqueItems: true }, [1, true, { a: 1 }], [{ a: 1 }, { a: 1 }]],
  ["contains", { contains: { const: 3 } }, [1, 3], [1]],
  ["minContains", { contains: { const: 3 }, minContains: 2 }, [3, 3], [3]],
  ["maxContains", { contains: { const: 3 }, maxContains: 1 }, [3, 1], [3, 3]],
  ["properties", { properties: { a: { type: "string" } } }, { a: "" }, { a: 1 }],
  ["required", { required: ["toString"] }, { toString: 1 }, {}],
  ["patternProperties", { patternProperties: { "^n": { type: "number" } } }, { n1: 1 }, { n1: "" }],
  ["additionalProperties", { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
  ["propertyNames", { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
  ["minProperties", { minProperties: 1 }, { a: 1 }, {}],
  ["maxProperties", { maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { a: 1, b: 1 }, { a: 1 }],
  ["allOf", { allOf: [{ minimum: 1 }, { maximum: 3 }] }, 2, 4],
  ["anyOf", { anyOf: [{ type: "string" }, { minimum: 2 }] }, 2, 1],
  ["oneOf", { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, 4, 2],
  ["not", { not: { type: "string" } }, 1, ""],
  ["if, then and else", branches, "a", null],
  ["unevaluatedProperties", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
  ["unevaluatedItems", { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [1], [1, 2]],
  ["$ref", { $ref: "#/$defs/short" }, "ab", "abc"],
  ["$ref to an $anchor", { $ref: "#short" }, "ab", "abc"],
  ["a schema that is false", { properties: { a: false } }, {}, { a: 1 }],
  ["$dynamicRef", { $dynamicRef: "#short" }, "ab", "abc"],
  ["dependencies, the older name", { dependencies: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
  ["a list in items, the older way", { items: [{ type: "number" }], additionalItems: false }, [1], [1, 2]],
  ["a pattern that may take long", { pattern: "^(ab?)+$" }, "aab", "abb"],
  ["a pattern with a reference back", { pattern: "^(a|b)\\1$" }, "aa", "ab"],
  [
    "names that every object has",
    { properties: { constructor: { type: "number" } }, required: ["hasOwnProperty"] },
    { hasOwnProperty: 1 },
    {},
  ],
  ["format, which is checked", { format: "date-time" }, "2026-11-16T12:00:00Z", "tomorrow"],
];

describe("SEC-06: arguments are checked by", () => {
  it.each(cases)("%s", async (_, schema, good, bad) => {
    expect([await isAccepted(schema, good), await isAccepted(schema, bad)]).toEqual([true, false]);
  });

  it("a reference that leads out of the schema: nothing is fetched, and the error names the tool", async () => {
    const { check } = prepareInput("far", { type: "object", properties: { a: { $ref: "http://127.0.0.1:1/schema.json" } } });
    await expect((async () => check("far", { a: 1 }))()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^tool "far": its schema can't be used: .*127\.0\.0\.1/) as string,
    });
  });
});

describe("SEC-06: a schema", () => {
  it("is used as it is: frozen, with parts that are shared, and with keywords whose value makes no sense", async () => {
    const name = Object.freeze({ type: "string", minLength: "three", required: true, pattern: undefined });
    const { check } = prepareInput("t", Object.freeze({ properties: Object.freeze({ a: name, b: name }) }));
    await expect(check("t", { a: "", b: "x" })).resolves.toEqual({ a: "", b: "x" });
    await expect(check("t", { a: "", b: 1 })).rejects.toThrow('/b: Instance type "number" is invalid. Expected "string"');
  });

  it.each([
    ["refers to itself without end", { $ref: "#/properties/a" }, /its schema can't be used: .*refers to itself without end/],
    ["refers to what is not there", { $ref: "#/$defs/none" }, /its schema can't be used: the reference "#\/\$defs\/none" leads nowhere/],
    ["has a pattern that is none", { pattern: "(" }, /its schema can't be used: the pattern "\(" is not a regular expression/],
  ])("that %s is refused, and the error names the tool", async (_, schema, message) => {
    const { check } = prepareInput("broken", { properties: { a: schema } });
    await expect(check("broken", { a: "x" })).rejects.toThrow(message);
  });
});

interface SuiteGroup {
  readonly schema: unknown;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

/** Required tests of draft 2020-12 that end otherwise: formats are checked, and schemas of schemas are not known. */
const otherwise = { defs: 2, format: 15, ref: 2, vocabulary: 1 };
const suiteTests = 1_299;

it("SEC-06: the required tests of the JSON Schema Test Suite hold, but for those of the documented list", async (context) => {
  const suite = process.env["HAWSER_JSON_SCHEMA_SUITE"] ?? "";
  context.skip(suite === "", "HAWSER_JSON_SCHEMA_SUITE names no checkout of json-schema-org/JSON-Schema-Test-Suite");
  const remotes = readRemotes(join(suite, "remotes"));
  const folder = join(suite, "tests", "draft2020-12");
  const found: Record<string, number> = {};
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    for (const { schema, tests } of JSON.parse(readFileSync(join(folder, file), "utf8")) as SuiteGroup[]) {
      const check = createSchemaCheck(besideRemotes(schema, remotes));
      for (const { data, valid } of tests) {
        count++;
        const name = file.replace(".json", "");
        const verdict = await Promise.resolve(check(data)).then(
          (problems = []) => problems.length === 0,
          () => undefined,
        );
        if (verdict !== valid) found[name] = (found[name] ?? 0) + 1;
      }
    }
  }
  expect([count, found]).toEqual([suiteTests, otherwise]);
});

/** One document that holds the schema and all that it may refer to, since nothing is fetched. */
function besideRemotes(schema: unknown, remotes: readonly object[]): object {
  const tested = isRecord(schema) ? { $id: "http://tested.invalid/", ...schema } : schema;
  return { $ref: "#/$defs/tested", $defs: { tested, ...Object.fromEntries(remotes.entries()) } };
}

/** Those that the suite expects at an address, except the ones of other drafts. */
function readRemotes(folder: string): object[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /^(?!draft(?!2020-12)).*\.json$/.test(name));
  return files.map((name) => {
    const remote = JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly $id?: string };
    const address = `http://localhost:1234/${name.split(sep).join("/")}`;
    // One that calls itself otherwise is found by both names.
    const isSame = remote.$id === undefined || new URL(remote.$id, address).href === address;
    return isSame ? { ...remote, $id: address } : { $id: address, $ref: remote.$id, $defs: { remote } };
  });
}
