// Calls through a real proxy: which of them go there, what it gets to see, and what is said when it does not work.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findProxy } from "../../src/config/proxy.ts";
import { loadApiIndex } from "../../src/internal.ts";
import { answer, closedPort, startTlsStub } from "../../../../test/kit/api-stub.ts";
import { canary, connectionKinds, freshHome, stubOf, type CoreOf } from "../core-fixture.ts";
import { startProxy } from "../proxy-stub.ts";
import { line, startRpc } from "../rpc/rpc-process.ts";
import { createSelfSigned } from "../../../../test/kit/self-signed.ts";

// Names and addresses that lead nowhere: only the proxy knows the way.
const host = "http://gateway.test:8088";
const behind =
  (coreOf: CoreOf) =>
  (env: Record<string, string>, url = host) =>
    coreOf(url, { env: { HOME: freshHome(), ...env } });
const kinds = connectionKinds.map(({ kind, coreOf }) => ({ kind, coreWith: behind(coreOf) }));

describe.each(kinds)("http through a proxy, with $kind", ({ coreWith }) => {
  it("asks the proxy for the whole address, with the token, every header and the body as without it", async () => {
    const stub = await stubOf();
    const proxy = await startProxy(stub.port);
    const core = coreWith({ HTTP_PROXY: proxy.url.replace("//", "//ada:s%3Ap@") });
    const headers = ["X-Twice: 1", "X-Twice: 2"];
    const outcome = await core.call({ method: "POST", path: "/a?b=1", headers, body: { c: 2 }, yes: true });
    expect(outcome).toMatchObject({ ok: true, request: { url: `${host}/a?b=1` } });
    expect(proxy.asked).toEqual([`POST ${host}/a?b=1`]);
    expect(proxy.headers[0]).toMatchObject({
      host: "gateway.test:8088",
      "x-ignition-api-token": canary,
      "x-twice": "1, 2",
      "proxy-authorization": `Basic ${Buffer.from("ada:s:p").toString("base64")}`,
    });
    expect(stub.requests.map(({ method, target, body }) => [method, target, body.toString()])).toEqual([["POST", "/a?b=1", '{"c":2}']]);
    await core.call({ path: "/b" });
    expect(proxy.asked).toHaveLength(2);
  });

  it("an API document is fetched through it too", async () => {
    const document = { openapi: "3.1.0", info: { title: "far" }, paths: {} };
    const stub = await stubOf((_request, response) => answer(response, 200, document));
    const proxy = await startProxy(stub.port);
    const home = freshHome();
    const specFile = "http://docs.test/api.json";
    expect((await loadApiIndex({ specFile, env: { HOME: home, http_proxy: proxy.url }, cwd: home })).title).toBe("far");
    expect(proxy.asked).toEqual([`GET ${specFile}`]);
    expect(proxy.headers[0]).not.toHaveProperty("x-ignition-api-token");
  });

  it("a proxy that wants a password, that can't be reached or whose address is broken is told from the gateway", async () => {
    const proxy = await startProxy(closedPort, 407);
    const hint = expect.stringContaining("http://user:password@host:port") as string;
    expect(await coreWith({ HTTP_PROXY: proxy.url }).call({ path: "/a" })).toMatchObject({
      code: 7,
      error: "http 407: the proxy wants a user name and password",
      errorInfo: { kind: "network", retryable: false, hint },
    });
    const closed = coreWith({ ALL_PROXY: `http://ada:secret@127.0.0.1:${closedPort}` });
    expect(await closed.call({ path: "/a" })).toMatchObject({
      code: 7,
      error: `network error: gateway.test:8088: proxy 127.0.0.1:${closedPort} (ALL_PROXY): connection refused (ECONNREFUSED)`,
      errorInfo: { kind: "network", retryable: true, hint: "check ALL_PROXY, or name hosts that need no proxy in NO_PROXY" },
    });
    for (const [value, error] of [
      ["http://secret:x@", "HTTP_PROXY is not the address of a proxy, such as http://proxy.example:3128"],
      ["socks5://secret@127.0.0.1:1080", "HTTP_PROXY names a proxy of the kind socks5://; only http:// and https:// ones are supported"],
      ["http://secret%zz@127.0.0.1:1080", "user name or password in HTTP_PROXY is not percent-encoded correctly"],
    ] as const)
      expect(await coreWith({ HTTP_PROXY: value }).call({ path: "/a" })).toMatchObject({ code: 2, error, errorInfo: { kind: "config" } });
  });
});

describe.each(kinds)("https through a proxy, with $kind", ({ coreWith }) => {
  const identity = createSelfSigned({ address: [192, 0, 2, 1] });
  const target = "https://192.0.2.1:8043";

  it("goes in a tunnel in which the proxy reads nothing; the certificate is checked for the gateway's own name", async () => {
    const stub = await startTlsStub(identity);
    onTestFinished(() => stub.close());
    const proxy = await startProxy(stub.port);
    const authority = join(freshHome(), "authority.pem");
    writeFileSync(authority, identity.cert);
    const env = { NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: proxy.url.replace("//", "//ada:pw@"), HTTP_PROXY: "http://127.0.0.1:1" };
    const rpc = startRpc(["--gateway-url", target], { env });
    await rpc.write(line({ id: 1, op: "call", args: { path: "/x" } }));
    await rpc.count(1);
    await rpc.write(line({ id: 2, op: "call", args: { path: "/x" } }));
    const [first, second] = await rpc.count(2);
    expect(first).toMatchObject({ ok: true, status: 200, data: { request: { url: `${target}/x` } } });
    expect(first?.data.stats?.http).toMatchObject({
      connectMs: expect.any(Number) as number,
      tlsHandshakeMs: expect.any(Number) as number,
    });
    expect(second).toMatchObject({ ok: true });
    // One tunnel for both, and nothing of the gateway's in what the proxy was told or passed on.
    expect(proxy.asked).toEqual(["CONNECT 192.0.2.1:8043"]);
    expect(proxy.headers[0]).toMatchObject({ "proxy-authorization": `Basic ${Buffer.from("ada:pw").toString("base64")}` });
    expect(JSON.stringify(proxy.headers)).not.toContain("test-token");
    expect(proxy.tunnelled().includes("test-token")).toBe(false);
    expect(stub.requests.map(({ headers }) => [headers["x-ignition-api-token"], headers["proxy-authorization"]])).toEqual([
      ["test-token", undefined],
      ["test-token", undefined],
    ]);
    await rpc.write(line({ op: "shutdown" }));
    expect(await rpc.exited).toMatchObject({ code: 0 });
  });

  it("a certificate that is not trusted, and a proxy that does not connect, end the call before the token is sent", async () => {
    const stub = await startTlsStub(identity);
    onTestFinished(() => stub.close());
    const proxy = await startProxy(stub.port);
    expect(await coreWith({ https_proxy: proxy.host }, target).call({ path: "/a" })).toMatchObject({
      code: 7,
      error: "network error: 192.0.2.1:8043: certificate refused (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
    const refusing = await startProxy(stub.port, 403);
    const outcome = await coreWith({ HTTPS_PROXY: refusing.url }, target).call({ path: "/a", retry: 2, retryBackoff: "1ms" });
    expect(outcome).toMatchObject({
      code: 7,
      error: `network error: 192.0.2.1:8043: proxy ${refusing.host} (HTTPS_PROXY) does not connect: it answers 403`,
      errorInfo: { kind: "network", retryable: false },
    });
    expect([refusing.asked.length, stub.requests.length]).toEqual([1, 0]);
  });
});

describe("which proxy", () => {
  const env = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "http://tls:2", NO_PROXY: "" };
  const variableFor = (url: string, more: Record<string, string> = {}) => findProxy(new URL(url), { ...env, ...more })?.variable;

  it.each([
    ["http://a.test", {}, "HTTP_PROXY"],
    ["https://a.test", {}, "HTTPS_PROXY"],
    ["https://a.test", { https_proxy: "lower:1" }, "https_proxy"],
    ["https://a.test", { HTTPS_PROXY: "", ALL_PROXY: "all:1" }, "ALL_PROXY"],
    ["https://a.test", { HTTPS_PROXY: "" }, undefined],
    // Of a CGI program it would be a header of whoever asks.
    ["http://a.test", { REQUEST_METHOD: "GET" }, undefined],
    ["http://localhost:8088", {}, undefined],
    ["http://demo.localhost", {}, undefined],
    ["http://127.9.9.9", {}, undefined],
    ["https://[::1]:8043", {}, undefined],
    ["http://a.test", { NO_PROXY: "*" }, undefined],
    ["http://a.test", { NO_PROXY: "b.test, a.test" }, undefined],
    ["http://x.a.test", { NO_PROXY: ".a.test" }, undefined],
    ["http://x.a.test.", { no_proxy: "*.A.test" }, undefined],
    ["http://xa.test", { NO_PROXY: "a.test" }, "HTTP_PROXY"],
    ["http://a.test:8088", { NO_PROXY: "a.test:8088" }, undefined],
    ["http://a.test", { NO_PROXY: "a.test:8088" }, "HTTP_PROXY"],
    ["http://10.1.2.3", { NO_PROXY: "10.0.0.0/8" }, undefined],
    ["http://11.1.2.3", { NO_PROXY: "10.0.0.0/8, 11.1.2.4" }, "HTTP_PROXY"],
    ["http://[fd00::1]", { NO_PROXY: "fd00::/8" }, undefined],
    ["http://[fd00::1]:81", { NO_PROXY: "[fd00::1]:81" }, undefined],
    ["http://[fd00::1]:82", { NO_PROXY: "[fd00::1]:81" }, "HTTP_PROXY"],
  ])("%s with %j: %s", (url, more, variable) => expect(variableFor(url, more)).toBe(variable));
});
