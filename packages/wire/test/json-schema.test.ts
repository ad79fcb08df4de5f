// Plain JSON Schema as the input of a tool, keyword by keyword, and the published test suite of JSON Schema where there is
// a checkout of it. What the validator does otherwise than the suite is listed here, and in the documentation.

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { Validator, type Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { prepareInput } from "../src/tools/tool-input.ts";

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

interface SuiteGroup {
  readonly schema: Schema;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

/** Required tests of draft 2020-12 that end otherwise: formats are checked, `$dynamicRef` is not followed, schemas of schemas are not known. */
const otherwise = { defs: 2, dynamicRef: 20, format: 15, ref: 3, unevaluatedItems: 1, unevaluatedProperties: 1, vocabulary: 1 };
const suiteTests = 1_299;

it("SEC-06: the required tests of the JSON Schema Test Suite hold, but for those of the documented list", (context) => {
  const suite = process.env["HAWSER_JSON_SCHEMA_SUITE"] ?? "";
  context.skip(suite === "", "HAWSER_JSON_SCHEMA_SUITE names no checkout of json-schema-org/JSON-Schema-Test-Suite");
  const remotes = readRemotes(join(suite, "remotes"));
  const folder = join(suite, "tests", "draft2020-12");
  const found: Record<string, number> = {};
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    for (const { schema, tests } of JSON.parse(readFileSync(join(folder, file), "utf8")) as SuiteGroup[]) {
      for (const { data, valid } of tests) {
        count++;
        const name = file.replace(".json", "");
        if (judge(schema, remotes, data) !== valid) found[name] = (found[name] ?? 0) + 1;
      }
    }
  }
  expect([count, found]).toEqual([suiteTests, otherwise]);
});

function judge(schema: Schema, remotes: ReadonlyMap<string, Schema>, data: unknown): boolean | undefined {
  try {
    const validator = new Validator(schema, "2020-12", false);
    for (const [id, remote] of remotes) validator.addSchema(remote, id);
    return validator.validate(data).valid;
  } catch {
    return undefined;
  }
}

/** Those that the suite expects at an address, except the ones of other drafts. */
function readRemotes(folder: string): Map<string, Schema> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /^(?!draft(?!2020-12)).*\.json$/.test(name));
  return new Map(
    files.map((name) => [
      `http://localhost:1234/${name.split(sep).join("/")}`,
      JSON.parse(readFileSync(join(folder, name), "utf8")) as Schema,
    ]),
  );
}
