// `doctor` through the real program: each check has its line, and a failure says what to do.

import { describe, expect, it } from "vitest";
import { startDemoApi } from "@hawser/gateway";
import { answer, closedPort, startApiStub } from "../../../test/kit/api-stub.ts";
import { makePlace, runIn, runJson, type Place } from "./gateway-stage.ts";

// The machine that runs the tests may be busy.
const patient = ["--timeout", "60s"];

interface Report {
  readonly checks: readonly Record<string, unknown>[];
}

function withoutToken(target: { readonly url: string }): Place {
  const { folder, env } = makePlace(target);
  return { folder, env: { ...env, IGNITION_API_TOKEN: undefined } };
}

describe.concurrent("doctor", () => {
  it("checks address, connection and token; writes only with --check-write", async () => {
    const demo = await startDemoApi({ token: "demo-token" });
    const place = makePlace(demo);
    expect((await runIn(place, ["doctor", "--timeout", "60s"])).stdout).toBe(
      `ok\tgateway_url\tparsed\nok\ttcp_connect\t${new URL(demo.url).host}\nok\tgateway_info\tstatus 200\nskip\tscan_projects\tskipped (use --check-write)\n`,
    );
    expect((await runIn(place, ["doctor", "--timeout", "60s", "--timing"])).stderr).toMatch(/^timing\telapsedMs=\d+\ttcpConnectMs=\d+\t/);
    const unasked = await runJson<Report>(place, ["doctor", "--timeout", "60s"]);
    expect(unasked.value.checks.at(-1)).toMatchObject({ name: "scan_projects", ok: true, skipped: true });
    const write = await runJson<Record<string, unknown>>(place, ["doctor", "--check-write", "--json-stats", "--timeout", "60s"]);
    expect(write.value).toMatchObject({
      ok: true,
      gatewayURL: demo.url,
      checks: [{}, {}, {}, { name: "scan_projects", ok: true, message: "status 200" }],
      stats: { tcpConnectMs: expect.any(Number) as number, gatewayInfoMs: expect.any(Number) as number },
    });
    const denied = await runJson<Record<string, unknown>>(place, [
      "doctor",
      "--api-key",
      "not-this-one",
      "--check-write",
      "--timeout",
      "60s",
    ]);
    expect([denied.code, denied.value]).toMatchObject([
      6,
      {
        ok: false,
        code: 6,
        checks: [{}, {}, { name: "gateway_info", ok: false }, { skipped: true, message: "skipped (gateway_info failed)" }],
      },
    ]);
    await demo.stop();
  });

  it("connects to the proxy where one leads to the gateway, and says so; the demo knows no proxy, variable or profile", async () => {
    const stub = await startApiStub();
    const proxied = makePlace({ url: "http://gateway.test:8088" });
    const env = { ...proxied.env, HTTP_PROXY: stub.url };
    const { stdout } = await runIn({ ...proxied, env }, ["doctor", ...patient]);
    expect(stdout).toContain(`ok\ttcp_connect\t${new URL(stub.url).host}, the proxy of HTTP_PROXY\nok\tgateway_info\tstatus 200\n`);
    expect(stub.requests.map(({ target }) => target)).toEqual(["http://gateway.test:8088/data/api/v1/gateway-info"]);
    await stub.close();
    await runIn(proxied, ["config", "profile", "add", "plant", "--gateway-url", "http://127.0.0.1:1", "--auth-header", "X-Own"]);
    const demo = await runIn({ ...proxied, env: { ...env, HTTP_PROXY: "http://" } }, ["doctor", "--demo", ...patient]);
    expect([demo.code, demo.stderr]).toEqual([0, ""]);
  });

  it("says what can't be reached, and what is missing", async () => {
    const closed = makePlace({ url: `http://127.0.0.1:${closedPort}` });
    const { code, value } = await runJson<{ checks: unknown[] }>(closed, ["doctor"]);
    expect([code, value.checks]).toMatchObject([7, [{ ok: true }, { name: "tcp_connect", ok: false, hint: expect.any(String) as string }]]);
    expect((await runIn(makePlace(), ["doctor"])).code).toBe(2);
    const plant = makePlace();
    await runIn(plant, ["config", "profile", "add", "plant", "--gateway-url", `http://127.0.0.1:${closedPort}`]);
    const { stdout } = await runIn(plant, ["doctor"]);
    expect(stdout).toContain(
      `fail\ttcp_connect\tnetwork error: 127.0.0.1:${closedPort} of the profile plant: nothing is listening there\t`,
    );
  });

  it("an API without a token is as good, and says that there is none; one that wants it is told apart by its 401", async () => {
    const stub = await startApiStub((request, response) => answer(response, request.target === "/open" ? 200 : 401, {}));
    const place = withoutToken(stub);
    const open = await runIn(place, ["doctor", "--path", "/open", ...patient]);
    expect([open.code, open.stdout]).toEqual([
      0,
      `ok\tgateway_url\tparsed\nok\ttoken\tno token configured\nok\ttcp_connect\t127.0.0.1:${stub.port}\nok\tpath\tstatus 200\n`,
    ]);
    expect(stub.requests.map(({ target, headers }) => [target, headers["x-ignition-api-token"]])).toEqual([["/open", undefined]]);
    const wanting = await runJson<Report>(place, ["doctor", ...patient]);
    expect([wanting.code, wanting.value.checks]).toMatchObject([
      6,
      [{}, { name: "token", ok: true }, {}, { name: "gateway_info", ok: false }, {}],
    ]);
    await stub.close();
  });

  it("a path that is not there is named, with how to choose another", async () => {
    const stub = await startApiStub((_request, response) => answer(response, 404, {}));
    const { code, value } = await runJson<Report>(makePlace(stub), ["doctor", ...patient]);
    expect([code, value.checks[2]]).toEqual([
      7,
      {
        name: "gateway_info",
        ok: false,
        message: "http 404",
        hint: "there is nothing at /data/api/v1/gateway-info; ask for another path of the API with --path",
      },
    ]);
    await stub.close();
  });

  it("an API that is no Ignition gateway is asked for a path of its document, and the line says which", async () => {
    const required = [{ name: "q", in: "query", required: true, schema: { type: "string" } }];
    const paths = { "/a/{id}": { get: {} }, "/b": { get: { parameters: required } }, "/c": { post: {} }, "/d": { get: {} } };
    const stub = await startApiStub((request, response) => {
      if (request.target === "/openapi.json") answer(response, 200, JSON.stringify({ openapi: "3.1.0", info: {}, paths }));
      else answer(response, request.target === "/d" ? 200 : 404, {});
    });
    const { code, stdout } = await runIn(makePlace(stub), ["doctor", ...patient]);
    expect([code, stdout]).toEqual([
      0,
      `ok\tgateway_url\tparsed\nok\ttcp_connect\t127.0.0.1:${stub.port}\nok\tpath\tstatus 200 at /d, a path of the API document\n`,
    ]);
    await stub.close();
  });
});
