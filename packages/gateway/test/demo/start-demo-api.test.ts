// The demo API through real requests: what its document says is there, it wants its token, and what it
// remembers stays bounded.

import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayLimits } from "../../src/limits.ts";
import { startDemoApi, type DemoApi } from "../../src/demo/start-demo-api.ts";

let demo: DemoApi;
beforeAll(async () => {
  demo = await startDemoApi();
});
afterAll(() => demo.stop());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { items?: Record<string, unknown>[] };
}

async function ask(path: string, init: { method?: string; body?: string } = {}, token = demo.token): Promise<Answer> {
  const response = await fetch(`${demo.url}${path}`, { ...init, headers: { "X-Ignition-API-Token": token } });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** What a page in a browser gets that was led here by another name. */
function statusFor(host: string): Promise<number | undefined> {
  const headers = { host, "X-Ignition-API-Token": demo.token };
  return new Promise((resolve, reject) => {
    get(`${demo.url}/data/api/v1/tags`, { headers }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
}

const put = (path: string, body: string): Promise<Answer> => ask(path, { method: "PUT", body });

describe("the demo API", () => {
  it("listens on loopback only and makes a token of its own", async () => {
    expect(demo.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const other = await startDemoApi();
    expect(other.token).not.toBe(demo.token);
    await other.stop();
  });

  it.each(["", "wrong", "demo"])("answers 401 without the token (given %j)", async (token) => {
    expect(await ask("/data/api/v1/gateway-info", {}, token)).toEqual({ status: 401, body: { error: "the token is missing or wrong" } });
  });

  it("serves its document without a token, and every operation in it", async () => {
    const document = (await (await fetch(`${demo.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, object>> };
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== "parameters")
        .map((method) => ({ method: method.toUpperCase(), path: path.replace("{name}", "Pump%2FSpeed") })),
    );
    expect(operations).toHaveLength(8);
    for (const { method, path } of operations) {
      const { status } = await ask(`${path}?ms=0&dryRun=true`, { method, ...(method === "PUT" && { body: '{"value":1}' }) });
      expect([path, path.endsWith("/fail") ? 500 : 200]).toEqual([path, status]);
    }
  });

  it("pages and filters its logs", async () => {
    const all = await ask("/data/api/v1/logs");
    const second = await ask("/data/api/v1/logs?limit=1&offset=1");
    expect(second.body).toEqual({ total: all.body["total"], items: [all.body.items?.[1]] });
    expect((await ask("/data/api/v1/logs?level=error&text=PLC-9")).body.items).toHaveLength(1);
    expect((await ask("/data/api/v1/logs?limit=0")).status).toBe(400);
  });

  it("writes a tag, and only says what it would do with dryRun", async () => {
    expect((await put("/data/api/v1/tags/Tank%2FLevel?dryRun=true", '{"value":1}')).body).toMatchObject({ value: 1, dryRun: true });
    expect((await ask("/data/api/v1/tags/Tank%2FLevel")).body["value"]).toBe(62.5);
    expect((await put("/data/api/v1/tags/Tank%2FLevel", '{"value":{"deep":[1]}}')).status).toBe(200);
    expect((await ask("/data/api/v1/tags/Tank%2FLevel")).body["value"]).toEqual({ deep: [1] });
    expect((await ask("/data/api/v1/tags?prefix=Tank/")).body.items?.map(({ name }) => name)).toEqual(["Tank/Level", "Tank/Product"]);
    expect((await put("/data/api/v1/tags/x", "not json")).status).toBe(400);
    expect((await ask("/data/api/v1/tags/none")).status).toBe(404);
  });

  it("counts scans, but not with dryRun", async () => {
    const scan = (query: string): Promise<Answer> => ask(`/data/api/v1/scan/projects${query}`, { method: "POST" });
    const { scans } = (await scan("")).body;
    expect((await scan("?dryRun=true")).body).toEqual({ dryRun: true, projects: 2, scans });
    expect((await scan("")).body["scans"]).toBe(Number(scans) + 1);
  });

  it("waits and fails as it is asked to", async () => {
    expect((await ask("/data/api/v1/slow?ms=20")).body).toEqual({ waitedMs: 20 });
    expect((await ask("/data/api/v1/slow?ms=60001")).status).toBe(400);
    expect((await ask("/data/api/v1/fail?status=418")).status).toBe(418);
    expect((await ask("/data/api/v1/fail?status=200")).status).toBe(400);
  });

  it("G10: takes no body and no number of tags beyond its limits", async () => {
    const large = JSON.stringify({ value: "x".repeat(gatewayLimits.demoBodyBytes) });
    expect((await put("/data/api/v1/tags/large", large)).status).toBe(413);
    const { body } = await ask("/data/api/v1/tags");
    const missing = gatewayLimits.demoEntries - Number(body["total"]);
    for (let done = 0; done < missing; done += 50) {
      const numbers = Array.from({ length: Math.min(50, missing - done) }, (_, at) => done + at);
      await Promise.all(numbers.map((number) => put(`/data/api/v1/tags/filler${number}`, '{"value":0}')));
    }
    expect((await put("/data/api/v1/tags/one-too-many", '{"value":0}')).status).toBe(507);
    expect((await put("/data/api/v1/tags/filler9", '{"value":1}')).status).toBe(200);
    expect((await ask("/data/api/v1/logs?limit=100")).body["total"]).toBe(gatewayLimits.demoEntries);
  });

  it("answers what it does not have with 404, 405 or 421, and HEAD without a body", async () => {
    expect((await ask("/data/api/v1/nothing")).status).toBe(404);
    expect((await ask("/data/api/v1/logs", { method: "DELETE" })).status).toBe(405);
    expect(await statusFor("elsewhere.example")).toBe(421);
    const head = await fetch(`${demo.url}/data/api/v1/logs`, { method: "HEAD", headers: { "X-Ignition-API-Token": demo.token } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("says what to do when its port is taken", async () => {
    await expect(startDemoApi({ port: Number(new URL(demo.url).port) })).rejects.toThrow(/can't listen on port \d+: .*; choose another/);
  });

  it("ends its connections with it, also those that wait", async () => {
    const short = await startDemoApi({ token: "t" });
    const waiting = fetch(`${short.url}/data/api/v1/slow?ms=50000`, { headers: { "X-Ignition-API-Token": "t" } });
    await fetch(`${short.url}/openapi.json`);
    await Promise.all([short.stop(), expect(waiting).rejects.toThrow(/fetch failed|terminated|closed/)]);
  });
});
