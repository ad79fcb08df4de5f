// What an rpc server under test is given, and what is seen of the calls that it makes.

import { existsSync } from "node:fs";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { checkSuite, suites, type Session, type Setup, type Step, type Suite } from "../src/index.ts";
import { rpcSubject, rpcToken } from "../src/rpc-subject.ts";
import { listenApi, type ScriptedApi } from "../src/scripted-peers.ts";

/** On a busy machine too. */
const soon = { timeout: 30_000 };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Seen {
  readonly args: readonly string[];
  readonly folder: string;
  readonly inherited: readonly string[];
  readonly config: { readonly text: string; readonly mode: string } | null;
}

// Prints what it was given, and stays.
const program = `
  const { readFileSync, statSync, existsSync } = require("node:fs");
  const folder = process.env.XDG_CONFIG_HOME;
  const path = folder + "/igw/config.json";
  const config = existsSync(path) ? { text: readFileSync(path, "utf8"), mode: (statSync(path).mode & 0o777).toString(8) } : null;
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("IGNITION_"));
  console.log(JSON.stringify({ args: process.argv.slice(1), folder, inherited, config }));
  process.stdin.resume();
`;

async function open(words: readonly string[], setup: Setup = {}): Promise<{ session: Session; seen: Seen }> {
  const env = { ...process.env, IGNITION_GATEWAY_URL: "http://127.0.0.1:9", IGNITION_API_TOKEN: "mine" };
  const session = await rpcSubject({ command: process.execPath, args: ["-e", program, "--", ...words], env }).open(setup);
  cleanups.push(() => session.close());
  const [chunk] = (await once(session.output, "data")) as [Buffer];
  return { session, seen: JSON.parse(chunk.toString("utf8")) as Seen };
}

const address = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;

describe("rpcSubject", () => {
  it("adds address and token at the end, then the document and the scenario's flags", async () => {
    const { seen } = await open(["rpc"], { flags: ["--workers", "4"], document: { openapi: "3.0.3" } });
    const document = `${seen.folder}/openapi.json`;
    expect(seen.args).toEqual(["rpc", "--gateway-url", address, "--api-key", rpcToken, "--spec-file", document, "--workers", "4"]);
  });

  it("fills in {url} and {token} where they stand, and adds neither", async () => {
    const { seen } = await open(["--to={url}/api", "{token}"]);
    expect(seen.args).toEqual([expect.stringMatching(/^--to=http:\/\/127\.0\.0\.1:\d+\/api$/), rpcToken]);
  });

  it("shows nothing of the user's own configuration", async () => {
    const { seen } = await open([]);
    expect(seen).toMatchObject({ inherited: [], config: null });
  });

  it("gives a configuration file instead of flags, which a step can write anew", async () => {
    const { seen, session } = await open(["rpc"], { config: { gatewayURL: "{url}", token: "one" } });
    expect(seen).toMatchObject({
      args: ["rpc"],
      config: { mode: "600", text: expect.stringMatching(/^\{"gatewayURL":"http:.*","token":"one"\}$/) },
    });
    session.writeConfig?.("{broken");
    expect(existsSync(`${seen.folder}/igw/config.json`)).toBe(true);
  });

  it("leaves neither a folder nor an API behind", async () => {
    const { seen, session } = await open(["{url}"]);
    const [url = ""] = seen.args;
    expect((await fetch(`${url}/any`)).status).toBe(404);
    await session.close();
    expect(existsSync(seen.folder)).toBe(false);
    await expect(fetch(`${url}/any`)).rejects.toThrow("fetch failed");
  });
});

describe("the scripted API", () => {
  async function start(answers: Parameters<typeof listenApi>[0], isListening = true): Promise<ScriptedApi> {
    const api = await listenApi(answers, isListening);
    cleanups.push(() => api.close());
    return api;
  }

  it("answers with what a pattern bound, and remembers the request", async () => {
    const api = await start([
      { when: { path: { $bind: "path" } }, send: { status: 201, headers: { location: "here:{port}" }, body: { $same: "path" } } },
    ]);
    const response = await fetch(`${api.url}/a/b?c=d&e`, { method: "POST", body: "text", headers: { "x-mark": "yes" } });
    expect([response.status, await response.text()]).toEqual([201, "/a/b"]);
    expect(response.headers.get("location")).toBe(`here:${new URL(api.url).port}`);
    expect(api.facts()).toMatchObject({
      ...{ count: 1, running: 0, mostRunning: 1, dropped: 0 },
      requests: [{ method: "POST", path: "/a/b", query: "c=d&e", body: "text", headers: { "x-mark": "yes" } }],
    });
  });

  it("counts what runs, and what its caller gave up", async () => {
    const api = await start([{ when: { path: "/never" } }]);
    const leaving = new AbortController();
    const calls = [1, 2].map(() => fetch(`${api.url}/never`, { signal: leaving.signal }).catch(() => "left"));
    await expect.poll(() => api.facts(), soon).toMatchObject({ running: 2, mostRunning: 2, dropped: 0 });
    leaving.abort();
    expect(await Promise.all(calls)).toEqual(["left", "left"]);
    await expect.poll(() => api.facts(), soon).toMatchObject({ running: 0, mostRunning: 2, dropped: 2 });
  });

  it("sends bytes as they are, and ends the connection where it is told to", async () => {
    const whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfour";
    const api = await start([
      { when: { path: "/raw" }, sendBytes: { utf8: whole }, chunkBytes: 7, close: true },
      { when: { path: "/cut" }, close: true },
    ]);
    expect(await (await fetch(`${api.url}/raw`)).text()).toBe("four");
    await expect(fetch(`${api.url}/cut`)).rejects.toThrow("fetch failed");
    await expect.poll(() => api.facts(), soon).toMatchObject({ dropped: 0, running: 0 });
  });

  it("has an address at which nobody listens, where that is asked for", async () => {
    const api = await start([], false);
    await expect(fetch(api.url)).rejects.toThrow("fetch failed");
    await expect(fetch(api.url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});

describe("what a scenario may say about rpc servers", () => {
  const suiteOf = (setup: object, ...steps: object[]): Suite => ({
    ...(suites["rpc"] as Suite),
    scenarios: [
      { id: "one", title: "one", requirements: ["R1"], setup: setup as Setup, steps: [{ expectAlive: true }, ...steps] as Step[] },
    ],
  });

  it.each([
    [suiteOf({ flags: "--workers" }), '"flags" can\'t be this'],
    [suiteOf({ flags: [4] }), '"flags" can\'t be this'],
    [suiteOf({}, { sendBytes: { utf8: "x" }, ahead: 1 }), "ahead takes true"],
    [suiteOf({}, { send: {}, ahead: true }), '"ahead" does not belong to send'],
  ])("is checked before anything is started (%#)", (suite, problem) => {
    expect(() => checkSuite(suite)).toThrow(problem);
  });
});
