// Documents that are small as text and large as what they say: each is refused before it takes the time
// or the memory that it asks for. What real documents do a little of must go on working.

import { gatewayLimits } from "../../src/limits.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf, indexOf } from "./documents.ts";

const yamlOf = (lines: string): string => `openapi: 3.1.0\ninfo: {title: T, version: '1'}\n${lines}`;
const times = <Value>(count: number, make: (at: number) => Value): Value[] => Array.from({ length: count }, (_, at) => make(at));
const pathsOf = (count: number, item: (at: number) => unknown) => Object.fromEntries(times(count, (at) => [`/p${at}`, item(at)]));
const bodyOf = (schema: unknown) => ({ content: { "application/json": { schema } } });
const yamlPaths = (count: number, item: string): string => `paths:\n${times(count, (at) => `  /p${at}: ${item}\n`).join("")}`;

const nested = (open: string, close: string): string =>
  documentOf({}, {}, { x: 0 }).replace('"x":0', `"x":[${times(600, () => `${open.repeat(190)}1${close.repeat(190)}`).join(",")}]`);

const tooMuchText = "more than 3355443 bytes (maxDocumentBytes)";
const tooManyInYaml = "more than 50000 values (maxDocumentYamlMembers)";
const tooManyInJson = "more than 100000 values (maxDocumentJsonMembers)";
const tooManyReferences = "references of the OpenAPI document stand for more than 500000 values";
const tooManyBytes = "operations of the OpenAPI document have more than 16777216 bytes (maxIndexBytes)";
const refusal = (reason: string) => ({ code: "usage", message: expect.stringContaining(reason) as string });
const shared = { $ref: "#/components/pathItems/P" };
const besides = (at: number) => Object.fromEntries(times(2_000, (member) => [`m${at}_${member}`, 1]));
const spellings = (name: string, at: number): string =>
  Array.from(name, (letter, bit) => ((at >> bit) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter)).join("");

// What a document reaches grows with it: a tenth of the bounds is reached by a tenth of the document.
function withTenthOfLimits(): void {
  const usual = { ...gatewayLimits };
  beforeAll(() => {
    gatewayLimits.maxDocumentBytes = 3_355_443;
    gatewayLimits.maxDocumentJsonMembers = 100_000;
    gatewayLimits.maxDocumentYamlMembers = 50_000;
    gatewayLimits.maxDocumentMembers = 500_000;
  });
  afterAll(() => void Object.assign(gatewayLimits, usual));
}

describe("SEC-05 G10: a document is refused", () => {
  withTenthOfLimits();
  it.each([
    ["text in aliases", yamlOf(`x: &x '${"d".repeat(1_000_000)}'\n${yamlPaths(900, "{get: {description: *x}}")}`), tooMuchText],
    ["names in aliases", yamlOf(`x: &x {${"d".repeat(10_000)}: 1}\n${yamlPaths(900, "{get: *x}")}`), tooMuchText],
    ["many aliases", yamlOf(`x: &x 1\n${yamlPaths(10_001, "*x")}`), "maxAliases"],
    [
      "aliases of aliases",
      yamlOf(`x: &x [${"1,".repeat(5_000)}]\n${yamlPaths(900, "{get: {tags: *x}}")}`),
      "more than 500000 values (maxDocumentMembers)",
    ],
    ["merge keys", yamlOf(`x: &x {${times(1_000, (at) => `k${at}: 1`).join(", ")}}\n${yamlPaths(900, "{<<: *x}")}`), "maxTotalMergeKeys"],
    ["many lines", yamlOf(`x: ${"a\n  ".repeat(100_000)}\n`), tooManyInYaml],
    ["escapes", yamlOf(`x: "${"\\n".repeat(60_000)}"\n`), tooManyInYaml],
    ["lists in lists on one line", yamlOf(`x:\n${`${"- ".repeat(150)}a\n`.repeat(400)}`), tooManyInYaml],
    ["keys in keys on one line", yamlOf(`x:\n${`  ${"? ".repeat(150)}a\n`.repeat(400)}`), tooManyInYaml],
    ["small values", documentOf({}, { x: times(100_001, () => 1) }), tooManyInJson],
    ["lists in lists", nested("[", "]"), tooManyInJson],
    ["objects in objects", nested('{"a":', "}"), tooManyInJson],
  ])("for %s", async (_what, text, reason) => {
    await expect(indexOf(text)).rejects.toMatchObject(refusal(reason));
  });
});

describe("SEC-05 G10: a document whose references stand for too much is refused", () => {
  withTenthOfLimits();
  it.each([
    ["many paths that share one item", pathsOf(1_000, () => shared), { pathItems: { P: { get: { description: "d".repeat(100_000) } } } }],
    [
      "one parameter many times",
      pathsOf(50, () => ({ get: { parameters: times(50, () => ({ $ref: "#/components/parameters/P" })) } })),
      { parameters: { P: { name: "q", in: "query", schema: { anyOf: times(2_000, () => ({ type: "string" })) } } } },
    ],
    [
      "one schema under many spellings",
      {
        "/a": {
          post: {
            requestBody: bodyOf({ anyOf: times(1_000, (at) => ({ $ref: `#/components/schemas/${spellings("Abcdefghijklmn", at)}` })) }),
          },
        },
      },
      { schemas: { Abcdefghijklmn: { description: "d".repeat(100_000) } } },
    ],
    ["many circles of references", pathsOf(10_000, (at) => ({ $ref: `#/paths/~1p${(at + 1) % 10_000}` })), {}],
    [
      "chains of references with much beside them",
      pathsOf(50, () => ({ $ref: "#/components/pathItems/P0" })),
      { pathItems: Object.fromEntries(times(31, (at) => [`P${at}`, { $ref: `#/components/pathItems/P${at + 1}`, ...besides(at) }])) },
    ],
    [
      "parameters that all operations of a path share",
      {
        "/a": { parameters: times(70_000, () => 1), get: {}, put: {}, post: {}, patch: {}, delete: {}, head: {}, options: {}, trace: {} },
      },
      {},
    ],
    ["more operations than any API has", pathsOf(11_000, () => ({ get: {} })), {}],
  ])("for %s", async (_what, paths, components) => {
    await expect(indexOf(documentOf(paths, components))).rejects.toMatchObject(refusal(tooManyReferences));
  });

  it.each<[string, object]>([
    ["parameters of the path that are none", { parameters: times(10_000, () => 1) }],
    ["parameters of the operation that say nothing", { get: { parameters: times(10_000, () => ({})) } }],
    ["tags that are no text", { get: { tags: times(10_000, () => 1) } }],
    ["methods that can't be sent", { additionalOperations: Object.fromEntries(times(10_000, (at) => [`m${at}`, {}])) }],
    ["an id of blanks", { get: { operationId: " ".repeat(1_000_000) } }],
    [
      "a parameter with many contents",
      { get: { parameters: [{ name: "q", in: "query", content: Object.fromEntries(times(10_000, (at) => [`text/t${at}`, {}])) }] } },
    ],
    [
      "a schema with many extensions",
      { get: { parameters: [{ name: "q", in: "query", schema: Object.fromEntries(times(10_000, (at) => [`x-t${at}`, 1])) }] } },
    ],
    ["a long name of a parameter that the path lacks", { get: { parameters: [{ name: "d".repeat(1_000_000), in: "path" }] } }],
    ["a long remote reference", { get: { parameters: [{ name: "q", in: "query", schema: { $ref: `https:${"d".repeat(1_000_000)}` } }] } }],
  ])("for work that many paths share and that leaves no trace: %s", async (_what, P) => {
    const document = documentOf(
      pathsOf(500, () => shared),
      { pathItems: { P } },
    );
    await expect(indexOf(document)).rejects.toMatchObject(refusal(tooManyReferences));
  });

  it("for security that every operation repeats", async () => {
    const security = times(1_000, () => ({}));
    const document = documentOf(
      pathsOf(1_000, () => ({ get: {} })),
      {},
      { security },
    );
    await expect(indexOf(document)).rejects.toThrow(tooManyReferences);
  });
});

describe("SEC-05 G10: a document whose index would be too long is refused", () => {
  it.each([
    [
      "some paths that share one long item",
      pathsOf(400, () => shared),
      { pathItems: { P: { get: { description: "d".repeat(100_000) } } } },
    ],
    [
      "long ids of operations that can't be called",
      pathsOf(400, () => shared),
      { pathItems: { P: { get: { operationId: "d".repeat(100_000), parameters: [{ $ref: "https://elsewhere.test" }] } } } },
    ],
    [
      "one long security scheme under many names",
      {},
      {
        securitySchemes: {
          S: { type: "apiKey", in: "header", name: "d".repeat(100_000) },
          ...Object.fromEntries(times(400, (at) => [`s${at}`, { $ref: "#/components/securitySchemes/S" }])),
        },
      },
    ],
  ])("for %s", async (_what, paths, components) => {
    await expect(indexOf(documentOf(paths, components))).rejects.toMatchObject(refusal(tooManyBytes));
  });
});

describe("a document is read", () => {
  it("SEC-05: with a schema that holds itself, at every place and by every path to it", async () => {
    const A = {
      properties: { a: { $ref: "#/components/schemas/A/properties/a" }, b: { $ref: "#/components/schemas/A/properties/b/properties/b" } },
    };
    const index = await indexOf(
      documentOf({ "/a": { post: { operationId: "a", requestBody: bodyOf({ $ref: "#/components/schemas/A" }) } } }, { schemas: { A } }),
    );
    const { definitions } = await index.describe(index.find("a"));
    expect(Object.keys(definitions).length).toBeLessThan(5);
  });

  it("SEC-05: with a pointer that is long and leads nowhere looked at once, however many references lead to it", async () => {
    const P = { $ref: `#${"/a".repeat(100_000)}` };
    const before = process.cpuUsage();
    const index = await indexOf(
      documentOf(
        pathsOf(2_000, () => shared),
        { pathItems: { P } },
      ),
    );
    expect(index.operations).toEqual([]);
    // Processor time, since a clock tells about the other programs of a busy machine too; to look each time would take minutes.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(10_000);
  });

  it("G10: without what is longer in itself than an operation may be, which is said where it is used", async () => {
    const description = "d".repeat(gatewayLimits.maxOperationBytes + 1);
    const ref = (name: string) => bodyOf({ $ref: `#/components/schemas/${name}` });
    const index = await indexOf(
      documentOf(
        { "/long": { get: { operationId: "long", description } }, "/a": { post: { operationId: "a", requestBody: ref("Long") } } },
        { schemas: { Long: { description } } },
      ),
    );
    const tooLong = `it has more than ${gatewayLimits.maxOperationBytes} bytes`;
    await expect(index.describe(index.find("long"))).rejects.toMatchObject(refusal(`long can't be called by its id: ${tooLong}`));
    expect((await index.describe(index.find("a"))).definitions).toEqual({ Long: { $comment: `left out: ${tooLong}` } });
  });

  it("without paths that are too long to be called", async () => {
    const long = `/${"{a}".repeat(gatewayLimits.maxParameterBytes)}`;
    expect((await indexOf(documentOf({ [long]: { get: {} }, "/a": { get: {} } }))).operations.map(({ path }) => path)).toEqual(["/a"]);
  });

  it("SEC-05: of Swagger 2, with as many media types for all operations as an API may have and no more", async () => {
    const parameters = [{ in: "body", name: "b", schema: { type: "object" } }];
    const consumes = times(2_000, (at) => `text/t${at}`);
    const paths = pathsOf(500, (at) => ({ post: { operationId: `p${at}`, parameters, ...(at === 0 && { consumes }) } }));
    const index = await indexOf(JSON.stringify({ swagger: "2.0", info: {}, consumes, paths }));
    for (const id of ["p0", "p499"]) {
      const { requestBody } = await index.describe(index.find(id));
      expect(requestBody?.media.map(({ contentType }) => contentType)).toEqual(consumes.slice(0, 8));
    }
  });
});
