// Every version and notation becomes one form; what is no document is refused by name.

import { describe, expect, it, onTestFinished } from "vitest";
import { parseDocument } from "../../src/openapi/parse-document.ts";
import { indexOf } from "./documents.ts";

const swagger = {
  swagger: "2.0",
  info: { title: "Old", version: "1" },
  host: "evil.test",
  basePath: "/v1",
  securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  paths: {
    "/pets/{id}": {
      post: {
        operationId: "addPet",
        consumes: ["application/json"],
        parameters: [
          { name: "id", in: "path", required: true, type: "string" },
          { name: "tags", in: "query", type: "array", items: { type: "string" }, collectionFormat: "pipes" },
          { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } },
        ],
        responses: { 200: { description: "ok" } },
      },
    },
  },
  definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } },
};

const yaml = `
openapi: 3.0.3
info: {title: Yaml, version: 1.0}
x-base: &base {description: merged}
paths:
  /a:
    get:
      <<: *base
      operationId: getA
      parameters:
        - {name: n, in: query, schema: {type: string, nullable: true}}
      responses: {200: {description: ok}}
`;

describe("versions and notations", () => {
  it("Swagger 2 becomes 3.1: body, styles, definitions and security", async () => {
    const index = await indexOf(JSON.stringify(swagger));
    const described = await index.describe(index.find("addPet"));
    expect(described.parameters.map(({ name, in: place, style, explode }) => [name, place, style, explode])).toEqual([
      ["id", "path", "simple", false],
      ["tags", "query", "pipeDelimited", false],
    ]);
    expect(described.requestBody).toMatchObject({
      required: true,
      media: [{ contentType: "application/json", schema: { $ref: "#/$defs/Pet" } }],
    });
    expect(Object.keys(described.definitions)).toEqual(["Pet"]);
    expect(index.securitySchemes).toEqual([{ name: "key", in: "header", field: "X-Key", prefix: "" }]);
  });

  it("Swagger 2 in YAML may leave its version unquoted", async () => {
    const index = await indexOf("swagger: 2.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {}}}}\n");
    expect(index.operations).toEqual([{ method: "GET", path: "/a", operationId: "a", tags: [] }]);
  });

  it("YAML with merge keys is read, and 3.0 becomes 3.1", async () => {
    const index = await indexOf(yaml);
    const described = await index.describe(index.find("getA"));
    expect(described).toMatchObject({ description: "merged", parameters: [{ name: "n", schema: { type: ["string", "null"] } }] });
    expect(index.title).toBe("Yaml");
  });

  it("a byte order mark does no harm", async () => {
    expect((await indexOf(`\uFEFF${JSON.stringify(swagger)}`)).operations).toHaveLength(1);
  });
});

describe("a large document of an older version", () => {
  it("SEC-05: lets other work go on while it is brought to 3.1, and loses nothing", async () => {
    const paths = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`/p${at}`, { get: { operationId: `p${at}` } }]));
    const text = JSON.stringify({ openapi: "3.0.3", info: {}, paths, components: { schemas: { S: { type: "string", nullable: true } } } });
    await parseDocument(text, "loads what is loaded lazily");
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    onTestFinished(() => clearImmediate(next));
    const document = await parseDocument(text, "api.json");
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(document).toMatchObject({ openapi: "3.1.1", paths, components: { schemas: { S: { type: ["string", "null"] } } } });
  });
});

const deep = `{"openapi":"3.1.0","paths":{},"x":${"[".repeat(300)}${"]".repeat(300)}}`;
const bomb = `openapi: 3.1.0\npaths: {}\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from(
  { length: 12 },
  (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 10 }, () => `*a${at}`).join(",")}]`,
).join("\n")}\n`;

describe("what is no document", () => {
  it.each([
    ["", "it is empty"],
    ["  \n", "it is empty"],
    ["{", "it is not valid JSON"],
    ["[1]", "it is not an object"],
    ["hello", "it is not an object"],
    ["a: [", "it is not valid YAML"],
    ["<!doctype html><html></html>", "it is not"],
    ["{}", "it has no member `openapi` or `swagger`"],
    ['{"openapi":"4.0.0"}', 'its version is "4.0.0"'],
    ['{"openapi":3}', "its version is 3"],
    ['{"swagger":"1.2"}', 'its version is "1.2"'],
    ['{"openapi":"3.1.0","paths":[]}', "its `paths` is not an object"],
    [deep, "nested deeper than"],
    ["openapi: 3.1.0\npaths: &a {/x: *a}\n", "nested deeper than"],
    [bomb, "its aliases stand for more than"],
    ["a: !!js/function 'x'\n", "it is not valid YAML"],
  ])("SEC-05: case %# is refused with file and reason", async (text, reason) => {
    const refused = expect.objectContaining({ code: "usage", message: expect.stringMatching(/^api\.json is not an OpenAPI document/) });
    await expect(parseDocument(text, "api.json")).rejects.toThrow(refused);
    await expect(parseDocument(text, "api.json")).rejects.toThrow(reason);
  });
});
