// SEC-01: the token reaches the gateway and nothing else: no outcome, no log line, no cache and no
// streamed byte contains it, in any spelling, whatever fails and whatever the API echoes.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallItem } from "@hawser/protocol";
import type { GatewayOptions } from "../../src/call.ts";
import { createRedactingStream, createRedactor } from "../../src/execute/redaction.ts";
import { toBatchLine, toCallJson } from "../../src/execute/outcome.ts";
import { answer, closedPort, type StubHandler } from "../../../../test/kit/api-stub.ts";
import { canary, connectionKinds, freshHome, stubOf } from "../core-fixture.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const spellings = [
  canary,
  encodeURIComponent(canary),
  encodeURIComponent(canary).toLowerCase(),
  encodeURI(canary),
  JSON.stringify(canary).slice(1, -1),
  JSON.stringify(canary).slice(1, -1).replaceAll("/", "\\/"),
  canary.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  base64(canary).replace(/=+$/, "").slice(0, -1),
];
const echoes = [...spellings, base64(canary), base64(`u:${canary}`), base64(`us:${canary}!`), base64(`{"token":${canary}}`)];

function expectSecret(text: string): void {
  for (const spelling of spellings) expect(text).not.toContain(spelling);
  for (const [piece] of text.matchAll(/[A-Za-z0-9+/=_-]{16,}/g)) {
    expect(Buffer.from(piece, "base64").toString("latin1")).not.toContain(canary);
  }
}

const echo: StubHandler = (_request, response) => answer(response, 200, echoes.join(" | "), { "x-echo": canary });
type Path = [name: string, item: CallItem, handler?: StubHandler | undefined, options?: GatewayOptions];
const status =
  (code: number): StubHandler =>
  (_request, response) =>
    answer(response, code, `no: ${echoes.join(" ")}`, { "x-echo": canary });
const redirect =
  (location: string): StubHandler =>
  (_request, response) =>
    answer(response, 302, canary, { location });

const paths: readonly Path[] = [
  ["an echo", { path: "/x" }, echo],
  ["an echo that is cut", { path: "/x" }, (_request, response) => answer(response, 200, `1234567890${canary}`), { maxBodyBytes: 25 }],
  [
    "an echo in bytes",
    { path: "/x" },
    (_request, response) => answer(response, 200, Buffer.concat([Buffer.from([255, 0]), Buffer.from(canary)])),
  ],
  ...[400, 401, 403, 404, 429, 500, 503].map((code): Path => [
    `status ${code}`,
    { path: "/x", retry: 1, retryBackoff: "1ms" },
    status(code),
  ]),
  ["a redirect to another origin with it", { path: "/x" }, redirect(`http://127.0.0.2:9/${encodeURIComponent(canary)}`)],
  ["a redirect to a host with it", { path: "/x" }, redirect("http://canary-7f3c.test/")],
  ["a redirect circle with it", { path: "/x" }, redirect(`/${encodeURIComponent(canary)}`)],
  ["an invalid redirect", { path: "/x" }, redirect(`http://[${encodeURIComponent(canary)}`)],
  ["it in the path", { path: `/${encodeURIComponent(canary)}` }, status(404)],
  ["it in the path as it is", { path: `/${canary}` }, status(404)],
  ["it in the query", { path: "/x", query: [`token=${canary}`] }, status(404)],
  ["it in an invalid query", { path: "/x", query: [canary.replaceAll("=", "")] }],
  ["it in an invalid header", { path: "/x", headers: [canary] }],
  ["it in a header", { path: "/x", headers: [`X-Other: ${canary}`] }, echo],
  ["it in the token's header", { path: "/x", headers: [`X-Ignition-API-Token: ${canary}`] }],
  ["it as method", { method: canary, path: "/x" }],
  ["it as operation", { op: canary }],
  ["it as timeout", { path: "/x", timeout: canary }],
  ["it as backoff", { path: "/x", retryBackoff: canary }],
  ["it as body without yes", { method: "POST", path: "/x", body: canary }],
  ["it as params", { path: "/x", params: { [canary]: canary } }],
  ["a reset", { path: "/x" }, (_request, response) => void response.socket?.resetAndDestroy()],
  ["a timeout", { path: "/x", timeout: "50ms" }, () => undefined],
  ["broken compression", { path: "/x" }, (_request, response) => answer(response, 200, canary, { "content-encoding": "gzip" })],
  ["too many compressions", { path: "/x" }, (_request, response) => answer(response, 200, canary, { "content-encoding": "br, br, br" })],
  ["an unknown profile", { path: "/x" }, undefined, { profile: canary }],
  ["a missing document", { op: "x" }, undefined, { specFile: `/nowhere/${canary.replaceAll("/", "")}` }],
  ["an address with it", { path: "/x" }, undefined, { gatewayUrl: `http://u:${encodeURIComponent(canary)}@127.0.0.1/` }],
  ["it as address", { path: "/x" }, undefined, { gatewayUrl: canary }],
  ["a token with a line break", { path: "/x" }, undefined, { apiKey: `${canary}\nx` }],
  ["a token with letters that can't be sent", { path: "/x" }, undefined, { apiKey: `${canary}ä` }],
];

describe.each(connectionKinds)("SEC-01: the token, with $kind", ({ coreOf, createName }) => {
  it("goes through more than thirty failure paths", () => expect(paths.length).toBeGreaterThanOrEqual(30));

  it.each(paths)("is in no output of %s", async (_name, item, handler, options = {}) => {
    let logged = "";
    const log = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => ((logged += String(chunk)), true));
    onTestFinished(() => log.mockRestore());
    const stub = await stubOf(handler);
    const home = freshHome();
    const env = { HOME: home };
    const outcome = await coreOf(stub.url, { includeHeaders: true, env, cwd: home, ...options }).call(item);
    expectSecret(JSON.stringify([outcome, toCallJson(outcome, { includeStats: true }), toBatchLine(outcome)]) + logged);
    expectSecret(`${outcome.error} ${outcome.request?.url} ${outcome.response?.body} ${JSON.stringify(outcome.response?.headers)}`);
    expect(outcome.timingMs).toBeGreaterThanOrEqual(0);
    for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) expectSecret(readFileSync(join(entry.parentPath, entry.name), "latin1"));
    }
  });

  it("is in nothing that a process prints with all of Node's debug logging on", async () => {
    const stub = await stubOf(status(500));
    const program = `
      import { createCallCore, ${createName} } from "@hawser/gateway/internal";
      const options = { gatewayUrl: ${JSON.stringify(stub.url)}, apiKey: ${JSON.stringify(canary)}, env: { HOME: "/nonexistent" } };
      const core = createCallCore(options, ${createName});
      console.log(JSON.stringify(await core.call({ path: "/x", retry: 1, retryBackoff: "1ms" })));
      await core.reload();
      console.error(await core.call({ path: "/y", timeout: "bad" }));`;
    const env = { ...process.env, NODE_DEBUG: "undici,http,net,tls,fetch,stream,timer", DEBUG: "*" };
    const child = spawn(process.execPath, ["--conditions=hawser-source", "--input-type=module", "-e", program], {
      cwd: import.meta.dirname,
      env,
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code, printed).toBe(0);
    expect(printed).toContain("NET ");
    expect(printed).toContain("http 500");
    expectSecret(printed);
  });

  it("is in no error of a broken configuration file, and not in the fetched document's cache", async () => {
    const home = freshHome();
    mkdirSync(join(home, ".config", "igw"), { recursive: true });
    for (const content of [`{"token":"${canary}`, `"${canary}"`, `{"profiles":{"a":"${canary}"}}`, `{"token":["${canary}"]}`]) {
      writeFileSync(join(home, ".config", "igw", "config.json"), content);
      const outcome = await coreOf("http://127.0.0.1:1", { env: { HOME: home } }).call({ path: "/x" });
      expect(outcome).toMatchObject({ ok: false, code: 2, errorInfo: { kind: "config" } });
      expectSecret(JSON.stringify(outcome));
    }
  });

  it("is cut out of a fetched document before that is kept", async () => {
    const document = { openapi: "3.1.0", info: { title: `t ${canary}`, version: "1" }, paths: { "/x": { get: { operationId: "getX" } } } };
    const stub = await stubOf((_request, response) => answer(response, 200, document));
    const home = freshHome();
    expect(await coreOf(stub.url, { env: { HOME: home }, cwd: home }).call({ op: "getx" })).toMatchObject({ ok: true });
    const files = readdirSync(join(home, ".cache"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expectSecret(readFileSync(join(file.parentPath, file.name), "latin1"));
  });

  it("leaves no piece of itself where a body is cut within it, kept or streamed", async () => {
    const stub = await stubOf((_request, response) => answer(response, 200, `1234567890${canary}`));
    const core = coreOf(stub.url, { maxBodyBytes: 25 });
    expect((await core.call({ path: "/x" })).response).toMatchObject({ body: "1234567890", truncated: true });
    let streamed = "";
    const onBody = (chunk: Buffer): Promise<void> => Promise.resolve(void (streamed += chunk.toString()));
    expect((await core.call({ path: "/x" }, { onBody })).response).toMatchObject({ truncated: true });
    expect(streamed).toBe("1234567890");
  });

  it("is redacted across every border of streamed chunks", () => {
    const redactor = createRedactor(canary);
    for (const spelling of spellings.slice(0, 7)) {
      const whole = Buffer.from(`before ${spelling} after`);
      for (let cut = 0; cut <= whole.length; cut++) {
        const stream = createRedactingStream(redactor);
        const text = Buffer.concat([stream.push(whole.subarray(0, cut)), stream.push(whole.subarray(cut)), stream.end()]).toString();
        expect(text).toBe("before [redacted] after");
      }
    }
  });

  it("is not sent along a refused connection's error, nor to a port nobody listens on", async () => {
    const outcome = await coreOf(`http://127.0.0.1:${closedPort}`).call({ path: `/${encodeURIComponent(canary)}` });
    expect(outcome).toMatchObject({ ok: false, code: 7 });
    expectSecret(JSON.stringify(outcome));
  });
});
