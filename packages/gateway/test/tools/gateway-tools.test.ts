// Operations as tools, through a real API: the demo's, and a document of 1,223 operations.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayLimits } from "../../src/limits.ts";
import type { Tool, ToolContext } from "@hawser/tools";
import type { GatewayOptions } from "../../src/call.ts";
import { startDemoApi, type DemoApi } from "../../src/demo/start-demo-api.ts";
import { gatewayTools } from "../../src/tools/gateway-tools.ts";
import { answer, startApiStub, type ApiStub } from "../../../../test/kit/api-stub.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-tools-"));
const env = { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
// Enough for a busy machine.
const timeoutMs = 60_000;
let demo: DemoApi;
let stub: ApiStub;
beforeAll(async () => {
  [demo, stub] = await Promise.all([startDemoApi(), startApiStub()]);
});
afterAll(async () => {
  await Promise.all([demo.stop(), stub.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const demoOptions = (): GatewayOptions => ({ gatewayUrl: demo.url, apiKey: demo.token, timeoutMs, env, cwd: folder });

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

const context = (signal = new AbortController().signal): ToolContext => ({ signal, progress() {}, log() {}, client: undefined });
const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);

function find(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (!found) throw new Error(`no tool ${name} in ${namesOf(tools).join(", ")}`);
  return found;
}

const run = async (tools: readonly Tool[], name: string, args: object, signal?: AbortSignal): Promise<Result> =>
  (await find(tools, name).run(args as never, context(signal))) as Result;

/** A document in a file, and options that lead to the stub with it. */
function documentOptions(name: string, document: object): GatewayOptions {
  const specFile = join(folder, `${name}.json`);
  writeFileSync(specFile, JSON.stringify({ openapi: "3.1.0", info: { title: name, version: "1" }, ...document }));
  return { gatewayUrl: stub.url, apiKey: "secret-canary-token", specFile, timeoutMs, env, cwd: folder };
}

describe("a small API", () => {
  it("becomes one tool per operation that reads; mutations only where they are allowed", async () => {
    const reading = ["fail", "gatewayInfo", "listLogs", "listTags", "readTag", "slow"];
    expect(namesOf(await gatewayTools(demoOptions())).sort()).toEqual(reading);
    const all = namesOf(await gatewayTools(demoOptions(), { allowMutations: true }));
    expect(all.sort()).toEqual([...reading, "scanProjects", "writeTag"].sort());
  });

  it("gives descriptions, schemas and hints", async () => {
    const tools = await gatewayTools(demoOptions(), { allowMutations: true });
    expect(find(tools, "listLogs")).toMatchObject({
      description: "Lists log entries, newest first\nGET /data/api/v1/logs",
      annotations: { title: "Lists log entries, newest first", readOnlyHint: true },
      input: {
        type: "object",
        additionalProperties: false,
        properties: { limit: { type: "integer", maximum: 100, description: "The most entries to return." }, text: { type: "string" } },
      },
    });
    expect(find(tools, "writeTag")).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      input: { required: ["name", "body"], properties: { body: { type: "object", required: ["value"] } } },
    });
    expect(find(tools, "scanProjects").annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  });

  it("calls: the body as text, and as structured content where it is an object", async () => {
    const tools = await gatewayTools(demoOptions(), { allowMutations: true });
    const written = await run(tools, "writeTag", { name: "Pump/Speed", body: { value: 900 } });
    expect(written).toEqual({
      content: [{ type: "text", text: '{"name":"Pump/Speed","value":900,"quality":"Good"}' }],
      structuredContent: { name: "Pump/Speed", value: 900, quality: "Good" },
    });
    expect((await run(tools, "readTag", { name: "Pump/Speed" })).structuredContent).toMatchObject({ value: 900 });
  });

  it("answers a failure with status, hint and what the API said; never throws", async () => {
    const tools = await gatewayTools({ ...demoOptions(), apiKey: "not-this-one", specFile: undefined });
    const denied = await run(tools, "gatewayInfo", {});
    expect(denied.isError).toBe(true);
    expect(denied.content[0]?.text).toMatch(/^http 401: .*\nhint: .*\nthe API answered: {"error":"the token is missing or wrong"}$/);
    const unknown = await run(tools, "readTag", { name: "x", other: 1 });
    expect(unknown).toEqual({ isError: true, content: [{ type: "text", text: 'there is no parameter "other"; there are: name' }] });
    expect((await run(tools, "readTag", {})).isError).toBe(true);
  });

  it("passes the signal on", async () => {
    const tools = await gatewayTools(demoOptions());
    const cancel = new AbortController();
    const running = run(tools, "slow", { ms: 30_000 }, cancel.signal);
    setTimeout(() => cancel.abort(), 50);
    expect(await running).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/cancelled/) as string }] });
  });

  it.each([
    [{ include: ["LISTlogs"] }, ["listLogs"]],
    [{ include: ["TAGS"] }, ["listTags", "readTag"]],
    [{ include: ["/data/api/v1/*"] }, ["fail", "gatewayInfo", "listLogs", "listTags", "slow"]],
    [{ include: ["/data/**"], exclude: ["diagnostics", "list*"] }, ["gatewayInfo", "readTag"]],
    [{ include: ["scan", "logs"] }, ["listLogs"]],
  ])("is selected by operation id, tag or path, without case: %j", async (selection, names) => {
    expect(namesOf(await gatewayTools(demoOptions(), selection)).sort()).toEqual(names);
  });

  it("refuses a pattern that names nothing, and a selection without a tool", async () => {
    await expect(gatewayTools(demoOptions(), { include: ["listLog"] })).rejects.toThrow('no operation has the id, tag or path "listLog"');
    await expect(gatewayTools(demoOptions(), { include: ["scan"] })).rejects.toThrow(/no operation is left of 8; allow mutations/);
  });
});

describe("odd documents", () => {
  const get = (operationId: string, more: object = {}): object => ({ get: { operationId, responses: {}, ...more } });

  it("names are valid and unique: at most 64 of letters, digits, _ and -", async () => {
    const ids = ["repos/list", "repos list", "Repos-List", "REPOS_LIST", `${"x".repeat(80)}1`, `${"x".repeat(80)}2`, "/", "日本"];
    const paths = Object.fromEntries(ids.map((id, at) => [`/p${at}`, get(id)]));
    const names = namesOf(await gatewayTools(documentOptions("names", { paths })));
    expect(names).toHaveLength(ids.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
  });

  it("SEC-01: security parameters and the token's header are neither shown nor taken", async () => {
    const parameters = [
      { name: "api_key", in: "query", schema: { type: "string" } },
      { name: "X-IGNITION-api-token", in: "header", schema: { type: "string" } },
      { name: "Authorization", in: "header", schema: { type: "string" } },
      { name: "session", in: "cookie", schema: { type: "string" } },
      { name: "api_key", in: "header", schema: { type: "string" } },
    ];
    const securitySchemes = {
      key: { type: "apiKey", in: "query", name: "api_key" },
      cookie: { type: "apiKey", in: "cookie", name: "session" },
    };
    const tools = await gatewayTools(
      documentOptions("security", { paths: { "/p": get("p", { parameters }) }, components: { securitySchemes } }),
    );
    expect(Object.keys((find(tools, "p").input as { properties: object }).properties)).toEqual(["api_key"]);
    stub.handle((_request, response) => answer(response, 200, { ok: true }));
    await run(tools, "p", { api_key: "mine" });
    expect(stub.requests.at(-1)).toMatchObject({
      target: "/p",
      headers: { api_key: "mine", "x-ignition-api-token": "secret-canary-token" },
    });
    expect(await run(tools, "p", { session: "x" })).toMatchObject({ isError: true });
    expect(JSON.stringify(tools)).not.toMatch(/canary|session|Authorization/i);
  });

  it("property names are those that models' APIs take, and lead back to the parameters", async () => {
    const parameters = [
      { name: "filter[name]", in: "query", schema: { type: "string" } },
      { name: "id", in: "query", schema: { type: "string" } },
      { name: "id", in: "path", required: true, schema: { type: "string" } },
      { name: "body", in: "query", schema: { type: "string" } },
    ];
    const tools = await gatewayTools(documentOptions("properties", { paths: { "/p/{id}": get("p", { parameters }) } }));
    const { properties, required } = find(tools, "p").input as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(["filter_name_", "id", "id_2", "body_parameter"]);
    expect(required).toEqual(["id_2"]);
    await run(tools, "p", { filter_name_: "a", id: "q", id_2: "p", body_parameter: "b" });
    expect(stub.requests.at(-1)?.target).toBe("/p/p?filter%5Bname%5D=a&id=q&body=b");
  });

  it("a body schema that is too long is left out and said in words; references stay whole", async () => {
    const long = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`property${at}`, { type: "string" }])),
    };
    const operation = {
      post: {
        operationId: "p",
        responses: {},
        parameters: [{ name: "level", in: "query", schema: { $ref: "#/components/schemas/Level" } }],
        requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Long" } } } },
      },
    };
    const components = { schemas: { Long: long, Level: { type: "string", enum: ["A"] } } };
    const tools = await gatewayTools(documentOptions("long", { paths: { "/p": operation }, components }), { allowMutations: true });
    const { input } = find(tools, "p");
    expect(JSON.stringify(input).length).toBeLessThan(gatewayLimits.maxToolSchemaChars);
    expect(JSON.stringify(input)).toContain("its schema is too long to be shown");
    expect(JSON.stringify(input)).toContain('"enum":["A"]');
  });

  it("an operation without an id, or with that of another one, is left out: a call by id could not mean it", async () => {
    const paths = { "/one": get("one"), "/a": get("twice"), "/b": get("twice"), "/none": { get: {} } };
    expect(namesOf(await gatewayTools(documentOptions("shared", { paths })))).toEqual(["one"]);
  });

  it("an operation that can't be built from the document is left out, and the others stay", async () => {
    const parameters = [{ $ref: "https://elsewhere.example/parameters.json#/a" }];
    const paths = { "/good": get("good"), "/bad": get("bad", { parameters }) };
    expect(namesOf(await gatewayTools(documentOptions("remote", { paths })))).toEqual(["good"]);
  });

  it("an answer that is no text, or was cut, says so", async () => {
    const tools = await gatewayTools({ ...documentOptions("answers", { paths: { "/p": get("p") } }), maxBodyBytes: 10 });
    stub.handle((_request, response) => answer(response, 200, Buffer.from([0xff, 0xfe, 0x00]), { "content-type": "image/png" }));
    expect((await run(tools, "p", {})).content[0]?.text).toBe("[base64 of bytes that are not text]\n//4A");
    stub.handle((_request, response) => answer(response, 200, { long: "0123456789" }));
    const cut = await run(tools, "p", {});
    expect(cut.content[0]?.text).toMatch(/\[cut off after 10 bytes; ask for less\]$/);
    expect(cut.structuredContent).toBeUndefined();
    stub.handle((_request, response) => void response.writeHead(204).end());
    expect((await run(tools, "p", {})).content[0]?.text).toBe("status 204, no body");
  });
});

describe("a large API", () => {
  const octokit = createRequire(import.meta.url).resolve("@octokit/openapi/package.json");
  const specFile = join(dirname(octokit), "generated", "api.github.com.json");
  const large = (): GatewayOptions => ({ gatewayUrl: stub.url, apiKey: "secret-canary-token", specFile, timeoutMs, env, cwd: folder });
  let tools: Tool[];
  let mutating: Tool[];
  beforeAll(async () => {
    tools = await gatewayTools(large());
    mutating = await gatewayTools(large(), { allowMutations: true });
  });

  it("of 1,223 operations costs a model under 2,000 tokens, as three tools", () => {
    expect(namesOf(mutating)).toEqual(["search_operations", "describe_operation", "call_operation"]);
    expect(find(mutating, "search_operations").description).toContain("(1223 operations)");
    const shown = mutating.map(({ name, description, input, annotations }) => ({ name, description, inputSchema: input, annotations }));
    expect(JSON.stringify(shown).length / 4).toBeLessThan(2_000);
  });

  it("is searched by words, up to a limit", async () => {
    const found = (await run(tools, "search_operations", { query: "issues list repo", limit: 3 })) as unknown as Record<string, unknown[]>;
    expect(found["operations"]).toHaveLength(3);
    expect(found).toMatchObject({ shown: 3 });
    const everything = (await run(tools, "search_operations", { query: "", limit: 1_000 })) as unknown as Record<string, unknown[]>;
    expect(everything["operations"]).toHaveLength(gatewayLimits.maxFoundEntries);
  });

  it("describes and calls what was found, matched without case", async () => {
    const described = await run(tools, "describe_operation", { operationId: "ISSUES/get" });
    expect(described).toMatchObject({ operationId: "issues/get", arguments: { required: ["owner", "repo", "issue_number"] } });
    stub.handle((_request, response) => answer(response, 200, { number: 7 }));
    const result = await run(tools, "call_operation", { operationId: "Issues/Get", arguments: { owner: "a", repo: "b", issue_number: 7 } });
    expect(result.structuredContent).toEqual({ number: 7 });
    expect(stub.requests.at(-1)?.target).toBe("/repos/a/b/issues/7");
  });

  it("H30: refuses mutations unless they are allowed, before anything is sent", async () => {
    const before = stub.requests.length;
    const args = { operationId: "issues/create", arguments: { owner: "a", repo: "b", body: { title: "t" } } };
    const refused = await run(tools, "call_operation", args);
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: 'operation "issues/create" is not offered; search_operations finds what is' }],
    });
    expect(stub.requests).toHaveLength(before);
    expect(await run(mutating, "call_operation", args)).not.toHaveProperty("isError");
    expect(stub.requests.at(-1)).toMatchObject({ method: "POST", target: "/repos/a/b/issues" });
    expect(find(tools, "call_operation").annotations?.readOnlyHint).toBe(true);
    expect(find(mutating, "call_operation").annotations?.readOnlyHint).toBe(false);
  });

  it("is one tool per operation again where a selection makes it small", async () => {
    const selected = await gatewayTools(large(), { include: ["licenses"] });
    expect(selected.length).toBeLessThanOrEqual(gatewayLimits.maxToolEntries);
    expect(namesOf(selected)).toContain("licenses_get");
  });
});
