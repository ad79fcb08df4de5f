// The core as its doors use it: configuration and document lazily, reload, outcomes and their forms.

import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gatewayLimits } from "../src/limits.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createCallCore } from "../src/create-call-core.ts";
import { toBatchLine, toCallJson } from "../src/execute/outcome.ts";
import { answer } from "../../../test/kit/api-stub.ts";
import { canary, connectionKinds, coreOf as pooledCoreOf, freshHome, rawStubOf, stubOf } from "./core-fixture.ts";
import { until } from "../../../test/kit/until.ts";

function writeConfig(home: string, content: unknown): void {
  mkdirSync(join(home, ".config", "igw"), { recursive: true });
  writeFileSync(join(home, ".config", "igw", "config.json"), typeof content === "string" ? content : JSON.stringify(content));
}

describe.each(connectionKinds)("codes, with $kind", ({ coreOf }) => {
  it.each([
    [200, true, 0, undefined],
    [204, true, 0, undefined],
    [304, false, 7, "http 304"],
    [400, false, 7, "http 400"],
    [401, false, 6, "http 401: token missing or invalid"],
    [403, false, 6, "http 403: token authenticated but lacks permissions or requires secure connections"],
    [404, false, 7, "http 404"],
    [500, false, 7, "http 500"],
  ])("R87 R88 status %d: ok %s, code %d", async (status, ok, code, error) => {
    const stub = await stubOf((_request, response) => answer(response, status, status === 204 || status === 304 ? "" : "body"));
    const outcome = await coreOf(stub.url).call({ path: "/x" });
    expect(outcome).toMatchObject({ ok, code, status, response: { status } });
    expect(outcome.error).toBe(error);
    if (status >= 400) expect(outcome.response?.body).toBe("body");
  });

  it("R87 what is missing or wrong before a request is code 2, and nothing is sent", async () => {
    const noAddress = await coreOf(undefined).call({ path: "/x" });
    expect(noAddress).toMatchObject({ ok: false, code: 2, errorInfo: { kind: "config" } });
    expect(noAddress.error).toContain("--gateway-url");
    const stub = await stubOf();
    for (const item of [{}, { method: "POST", path: "/x" }, { path: "/x", timeout: "8" }, { path: "http://127.0.0.2/x" }]) {
      expect(await coreOf(stub.url).call(item)).toMatchObject({ ok: false, code: 2, errorInfo: { kind: "usage" } });
    }
    expect(stub.requests.length).toBe(0);
  });
});

describe("durations", () => {
  it("an empty text means the default, as hosts of igw send it", async () => {
    const stub = await stubOf();
    expect(await pooledCoreOf(stub.url).call({ path: "/x", timeout: " ", retryBackoff: "" })).toMatchObject({ ok: true });
  });
});

describe("reload", () => {
  it("R94 the old token is used until the reload, the new one after it", async () => {
    const stub = await stubOf();
    const home = freshHome();
    writeConfig(home, { gatewayURL: stub.url, token: "first-token" });
    const core = pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home } });
    await core.call({ path: "/1" });
    writeConfig(home, { gatewayURL: stub.url, token: "second-token" });
    await core.call({ path: "/2" });
    await core.reload();
    await core.call({ path: "/3" });
    const tokens = stub.requests.map(({ headers }) => headers["x-ignition-api-token"]);
    expect(tokens).toEqual(["first-token", "first-token", "second-token"]);
  });

  it("R94 a token file is read again", async () => {
    const stub = await stubOf();
    const home = freshHome();
    const apiKeyFile = join(home, "token");
    writeFileSync(apiKeyFile, "  first-token\n");
    const core = pooledCoreOf(stub.url, { apiKey: undefined, apiKeyFile, env: { HOME: home } });
    await core.call({ path: "/1" });
    writeFileSync(apiKeyFile, "second-token\n");
    await core.reload();
    await core.call({ path: "/2" });
    expect(stub.requests.map(({ headers }) => headers["x-ignition-api-token"])).toEqual(["first-token", "second-token"]);
  });

  it("RPC-14: a broken configuration is refused while 50 calls run; they and later ones keep the old one", async () => {
    const waiting: (() => void)[] = [];
    const stub = await stubOf((_request, response) => void waiting.push(() => answer(response, 200, "x")));
    const home = freshHome();
    writeConfig(home, { gatewayURL: stub.url, token: "first-token" });
    const core = pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home }, timeoutMs: 30_000 });
    const calls = Array.from({ length: 50 }, (_value, index) => core.call({ path: `/${index}` }));
    await until(() => stub.requests.length === 50);
    writeConfig(home, '{"token":"secret-and-broken');
    await expect(core.reload()).rejects.toThrow(/config\.json: is not JSON/);
    for (const release of waiting) release();
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
    stub.handle((_request, response) => answer(response, 200, "x"));
    expect(await core.call({ path: "/later" })).toMatchObject({ ok: true });
    expect(stub.requests.at(-1)?.headers["x-ignition-api-token"]).toBe("first-token");
  });

  it("RPC-14: running calls end with the token they began with, also a second try after a reload", async () => {
    const home = freshHome();
    const stub = await stubOf((request, response) =>
      answer(response, request.target === "/slow" && stub.requests.length === 1 ? 503 : 200, "x"),
    );
    writeConfig(home, { gatewayURL: stub.url, token: "first-token" });
    const core = pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home } });
    const running = core.call({ path: "/slow", retry: 1, retryBackoff: "300ms" });
    await until(() => stub.requests.length === 1);
    writeConfig(home, { gatewayURL: stub.url, token: "second-token" });
    await core.reload();
    expect((await running).ok).toBe(true);
    expect(stub.requests.map(({ headers }) => headers["x-ignition-api-token"])).toEqual(["first-token", "first-token"]);
  });

  it("reads the document anew if it was in use, and keeps the old one if the new one is broken", async () => {
    const stub = await stubOf();
    const home = freshHome();
    const specFile = join(home, "spec.json");
    const write = (operationId: string): void =>
      writeFileSync(
        specFile,
        JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { [`/${operationId}`]: { get: { operationId } } } }),
      );
    write("first");
    const core = pooledCoreOf(stub.url, { specFile, env: { HOME: home } });
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true, request: { url: `${stub.url}/first` } });
    write("second");
    await core.reload();
    expect(await core.call({ op: "second" })).toMatchObject({ ok: true });
    writeFileSync(specFile, "{ broken");
    await expect(core.reload()).rejects.toThrow("spec.json");
    expect(await core.call({ path: "/still" })).toMatchObject({ ok: true });
  });
});

describe("the servers of a document", () => {
  it("SEC-01 are not used: the call and its token go to the configured address, also where an operation names another", async () => {
    const stub = await stubOf();
    const elsewhere = await stubOf();
    const specFile = join(freshHome(), "spec.json");
    const servers = [{ url: elsewhere.url }];
    const paths = { "/a": { servers, get: { operationId: "a", servers } } };
    writeFileSync(specFile, JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, servers, paths }));
    expect(await pooledCoreOf(stub.url, { specFile }).call({ op: "a" })).toMatchObject({ ok: true, request: { url: `${stub.url}/a` } });
    expect([stub.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });
});

describe("reload of a document that the gateway serves", () => {
  const documentWith = (operationId: string): string =>
    JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { [`/${operationId}`]: { get: { operationId } } } });

  it("R94 fetches it again although the copy on disk is fresh; a broken one is refused, and the old one stays", async () => {
    let served = documentWith("first");
    const stub = await stubOf((request, response) => answer(response, 200, request.target === "/openapi" ? served : "body"));
    const core = pooledCoreOf(stub.url);
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true });
    served = documentWith("second");
    expect(await core.call({ op: "second" })).toMatchObject({ ok: false, code: 2 });
    await core.reload();
    expect(await core.call({ op: "second" })).toMatchObject({ ok: true });
    served = "{ broken";
    await expect(core.reload()).rejects.toThrow(/no OpenAPI document at/);
    expect(await core.call({ op: "second" })).toMatchObject({ ok: true });
  });

  it("R94 a reload before the first call makes that call ask; where the gateway has none by then, the copy serves, and stderr says so", async () => {
    let served = documentWith("first");
    const stub = await stubOf((request, response) => answer(response, 200, request.target === "/openapi" ? served : "body"));
    const env = { HOME: freshHome() };
    expect(await pooledCoreOf(stub.url, { env }).call({ op: "first" })).toMatchObject({ ok: true });
    served = documentWith("second");
    const later = pooledCoreOf(stub.url, { env });
    await later.reload();
    expect(await later.call({ op: "second" })).toMatchObject({ ok: true });
    served = "{\n[hawser] forged\n";
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const last = pooledCoreOf(stub.url, { env });
    await last.reload();
    expect(await last.call({ op: "second" })).toMatchObject({ ok: true });
    const said = log.mock.calls.map(([text]) => String(text));
    expect(said).toEqual([
      expect.stringMatching(/^\[hawser\] the API document can't be fetched: no OpenAPI document at .*; the copy of 2.*Z is used\n$/),
    ]);
  });
});

describe("authentication", () => {
  it("header and prefix come from the configuration", async () => {
    const stub = await stubOf();
    const home = freshHome();
    writeConfig(home, { gatewayURL: stub.url, token: "the-token", authHeader: "Authorization", authPrefix: "Bearer " });
    await pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home } }).call({ path: "/x" });
    expect(stub.requests[0]?.headers).toMatchObject({ authorization: "Bearer the-token" });
    expect(stub.requests[0]?.headers["x-ignition-api-token"]).toBeUndefined();
  });

  it.each([
    [{ type: "apiKey", in: "query", name: "key" }, "/x?key=the-token", undefined],
    [{ type: "apiKey", in: "cookie", name: "sid" }, "/x", "sid=the-token"],
  ])("a scheme of the document: %j", async (scheme, target, cookie) => {
    const stub = await stubOf();
    const home = freshHome();
    const components = { securitySchemes: { mine: scheme } };
    writeFileSync(
      join(home, "openapi.json"),
      JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {}, components }),
    );
    writeConfig(home, { gatewayURL: stub.url, token: "the-token", authScheme: "mine" });
    const outcome = await pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home }, cwd: home }).call({ path: "/x" });
    expect(outcome).toMatchObject({ ok: true, request: { url: `${stub.url}/x` } });
    expect([stub.requests[0]?.target, stub.requests[0]?.headers.cookie]).toEqual([target, cookie]);
  });
});

describe("what the doors print", () => {
  it("R93 the forms of call and batch", async () => {
    const stub = await stubOf((_request, response) => answer(response, 401, "who?"));
    const outcome = await pooledCoreOf(stub.url).call({ path: "/x" });
    const request = { method: "GET", url: `${stub.url}/x` };
    const response = { status: 401, body: "who?", bytes: 4 };
    const error = "http 401: token missing or invalid";
    const details = {
      status: 401,
      hint: "give a valid one: hawser config set --api-key-stdin, with --profile for that of a profile, or IGNITION_API_TOKEN",
      kind: "auth",
      retryable: false,
    };
    expect(toCallJson(outcome)).toEqual({ ok: false, code: 6, error, details, request, response });
    const { timingMs, stats, errorInfo } = outcome;
    expect(toBatchLine(outcome)).toEqual({
      ok: false,
      code: 6,
      status: 401,
      error,
      timingMs,
      request,
      response,
      stats,
      errorInfo,
    });
  });

  it("statistics have times of a connection only for the call that opened it, in whole milliseconds", async () => {
    const stub = await stubOf();
    const core = pooledCoreOf(stub.url, { maxConnections: 1 });
    const [first, second] = [await core.call({ path: "/1" }), await core.call({ path: "/2" })];
    expect(Object.keys(first.stats.http!)).toEqual(["totalMs", "connectMs", "requestWriteDoneMs", "firstByteMs", "bodyReadMs"]);
    expect(second.stats.http).not.toHaveProperty("connectMs");
    for (const time of Object.values(first.stats.http!)) expect(Number.isInteger(time)).toBe(true);
    expect([first.stats.version, first.stats.bodyBytes, stub.connections]).toEqual([1, 11, 1]);
  });
});

describe.each(connectionKinds)("the process around it, with $kind", ({ createName }) => {
  const program = (url: string): string => `
    import { createCallCore, ${createName} } from "@hawser/gateway/internal";
    const options = { gatewayUrl: ${JSON.stringify(url)}, apiKey: ${JSON.stringify(canary)}, env: { HOME: "/nonexistent" } };
    const core = createCallCore(options, ${createName});
    const outcome = await core.call({ path: "/x", timeout: "50s" });
    process.stdout.write(JSON.stringify(outcome));`;
  const here = fileURLToPath(new URL("..", import.meta.url));
  const run = (command: readonly string[], url: string) => {
    const node = [process.execPath, "--conditions=hawser-source", "--input-type=module", "-e", program(url)];
    const [file = "", ...args] = [...command, ...node];
    return spawnSync(file, args, { cwd: here, encoding: "utf8", timeout: 50_000 });
  };

  it("is not held open by idle connections", async () => {
    // A server that never ends a connection by itself.
    const stub = await rawStubOf((socket) => socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")));
    const counting = `const endedAt = performance.now(); process.on("exit", () => console.error(performance.now() - endedAt));`;
    const args = ["--conditions=hawser-source", "--input-type=module", "-e", program(stub.url) + counting];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: here });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    expect(Number(stderr)).toBeLessThan(gatewayLimits.httpIdleMs / 2);
  });

  it("RPC-18: without a network every call ends with a clear code 7", () => {
    const probe = spawnSync("unshare", ["-n", "true"]);
    const canUnshare = probe.status === 0;
    if (!canUnshare) console.log("RPC-18 runs without a network namespace: unshare -n is not allowed here");
    // TEST-NET addresses are routed nowhere; without the right to unshare, a closed loopback port stands in.
    const result = canUnshare ? run(["unshare", "-n"], "http://192.0.2.1:8088") : run([], "http://127.0.0.1:1");
    expect(JSON.parse(result.stdout)).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network" } });
    expect(result.status).toBe(0);
  });

  it("a core that was never used opens and reads nothing", async () => {
    const core = createCallCore({ env: { HOME: "/nonexistent" } });
    await expect(core.close()).resolves.toBeUndefined();
  });
});
