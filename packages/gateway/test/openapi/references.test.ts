// References: each operation gets the schemas that it reaches and no others, circles and hostile
// documents included; nothing outside the document is ever fetched.

import { gatewayLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { documentOf, indexOf } from "./documents.ts";

const bodyOf = (schema: unknown) => ({ content: { "application/json": { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

async function described(operation: object, components: unknown = {}, pathItem: object = {}) {
  const index = await indexOf(documentOf({ "/a/{id}": { ...pathItem, post: { operationId: "a", ...operation } } }, components));
  return index.describe(index.find("a"));
}

describe("schemas", () => {
  it("come with exactly the ones they reach, also in circles", async () => {
    const schemas = {
      Node: { type: "object", properties: { next: ref("Node"), leaf: ref("Leaf") }, "x-note": 1 },
      Leaf: { type: "string" },
      Unused: { type: "number" },
    };
    const { requestBody, definitions } = await described({ requestBody: bodyOf({ type: "array", items: ref("Node") }) }, { schemas });
    expect(requestBody?.media[0]?.schema).toEqual({ type: "array", items: { $ref: "#/$defs/Node" } });
    expect(definitions).toEqual({
      Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" }, leaf: { $ref: "#/$defs/Leaf" } } },
      Leaf: { type: "string" },
    });
  });

  it("keep data that merely looks like a reference", async () => {
    const schema = {
      enum: [{ $ref: "#/x" }],
      default: { $ref: "http://x.test" },
      properties: { $ref: { type: "string" }, default: ref("Leaf") },
    };
    const { requestBody, definitions } = await described({ requestBody: bodyOf(schema) }, { schemas: { Leaf: {} } });
    expect(requestBody?.media[0]?.schema).toEqual({
      ...schema,
      properties: { $ref: { type: "string" }, default: { $ref: "#/$defs/Leaf" } },
    });
    expect(definitions).toEqual({ Leaf: {} });
  });

  it("get names of their own where two have the same, and no escapes", async () => {
    const schema = { anyOf: [ref("a~1b c"), { $ref: "#/x/a~1b c" }, { $ref: "#/components/schemas/__proto__" }] };
    const schemas = JSON.parse('{"a/b c": {"type": "string"}, "__proto__": {"type": "null"}}') as object;
    const { requestBody, definitions } = await described({ requestBody: bodyOf(schema) }, { schemas });
    const [first, second, third] = (requestBody!.media[0]!.schema.anyOf as { $ref: string }[]).map(({ $ref }) =>
      $ref.slice("#/$defs/".length),
    );
    expect(new Set([first, second, third]).size).toBe(3);
    expect(definitions[first!]).toEqual({ type: "string" });
    expect(definitions[second!]).toEqual({ $comment: "reference #/x/a~1b c leads nowhere" });
    expect(Object.entries(definitions).find(([name]) => name === third)?.[1]).toEqual({ type: "null" });
  });

  it("SEC-05: behind a remote reference take anything, with a note", async () => {
    const { requestBody } = await described({ requestBody: bodyOf({ properties: { a: { $ref: "http://169.254.169.254/x.json#/A" } } }) });
    const note = { $comment: "remote reference http://169.254.169.254/x.json#/A was not followed" };
    expect(requestBody?.media[0]?.schema).toEqual({ properties: { a: note } });
  });

  it("SEC-05: beyond the limit of one operation are left out, with a note", async () => {
    const big = (next: string) => ({ description: "x".repeat(gatewayLimits.maxOperationBytes / 2), properties: { next: ref(next) } });
    const schemas = { A: big("B"), B: big("C"), C: big("A") };
    const { definitions } = await described({ requestBody: bodyOf(ref("A")) }, { schemas });
    expect(Object.keys(definitions)).toEqual(["A", "B"]);
    expect(definitions["B"]).toEqual({ $comment: expect.stringContaining("left out") });
  });
});

describe("parameters, bodies and path items", () => {
  it("are found behind references, and the operation's go before the path's", async () => {
    const components = {
      parameters: {
        One: { $ref: "#/components/parameters/Two" },
        Two: { name: "q", in: "query", style: "pipeDelimited", schema: ref("S") },
      },
      requestBodies: { B: { required: true, ...bodyOf(ref("S")) } },
      schemas: { S: { type: "string" } },
    };
    const own = { parameters: [{ $ref: "#/components/parameters/One" }], requestBody: { $ref: "#/components/requestBodies/B" } };
    const ofPath = {
      parameters: [
        { name: "q", in: "query" },
        { name: "Accept", in: "header" },
        { name: "gone", in: "path" },
      ],
    };
    const { parameters, requestBody, definitions } = await described(own, components, ofPath);
    expect(parameters.map(({ name, in: place, style, explode }) => [name, place, style, explode])).toEqual([
      ["q", "query", "pipeDelimited", false],
      ["id", "path", "simple", false],
    ]);
    expect(requestBody?.required).toBe(true);
    expect(Object.keys(definitions)).toEqual(["S"]);
  });

  it.each([
    ["https://evil.test/p.json", "remote reference https://evil.test/p.json is not followed"],
    ["other.yaml#/x", "remote reference other.yaml#/x is not followed"],
    ["#/components/parameters/Missing", "leads nowhere"],
    ["#/components/parameters/Loop", "lead in a circle"],
  ])("SEC-05: an operation that needs %s can be listed, and says why it can't be called", async ($ref, reason) => {
    const components = { parameters: { Loop: { $ref: "#/components/parameters/Loop" } } };
    const document = documentOf({ "/a": { get: { operationId: "a", parameters: [{ $ref }] } } }, components);
    const index = await indexOf(document);
    expect(index.operations).toHaveLength(1);
    await expect(index.describe(index.find("a"))).rejects.toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining(reason) }),
    );
  });

  it("a path item behind a local reference has its operations, one behind a remote reference none", async () => {
    const shared = { get: { operationId: "shared" } };
    const paths = { "/a": { $ref: "#/components/pathItems/P" }, "/b": { $ref: "https://evil.test/x" }, "x-c": shared, "/d": null };
    const index = await indexOf(documentOf(paths, { pathItems: { P: shared } }));
    expect(index.operations).toEqual([{ method: "GET", path: "/a", operationId: "shared", tags: [] }]);
  });

  it("security names schemes; the document's applies where the operation has none", async () => {
    const securitySchemes = {
      b: { type: "http", scheme: "bearer" },
      c: { type: "apiKey", in: "cookie", name: "sid" },
      m: { type: "mutualTLS" },
      o: { type: "oauth2", flows: {} },
    };
    const paths = { "/a": { get: { operationId: "a" }, put: { operationId: "b", security: [] } } };
    const index = await indexOf(documentOf(paths, { securitySchemes }, { security: [{ b: [] }, { c: [] }, {}] }));
    expect((await index.describe(index.find("a"))).security).toEqual(["b", "c"]);
    expect((await index.describe(index.find("b"))).security).toEqual([]);
    expect(index.securitySchemes).toEqual([
      { name: "b", in: "header", field: "Authorization", prefix: "Bearer " },
      { name: "c", in: "cookie", field: "sid", prefix: "" },
      { name: "o", in: "header", field: "Authorization", prefix: "Bearer " },
    ]);
  });
});
