// What OpenAPI 3.2 adds: further methods, the whole query as a parameter, cookies as they are, media types by reference.

import { describe, expect, it } from "vitest";
import { validateDocument } from "../../src/internal.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { coreOf, freshHome, stubOf } from "../core-fixture.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadIndex } from "../../src/document/load-index.ts";
import { selectOperations } from "../../src/tools/gateway-tools.ts";

const json = (schema: object) => ({ content: { "application/json": { schema } } });

const document = {
  openapi: "3.2.0",
  $self: "https://api.example/openapi.json",
  info: { title: "t", version: "1" },
  paths: {
    "/pets": {
      query: { operationId: "queryPets", requestBody: json({ type: "object" }), responses: {} },
      additionalOperations: {
        COPY: { operationId: "copyPets", responses: {} },
        // Not a second way to say `get`, and nothing that could be sent.
        GET: { operationId: "shadow", responses: {} },
        CONNECT: { operationId: "tunnel", responses: {} },
        "BAD NAME": { operationId: "bad", responses: {} },
      },
    },
    "/search": {
      get: {
        operationId: "search",
        parameters: [
          {
            name: "filter",
            in: "querystring",
            required: true,
            content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
          },
          { name: "session", in: "cookie", style: "cookie", schema: { type: "string" } },
        ],
        responses: {},
      },
      post: {
        operationId: "save",
        requestBody: { content: { "application/json": { $ref: "#/components/mediaTypes/Pet" } } },
        responses: {},
      },
    },
  },
  components: { mediaTypes: { Pet: { schema: { type: "object", properties: { name: { type: "string" } } } } } },
};

async function stage() {
  const stub = await stubOf((_request, response) => answer(response, 200, "{}"));
  const home = freshHome();
  const specFile = join(home, "spec.json");
  writeFileSync(specFile, JSON.stringify(document));
  const env = { HOME: home };
  return { stub, core: coreOf(stub.url, { specFile, env }), index: await loadIndex({ specFile, env }) };
}

describe("OpenAPI 3.2", () => {
  it("QUERY and additional methods are operations; QUERY reads, and every other one needs yes", async () => {
    const { stub, core, index } = await stage();
    expect(index.operations.map(({ method, operationId }) => `${method} ${operationId}`)).toEqual([
      "COPY copyPets",
      "QUERY queryPets",
      "GET search",
      "POST save",
    ]);
    expect(await core.call({ op: "queryPets", body: { tag: "a" }, retry: 1 })).toMatchObject({ ok: true });
    expect(await core.call({ op: "copyPets" })).toMatchObject({ code: 2, error: "method COPY requires --yes confirmation" });
    expect(await core.call({ op: "copyPets", yes: true })).toMatchObject({ ok: true });
    expect(stub.requests.map(({ method, body }) => [method, body.toString()])).toEqual([
      ["QUERY", '{"tag":"a"}'],
      ["COPY", ""],
    ]);
    // Tools for a model go by the same rule.
    expect(selectOperations(index.operations, {}).map(({ operationId }) => operationId)).toEqual(["queryPets", "search"]);
  });

  it("the whole query is one parameter, a cookie goes as it is, and a media type may be a reference", async () => {
    const { stub, core, index } = await stage();
    const call = { op: "search", params: { filter: { name: "a b", tags: ["x", "y"] }, session: "a=b" } };
    expect(await core.call(call)).toMatchObject({ ok: true });
    expect(await core.call({ op: "search", params: { filter: "?raw=1&b=2" } })).toMatchObject({ ok: true });
    expect(stub.requests.map(({ target, headers }) => [target, headers.cookie])).toEqual([
      ["/search?name=a%20b&tags=%5B%22x%22%2C%22y%22%5D", "session=a=b"],
      ["/search?raw=1&b=2", undefined],
    ]);
    expect(await core.call({ op: "search" })).toMatchObject({ code: 2, error: expect.stringContaining("filter (querystring)") as string });
    expect(await core.call({ ...call, params: { ...call.params, session: "a; other=1" } })).toMatchObject({ code: 2 });
    const { requestBody } = await index.describe(index.find("save"));
    expect(requestBody?.media).toMatchObject([{ schema: { properties: { name: { type: "string" } } } }]);
  });

  it("can be used but not validated, which is said instead of calling it invalid", async () => {
    await expect(validateDocument(JSON.stringify(document), "spec.json")).rejects.toThrow(
      "spec.json is an OpenAPI 3.2 document: it can be used, but only versions up to 3.1 can be validated so far",
    );
  });
});
