// Generated files match their definitions, examples match their schemas, and the compatibility
// check sees every kind of break.

import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { suites } from "../packages/conformance/src/index.ts";
import { findBreaks } from "../scripts/protocols/compatibility.ts";
import { protocols } from "../scripts/protocols/list.ts";
import type { JsonSchema, SchemaDocument } from "../scripts/protocols/schema-document.ts";

const root = resolve(import.meta.dirname, "..");

describe("generated files", () => {
  it("R105 are what `npm run protocols` would write, and compatible with the baseline", async () => {
    const { stderr } = await promisify(execFile)(process.execPath, [join(root, "scripts/protocols.ts"), "--check"]);
    expect(stderr).toBe("");
  });
});

describe.each(Object.entries(suites))("the suite %s", (_name, { scenarios }) => {
  it("tests only rules that a reference page states", () => {
    const pages = globSync("docs/protocol/*.md", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
    const isStated = ({ id, title }: { id: string; title: string }): boolean =>
      pages.some((page) => page.includes(`| \`${id}\` | ${title}`));
    expect(scenarios.filter((scenario) => !isStated(scenario)).map(({ id }) => id)).toEqual([]);
  });
});

describe.each(protocols.map((protocol) => [protocol.definition.name, protocol] as const))("the %s protocol", (name, protocol) => {
  it("accepts every one of its examples, with fields that it does not know (R106)", () => {
    const { requests, responses } = protocol.definition;
    for (const { examples } of Object.values(requests.messages)) {
      for (const example of examples) expect(protocol.parseRequest({ ...example, zzz: 1 })).toEqual({ ...example, zzz: 1 });
    }
    for (const { examples } of Object.values(responses.messages)) {
      for (const example of examples) expect(protocol.parseResponse({ ...example, zzz: 1 })).toEqual({ ...example, zzz: 1 });
    }
  });

  it("has golden messages, one a line", () => {
    const lines = readFileSync(join(root, `packages/protocol/fixtures/${name}.ndjson`), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(Object.keys(protocol.definition.requests.messages).length);
    for (const line of lines) expect(JSON.stringify(JSON.parse(line))).toBe(line);
  });
});

describe("compatibility check", () => {
  const text = { type: "string" };
  const variant = (tag: string, members: Record<string, JsonSchema>): JsonSchema => ({ properties: { type: { const: tag }, ...members } });
  const document = (
    version: string,
    properties: Record<string, JsonSchema>,
    required: string[],
    direction: "requests" | "responses" | "answers" = "requests",
  ): SchemaDocument => ({
    protocol: "p",
    version,
    requests: {},
    responses: {},
    [direction]: { m: { type: "object", properties, required } },
  });
  const before = document("1.0.0", { a: text, b: text }, ["a"]);

  it.each<[string, SchemaDocument, SchemaDocument, string[]]>([
    ["an added field", before, document("1.1.0", { a: text, b: text, c: text }, ["a"]), []],
    ["an added message", { ...before, requests: {} }, before, []],
    ["a removed field", before, document("1.1.0", { a: text }, ["a"]), ["request m.b is gone"]],
    ["a removed message", before, { ...before, requests: {} }, ["request m is gone"]],
    ["a new required request field", before, document("1.1.0", { a: text, b: text }, ["a", "b"]), ["request m.b is required now"]],
    [
      "a retyped field",
      before,
      document("1.1.0", { a: { type: "number" }, b: text }, ["a"]),
      ['request m.a was {"type":"string"} and is {"type":"number"}'],
    ],
    [
      "a response field that is no longer promised",
      document("1.0.0", { a: text }, ["a"], "responses"),
      document("1.0.1", { a: text }, [], "responses"),
      ["response m.a is no longer promised"],
    ],
    [
      "a retyped field of an answer's data, inside lists, records and forms",
      document("1.0.0", { a: { type: "array", items: { anyOf: [{ additionalProperties: text }, text] } } }, ["a"], "answers"),
      document("1.1.0", { a: { type: "array", items: { anyOf: [{ additionalProperties: {} }, text] } } }, ["a"], "answers"),
      ['answer to m.a[] (form 1).* was {"type":"string"} and is {}'],
    ],
    [
      "data that is no longer promised",
      document("1.0.0", { a: text }, ["a"], "answers"),
      document("1.0.1", { a: text }, [], "answers"),
      ["answer to m.a is no longer promised"],
    ],
    ["answers that are gone", document("1.0.0", {}, [], "answers"), document("1.0.1", {}, []), ["answer to m is gone"]],
    [
      "an added field of an answer's data",
      document("1.0.0", { a: text }, [], "answers"),
      document("1.0.1", { a: text, b: text }, [], "answers"),
      [],
    ],
    [
      "variants by their tag: a field that is added to one, and a variant that readers don't know",
      document("1.0.0", { a: { oneOf: [variant("x", { b: text }), variant("y", { b: text })] } }, ["a"], "responses"),
      document("1.1.0", { a: { oneOf: [variant("x", { b: text, c: text }), variant("y", {}), variant("z", {})] } }, ["a"], "responses"),
      ['response m.a was {"variants":["x","y"]} and is {"variants":["x","y","z"]}', "response m.a (y).b is gone"],
    ],
    ["any of it under a new major version, where no family is named", before, document("2.0.0", {}, []), []],
  ])("R105 R106 judges %s", (_, baseline, current, breaks) => {
    expect(findBreaks(baseline, current)).toEqual(breaks);
  });

  it("R105 a break needs a new family and a new major version; neither comes without the other", () => {
    const inFamily = (family: string, schemas: SchemaDocument): SchemaDocument => ({ ...schemas, family });
    const baseline = inFamily("p-v1", before);
    const broken = (version: string): SchemaDocument => document(version, { a: text }, ["a"]);
    expect(findBreaks(baseline, inFamily("p-v2", broken("2.0.0")))).toEqual([]);
    expect(findBreaks(baseline, inFamily("p-v1", broken("2.0.0")))).toEqual([
      "request m.b is gone",
      "the major version is new and the family is still p-v1; both are needed, or neither",
    ]);
    expect(findBreaks(baseline, inFamily("p-v2", broken("1.1.0")))).toEqual([
      "request m.b is gone",
      "the family was p-v1 and is p-v2; a new family needs a new major version",
    ]);
    expect(findBreaks(baseline, inFamily("p-v1", broken("1.1.0")))).toEqual(["request m.b is gone"]);
    expect(findBreaks(baseline, inFamily("p-v2", before))).toHaveLength(1);
  });

  it("R105 the baseline of rpc knows its family and the data of each operation", () => {
    const baseline = JSON.parse(readFileSync(join(root, "packages/protocol/schemas/baseline/rpc.json"), "utf8")) as SchemaDocument;
    expect(baseline.family).toBe("igw-rpc-v1");
    expect(Object.keys(baseline.answers ?? {})).toEqual(Object.keys(baseline.requests));
  });
});
