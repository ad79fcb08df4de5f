// `call` through the real program: what is sent, what is printed, and how it ends.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoApi, type DemoApi } from "@hawser/gateway";
import { answer, closedPort, startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { hawser, makePlace, runIn, runJson, startIn } from "./gateway-stage.ts";

const info = "/data/api/v1/gateway-info";
let demo: DemoApi;
let stub: ApiStub;
beforeAll(async () => {
  demo = await startDemoApi({ token: "demo-token" });
  stub = await startApiStub((request, response) =>
    answer(response, 200, {
      method: request.method,
      target: request.target,
      type: request.headers["content-type"],
      extra: request.headers["x-extra"],
      body: request.body.toString("utf8"),
    }),
  );
});
afterAll(() => Promise.all([demo.stop(), stub.close()]));

/** What reached the API. */
async function sent(args: readonly string[], input?: string | Buffer): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runIn(makePlace(stub), ["call", ...args], { input: input ?? "" });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.concurrent("what is sent", () => {
  it("R93, as in igw: method and path are trimmed, and the method is GET unless given", async () => {
    expect(await sent(["--path", ` ${info} `])).toMatchObject({ method: "GET", target: info });
    expect(await sent(["--method", " post ", "--path", "/x", "--yes"])).toMatchObject({ method: "POST" });
  });

  it("as in igw: a body without content type is application/json", async () => {
    expect(await sent(["--method", "PUT", "--path", "/x", "--yes", "--body", "{}"])).toMatchObject({
      type: "application/json",
      body: "{}",
    });
    const typed = ["--method", "PUT", "--path", "/x", "--yes", "--body", "a", "--content-type", "text/plain"];
    expect(await sent(typed)).toMatchObject({ type: "text/plain", body: "a" });
  });

  it("as in igw: --dry-run sends the request with dryRun=true in the query, and says that it asks the API", async () => {
    const call = ["call", "--path", "/x?a=1", "--query", "b=2 3", "--dry-run"];
    const { stdout, stderr } = await runIn(makePlace(stub), call);
    expect(JSON.parse(stdout)).toMatchObject({ target: "/x?a=1&b=2%203&dryRun=true" });
    expect(stderr).toBe("note: --dry-run asked the API: the request was sent, with dryRun=true; --print-request sends nothing\n");
    expect((await runJson(makePlace(stub), call)).stderr).toBe("");
  });

  it("headers, and bodies from a file and from stdin, bytes included", async () => {
    const { folder } = makePlace();
    writeFileSync(join(folder, "body.txt"), "from a file");
    const put = ["--method", "PUT", "--path", "/x", "--yes", "--header", "X-Extra: value"];
    expect(await sent([...put, "--body", `@${join(folder, "body.txt")}`])).toMatchObject({ body: "from a file", extra: "value" });
    expect(await sent([...put, "--body", "-"], "from stdin")).toMatchObject({ body: "from stdin" });
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    await sent([...put, "--path", "/bytes", "--body", "-"], bytes);
    expect(stub.requests.find(({ target }) => target === "/bytes")?.body).toEqual(bytes);
  });

  it("forms, as fields and with files", async () => {
    const { folder } = makePlace();
    writeFileSync(join(folder, "a.bin"), Buffer.from([0xff]));
    const post = ["--method", "POST", "--path", "/form", "--yes", "--form"];
    expect(await sent([...post, "a=1", "--form", "b=x y", "--form", "b=z"])).toMatchObject({
      type: "application/x-www-form-urlencoded",
      body: "a=1&b=x+y&b=z",
    });
    const multipart = await sent([...post, "a=1", "--form", `file=@${join(folder, "a.bin")}`]);
    expect(multipart["type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(multipart["body"]).toContain('name="file"; filename="a.bin"');
  });

  it("as in igw: an operation id is trimmed and matched without case; parameters are JSON or text", async () => {
    const place = makePlace(demo);
    const { value } = await runJson(place, ["call", "--op", " LISTtags ", "--param", "prefix=Tank/", "--param", "limit=1"]);
    expect(value.request?.url).toBe(`${demo.url}/data/api/v1/tags?prefix=Tank%2F&limit=1`);
    const long = await runJson(place, ["call", "--op", "readTag", "--param", "name=12345678901234567890"]);
    expect(long.value.request?.url).toMatch(/12345678901234567890$/);
    const inList = ["call", "--op", "writeTag", "--param", "name=a", "--param", "value=[9007199254740993,1e400]", "--print-request"];
    expect((await runIn(place, inList)).stdout).toMatch(/\n{"value":\[9007199254740993,1e400\]}\n$/);
  });
});

describe.concurrent("what is printed", () => {
  it("the body as it is, on stdout, and nothing else", async () => {
    const ended = await runIn(makePlace(demo), ["call", "--path", "/data/api/v1/tags/Tank%2FLevel"]);
    expect(ended).toMatchObject({ code: 0, stdout: '{"name":"Tank/Level","value":62.5,"quality":"Good"}', stderr: "" });
  });

  it("--json gives {ok, request, response}; headers and stats only where they are asked for", async () => {
    const place = makePlace(demo);
    const url = `${demo.url}/data/api/v1/tags/Tank%2FLevel`;
    const body = '{"name":"Tank/Level","value":62.5,"quality":"Good"}';
    const { value } = await runJson(place, ["call", "--path", "/data/api/v1/tags/Tank%2FLevel"]);
    expect(value).toEqual({ ok: true, request: { method: "GET", url }, response: { status: 200, body, bytes: body.length } });
    const full = await runJson(place, ["call", "--path", info, "--include-headers", "--json-stats"]);
    expect(full.value.response?.headers?.["Content-Type"]).toEqual(["application/json"]);
    expect(full.value.stats).toMatchObject({
      version: 1,
      timingMs: expect.any(Number) as number,
      http: { totalMs: expect.any(Number) as number },
    });
  });

  it.each([
    [403, 6, "http 403: "],
    [404, 7, "http 404"],
    [500, 7, "http 500"],
  ])("R87 O7: %i exits %i, with status and the API's answer", async (status, code, error) => {
    const ended = await runJson(makePlace(demo), ["call", "--path", `/data/api/v1/fail?status=${status}`]);
    expect(ended.code).toBe(code);
    expect(ended.value).toMatchObject({
      ok: false,
      code,
      details: { status },
      response: { status, body: '{"error":"failed as you asked"}' },
    });
    expect(ended.value.error).toMatch(new RegExp(`^${error}`));
    const plain = await runIn(makePlace(demo), ["call", "--path", `/data/api/v1/fail?status=${status}`]);
    expect([plain.code, plain.stdout]).toEqual([code, ""]);
    expect(plain.stderr).toMatch(/^hawser: http .*\n{"error":"failed as you asked"}\n$/);
  });

  it("R87: a wrong token exits 6, a closed port and a timeout 7", async () => {
    const place = makePlace(demo);
    expect((await runJson(place, ["call", "--path", info, "--api-key", "not-this-one"])).value).toMatchObject({
      code: 6,
      details: { status: 401 },
    });
    const closed = ["call", "--path", "/", "--gateway-url", `http://127.0.0.1:${closedPort}`];
    expect((await runJson(place, closed)).value).toMatchObject({ ok: false, code: 7, details: { kind: "network" } });
    const slow = await runJson(place, ["call", "--op", "slow", "--param", "ms=20000", "--timeout", "200ms"]);
    expect([slow.code, slow.value]).toMatchObject([7, { code: 7, details: { timeout: true, hint: "give it more time: --timeout 30s" } }]);
  });

  it("--select, --raw and --compact", async () => {
    const place = makePlace(demo);
    const json = ["call", "--path", info, "--json"];
    expect((await runIn(place, [...json, "--select", "response.status", "--raw"])).stdout).toBe("200\n");
    const two = await runIn(place, [...json, "--select", "ok", "--select", "response.status", "--compact"]);
    expect(two.stdout).toBe('{"ok":true,"response.status":200}\n');
    const missing = await runJson(place, ["call", "--path", info, "--select", "nope"]);
    expect([missing.code, missing.value]).toMatchObject([
      2,
      { ok: false, code: 2, error: expect.stringMatching(/"nope" not found/) as string },
    ]);
  });

  it("--out writes the file whole, for its owner only, and leaves the old one when the call fails", async () => {
    const place = makePlace(demo);
    const out = join(place.folder, "out.json");
    const written = await runIn(place, ["call", "--path", info, "--out", out]);
    expect(written.stdout).toBe(`saved response body: ${out}\n`);
    const content = readFileSync(out, "utf8");
    expect(JSON.parse(content)).toMatchObject({ name: "demo" });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect((await runIn(place, ["call", "--path", "/data/api/v1/fail", "--out", out])).code).toBe(7);
    expect(readFileSync(out, "utf8")).toBe(content);
    expect(readdirSync(place.folder).filter((name) => name.includes(".part"))).toEqual([]);
    mkdirSync(join(place.folder, "folder"));
    expect((await runIn(place, ["call", "--path", info, "--out", join(place.folder, "folder")])).code).toBe(2);
  });

  it("a body that is cut is said to be, and the exit code is 7: --max-body, --json and a batch", async () => {
    const big = await startApiStub((_request, response) => answer(response, 200, "x".repeat(6_000_000)));
    const place = makePlace(big);
    const cut = await runIn(place, ["call", "--path", "/", "--max-body", "10"]);
    expect(cut).toMatchObject({ code: 7, stdout: "xxxxxxxxxx", stderr: expect.stringContaining("cut off after 10 bytes") });
    const { code, value, stderr } = await runJson(place, ["call", "--path", "/"]);
    expect(value).toMatchObject({ ok: true, response: { truncated: true, bytes: 4_194_304 } });
    expect([code, stderr]).toEqual([7, expect.stringContaining("cut off after 4194304 bytes")]);
    const batch = await runIn(place, ["call", "--batch", "-", "--max-body", "10"], { input: '{"path":"/"}\n{"path":"/"}\n' });
    expect(batch.stdout.match(/"ok":true,"code":0.*"truncated":true/g)).toHaveLength(2);
    expect([batch.code, batch.stderr]).toEqual([7, expect.stringContaining("2 bodies were cut off")]);
    await big.close();
  });

  it("--timing says on stderr how long it took", async () => {
    const { stderr } = await runIn(makePlace(demo), ["call", "--path", info, "--timing"]);
    expect(stderr).toMatch(/^timing\ttimingMs=\d+\ttotalMs=\d+.*\tbodyBytes=\d+\n$/);
  });
});

describe.concurrent("tokens", () => {
  it("SEC-01: come from a flag, a file, stdin and the environment, in this order, and are shown nowhere", async () => {
    const { env, folder } = makePlace(demo);
    const wrong = { folder, env: { ...env, IGNITION_API_TOKEN: "canary-environment" } };
    const file = join(folder, "token.txt");
    writeFileSync(file, "demo-token\n");
    expect((await runIn(wrong, ["call", "--path", info])).code).toBe(6);
    expect((await runIn(wrong, ["call", "--path", info, "--api-key-file", file])).code).toBe(0);
    expect((await runIn(wrong, ["call", "--path", info, "--api-key-stdin"], { input: "demo-token\n" })).code).toBe(0);
    expect((await runIn(wrong, ["call", "--path", info, "--api-key", "demo-token"])).code).toBe(0);
    const { stdout, stderr } = await runIn(wrong, ["call", "--path", info, "--api-key-stdin", "--json", "--timing"], {
      input: "canary-stdin",
    });
    expect(stdout + stderr).not.toContain("canary");
  });

  it("G13: what the API echoes back is redacted", async () => {
    const echoing = await startApiStub((request, response) => answer(response, 200, { echoed: request.headers["x-ignition-api-token"] }));
    const { stdout } = await runIn(makePlace({ url: echoing.url, token: "canary-token-1234" }), ["call", "--path", "/"]);
    expect(stdout).not.toContain("canary");
    await echoing.close();
  });
});

describe.concurrent("--demo", () => {
  it("calls an API in this process, whatever is configured, and leaves nothing behind", async () => {
    const place = makePlace({ url: "http://127.0.0.1:1", token: "other" });
    writeFileSync(join(place.folder, "openapi.json"), "not a document");
    const { code, stdout } = await runIn(place, ["call", "--demo", "--op", "gatewayInfo"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { name: "demo" }]);
    expect(readdirSync(place.folder)).toEqual(["openapi.json"]);
    expect(existsSync(join(place.folder, "igw"))).toBe(false);
  });
});

describe.concurrent("a reader that has gone", () => {
  it("G7: of a call ends it quietly", async () => {
    const running = startIn(makePlace(demo), ["call", "--path", info]);
    running.process.stdout.destroy();
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });
});

it("on a terminal a body ends its line, so that neither a note nor npx wipes it out", async ({ skip }) => {
  skip(process.platform !== "linux", "needs script(1) as util-linux has it");
  const words = [process.execPath, hawser, "call", "--demo", "--op", "gatewayInfo", "--timing"];
  const command = words.map((word) => `'${word}'`).join(" ");
  const { stdout } = await promisify(execFile)("script", ["-qec", command, "/dev/null"], { env: { ...process.env, ...makePlace().env } });
  expect(stdout).toMatch(/\}\r?\ntiming/);
});

describe.concurrent("Ctrl-C", () => {
  it.each([
    ["--body", "-", "--path", "/", "--method", "POST", "--yes"],
    ["--batch", "-"],
  ])("while %s %s is still being read ends with 130, and nothing is sent", async (...args) => {
    const api = await startApiStub(() => undefined);
    const running = startIn(makePlace(api), ["call", ...args]);
    // More than a pipe holds: once it is taken, somebody reads.
    await new Promise((resolve) => running.process.stdin.write(Buffer.alloc(200_000, "\n"), resolve));
    running.process.kill("SIGINT");
    expect([(await running.ended).code, api.requests.length]).toEqual([130, 0]);
    await api.close();
  });

  it("G9: twice ends at once, and the demo's folder and the part of a file are gone", async () => {
    const place = makePlace();
    const env = { ...place.env, TMPDIR: place.folder };
    const args = ["call", "--demo", "--op", "slow", "--param", "ms=50000", "--timeout", "60s", "--out", join(place.folder, "out")];
    const running = startIn({ ...place, env }, args);
    await expect.poll(() => readdirSync(place.folder).length, { timeout: 50_000 }).toBe(2);
    running.process.kill("SIGINT");
    running.process.kill("SIGTERM");
    expect([130, 143]).toContain((await running.ended).code);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("G9: the folder of a killed --demo is removed by the next start", async () => {
    const place = makePlace();
    const at = { ...place, env: { ...place.env, TMPDIR: place.folder } };
    const running = startIn(at, ["call", "--demo", "--op", "slow", "--param", "ms=50000", "--timeout", "60s"]);
    await expect.poll(() => readdirSync(place.folder).length, { timeout: 50_000 }).toBe(1);
    running.process.kill("SIGKILL");
    await running.ended;
    expect(readdirSync(place.folder)).toHaveLength(1);
    expect((await runIn(at, ["call", "--demo", "--op", "gatewayInfo"])).code).toBe(0);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("%s cancels the running call, the file is left as it was", async (signal) => {
    const waiting = await startApiStub(() => undefined);
    const place = makePlace(waiting);
    const running = startIn(place, ["call", "--path", "/", "--timeout", "60s", "--json", "--out", join(place.folder, "out")]);
    await expect.poll(() => waiting.requests.length, { timeout: 50_000 }).toBe(1);
    running.process.kill(signal);
    const { code, stdout } = await running.ended;
    expect([code, JSON.parse(stdout)]).toMatchObject([
      signal === "SIGINT" ? 130 : 143,
      { ok: false, code: 7, details: { cancelled: true } },
    ]);
    expect(readdirSync(place.folder)).toEqual([]);
    await waiting.close();
  });
});
