// `api` through the real program: what the document holds, as text and as JSON.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoApi, type DemoApi } from "@hawser/gateway";
import { makePlace, runIn, runJson, type Place } from "./gateway-stage.ts";

let demo: DemoApi;
let place: Place;
beforeAll(async () => {
  demo = await startDemoApi({ token: "demo-token" });
  place = makePlace(demo);
});
afterAll(() => demo.stop());

interface Listing {
  readonly ok?: boolean;
  readonly code?: number;
  readonly error?: string;
  readonly count: number;
  readonly operations: readonly Record<string, unknown>[];
}

const logs = {
  method: "GET",
  path: "/data/api/v1/logs",
  operationId: "listLogs",
  summary: "Lists log entries, newest first",
  tags: ["logs"],
};

describe.concurrent("api", () => {
  it("list gives each operation as {method, path, operationId, summary, tags}", async () => {
    const { value } = await runJson<Listing>(place, ["api", "list"]);
    expect(value.count).toBe(8);
    expect(value.operations).toContainEqual(logs);
    const text = await runIn(place, ["api", "list", "--path-contains", "LOGS", "--method", "get"]);
    expect(text.stdout).toBe("METHOD\tPATH\tOPERATION_ID\tSUMMARY\nGET\t/data/api/v1/logs\tlistLogs\tLists log entries, newest first\n");
  });

  it("show takes the path as an option or alone, and tells the parameters", async () => {
    const { value } = await runJson<Listing>(place, ["api", "show", "--path", " /data/api/v1/logs "]);
    expect(value).toMatchObject({ count: 1, operations: [logs] });
    const { stdout } = await runIn(place, ["api", "show", "/data/api/v1/tags/{name}", "--method", "put"]);
    expect(stdout).toMatch(/^method\tPUT\npath\t\/data\/api\/v1\/tags\/{name}\noperation_id\twriteTag\n/);
    expect(stdout).toMatch(/\nparameter\tname\tpath\trequired\t/);
    expect(stdout).toMatch(/\nbody\tapplication\/json\trequired\tobject\nfield\tvalue\trequired\tany value\n/);
  });

  it("show prints types, allowed values and the members of a body, also of nested ones", async () => {
    const { stdout } = await runIn(place, ["api", "show", "listLogs"]);
    expect(stdout).toContain("\nparameter\tlimit\tquery\toptional\tinteger, 1 to 100, default 20\tThe most entries to return.\n");
    expect(stdout).toContain("\nparameter\tlevel\tquery\toptional\tone of DEBUG, INFO, WARN, ERROR\tOnly entries of this level.\n");
    const address = { type: "object", required: ["city"], properties: { city: { type: "string", minLength: 1 } } };
    const properties = {
      name: { type: ["string", "null"], maxLength: 9, description: "Of the pet.\nAnd more." },
      homes: { type: "array", items: { $ref: "#/components/schemas/Address" } },
    };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } };
    const document = {
      openapi: "3.2.0",
      info: { title: "t", version: "1" },
      paths: { "/pets": { post: { operationId: "addPet", requestBody: { content }, responses: {} } } },
      components: {
        schemas: {
          Address: address,
          Pet: {
            allOf: [
              { type: "object", properties },
              { required: ["name"], type: "object" },
            ],
          },
        },
      },
    };
    const specFile = join(place.folder, "pets.json");
    writeFileSync(specFile, JSON.stringify(document));
    const pets = await runIn(place, ["api", "show", "addPet", "--spec-file", specFile]);
    expect(pets.stdout.split("\n").slice(-5)).toEqual([
      "body\tapplication/json\toptional\tobject",
      "field\tname\trequired\tstring or null, at most 9 characters\tOf the pet.",
      "field\thomes\toptional\tarray of object",
      "field\thomes[].city\trequired\tstring, at least 1 characters",
      "",
    ]);
  });

  it("show takes an operation id too; a wrong id or path is answered with near names and how to find others", async () => {
    expect((await runIn(place, ["api", "show", "LISTLOGS"])).stdout).toMatch(/^method\tGET\npath\t\/data\/api\/v1\/logs\n/);
    const hint = "npx hawser api search <words> finds operations";
    for (const [name, error] of [
      ["listLog", 'operationId "listLog" not found; did you mean listLogs?'],
      ["nosuch", 'operationId "nosuch" not found'],
      ["/nope", 'no API operation found for path "/nope"'],
    ] as const) {
      const { code, value } = await runJson<Listing>(place, ["api", "show", name]);
      expect([code, value]).toEqual([2, { ok: false, code: 2, error, details: { hint } }]);
    }
  });

  it("search finds by words, given as an option or alone", async () => {
    const { value } = await runJson<Listing & { query: string }>(place, ["api", "search", "--query", "log"]);
    expect([value.query, value.count, value.operations[0]]).toEqual(["log", 1, logs]);
    expect((await runIn(place, ["api", "search", "scan"])).stdout).toContain("scanProjects");
  });

  it.each([
    [["api", "list", "--path-contains", "zzz"], 'no API operation found whose path holds "zzz"'],
    [["api", "list", "--method", "DELETE"], "no API operation found"],
    [["api", "search", "zzz"], 'no API operation found for "zzz"'],
    [["api", "show"], "say which operations to show, by path or id: npx hawser api show listTags"],
    [["api", "search"], "say what to search for: npx hawser api search tag"],
    [["api", "search", "a", "--query", "b"], "give the query once: --query or one argument"],
    [["api", "list", "--bogus"], "unknown option '--bogus'"],
    [["api", "nope"], "unknown command 'nope'"],
    [["api", "list", "--spec-file", "/no/such.json"], "OpenAPI document /no/such.json not found; name another with --spec-file"],
  ])("nothing found and mistakes exit 2, with --json {ok:false, code:2, error}: %j", async (args, error) => {
    const { code, value } = await runJson<Listing>(place, args);
    expect([code, value]).toEqual([2, { ok: false, code: 2, error }]);
    const plain = await runIn(place, args);
    expect([plain.code, plain.stdout]).toEqual([2, ""]);
    expect(plain.stderr.startsWith(`hawser: ${error}`)).toBe(true);
  });

  it("tags and stats", async () => {
    const tags = await runJson<{ count: number; tags: string[] }>(place, ["api", "tags"]);
    expect(tags.value).toEqual({ count: 5, tags: ["diagnostics", "gateway", "logs", "scan", "tags"] });
    const stats = await runJson<{ total: number; methods: unknown[] }>(place, ["api", "stats"]);
    expect(stats.value).toMatchObject({ total: 8, methods: [{ name: "GET", count: 6 }, {}, {}], tags: expect.any(Array) as unknown[] });
    expect((await runIn(place, ["api", "stats"])).stdout).toMatch(/^total\t8\nMETHOD\tCOUNT\nGET\t6\n/);
  });

  it("sync fetches the document and keeps it; the second time nothing has changed", async () => {
    const own = makePlace(demo);
    const isolated = { ...own, env: { ...own.env, XDG_CACHE_HOME: own.folder } };
    const first = await runJson<Record<string, unknown>>(isolated, ["api", "sync"]);
    expect(first.value).toMatchObject({
      ok: true,
      sourceURL: `${demo.url}/openapi`,
      operationCount: 8,
      changed: true,
      attemptedPaths: ["/openapi"],
    });
    expect(readFileSync(String(first.value["specPath"]), "utf8")).not.toContain("demo-token");
    expect((await runJson<Record<string, unknown>>(isolated, ["api", "sync"])).value).toMatchObject({ changed: false });
    expect((await runIn({ ...isolated, env: { ...isolated.env, IGNITION_GATEWAY_URL: "http://127.0.0.1:1" } }, ["api", "sync"])).code).toBe(
      7,
    );
  });

  it.each([["list"], ["sync"], ["validate"]])("%s --timing says on stderr how long it took, with --json in the object", async (part) => {
    expect((await runIn(place, ["api", part, "--timing"])).stderr).toMatch(/^timing\telapsedMs=\d+(?:\tcount=8)?\n$/);
    const { value } = await runJson<{ stats: { elapsedMs: unknown } }>(place, ["api", part, "--timing"]);
    expect(value.stats.elapsedMs).toEqual(expect.any(Number));
  });

  it("validate says whether a document follows the specification", async () => {
    expect((await runIn(place, ["api", "validate"])).stdout).toMatch(/^valid\t/);
    const file = join(place.folder, "broken.yaml");
    writeFileSync(file, "openapi: 3.0.0\ninfo: {title: t}\npaths: {}\n");
    const { code, value } = await runJson<{ ok: boolean; errors: string[] }>(place, ["api", "validate", file]);
    expect([code, value.ok]).toEqual([1, false]);
    expect(value.errors.join()).toMatch(/version/);
  });

  it("a document in a file needs no gateway", async () => {
    const own = makePlace();
    writeFileSync(
      join(own.folder, "a.yaml"),
      "swagger: '2.0'\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {}}}}\n",
    );
    const { code, stdout } = await runIn(own, ["api", "list", "--spec-file", join(own.folder, "a.yaml")]);
    expect([code, stdout]).toEqual([0, "METHOD\tPATH\tOPERATION_ID\tSUMMARY\nGET\t/a\ta\t\n"]);
  });
});
