// What a vendor says to a key, in a sentence: also one that hangs, lies, leads elsewhere, or repeats the key.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { testKey } from "../../src/keys/test-key.ts";

const key = "sk-canary-0123456789";
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
const seen: IncomingMessage[] = [];
const server = createServer((request, response) => {
  seen.push(request);
  answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const ask = (vendor = "harbour", timeoutMs = 60_000, baseUrl = origin) =>
  testKey({
    vendor,
    env: { ANTHROPIC_BASE_URL: origin, OPENAI_BASE_URL: `${origin}/v1` },
    config: { openaiServers: { harbour: { baseUrl } } },
    kept: { get: () => key, problemOf: () => undefined },
    signal: new AbortController().signal,
    timeoutMs,
  });

const list = (...ids: readonly unknown[]): string => JSON.stringify({ data: ids.map((id) => ({ id })) });

describe("a key is tested", () => {
  it("by the list of models, in the form that each vendor takes", async () => {
    answer = (_, response) => response.end(list("one", "two", 7, "no name", "x".repeat(200)));
    for (const vendor of ["anthropic", "openai", "harbour"])
      expect(await ask(vendor)).toEqual({ vendor, works: true, message: "It works: 2 models.", models: ["one", "two"], modelCount: 2 });
    expect(seen.map(({ url, headers }) => [url, headers["x-api-key"], headers.authorization])).toEqual([
      ["/v1/models", key, undefined],
      ["/v1/models", undefined, `Bearer ${key}`],
      ["/models", undefined, `Bearer ${key}`],
    ]);
  });

  it.each([
    [401, "harbour refuses the key (401)"],
    [403, "harbour refuses the key (403)"],
    [404, "There is no list of models at this address (404)"],
    [429, "asks to slow down (429)"],
    [500, "answers with an error (500)"],
  ])("and status %i is told without the server's own words", async (status, sentence) => {
    answer = (_, response) => response.writeHead(status).end(`you sent ${key}`);
    expect(await ask()).toEqual({ vendor: "harbour", works: false, message: expect.stringContaining(sentence) });
  });

  it.each([
    ["a page", "text/html", "<html></html>", "answers with a web page"],
    ["another thing", "application/json", '{"models": []}', "not with a list of models"],
    ["no JSON", "application/json", `{"data": ${key}`, "not with a list of models"],
    ["a list without an end", "application/json", `{"data": ["${"x".repeat(3_000_000)}`, "a response of more than|an event of more than"],
  ])("and %s is no list", async (_, type, body, sentence) => {
    answer = (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
    const { works, message } = await ask();
    expect([works, message]).toEqual([false, expect.stringMatching(sentence)]);
    expect(message).not.toContain(key);
  });

  it("and a list shows neither names that hold the key nor those with hidden characters", async () => {
    const odd = ["a\u001B[31mred", "a\u202Edesrever", "zero\u200Bwidth", "nul\u0000", "half\uD800", key, `models/${key}/x`];
    answer = (_, response) => response.end(list("plain", ...odd, "<b>mark-up</b>"));
    for (const vendor of ["anthropic", "harbour"]) expect((await ask(vendor)).models).toEqual(["plain", "<b>mark-up</b>"]);
  });

  it("and follows no redirect, which could lead a key elsewhere", async () => {
    answer = (_, response) => response.writeHead(302, { location: "/elsewhere" }).end();
    const before = seen.length;
    expect(await ask()).toMatchObject({ works: false, message: expect.stringContaining("is not followed") });
    expect(seen.length).toBe(before + 1);
  });

  it("and is not waited for without an end, nor where nothing listens", async () => {
    answer = () => {};
    expect(await ask("harbour", 100)).toMatchObject({
      works: false,
      message: expect.stringContaining("has not answered within 0.1 seconds"),
    });
    answer = (_, response) => response.socket?.destroy();
    expect(await ask()).toMatchObject({ works: false, message: expect.stringContaining("can't be reached") });
    await expect(ask("harbour", 100, "ftp://x")).rejects.toThrow("openaiServers.harbour.baseUrl is not an http or https address");
    await expect(ask("nowhere")).rejects.toThrow("there is no vendor of this name; there are: anthropic, openai, harbour");
  });
});
