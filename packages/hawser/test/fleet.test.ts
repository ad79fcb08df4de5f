// A fleet with real processes: a server, tools on one "machine", and an MCP client and an agent on another.

import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { makeFolder, start, type Running } from "./run-hawser.ts";

const tools = join(import.meta.dirname, "..", "..", "..", "examples", "tools.ts");
const running: Running[] = [];
let address = "";

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram !== "") ({ address } = await openServer());
});
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill("SIGTERM");
    await one.ended;
  }
});

function run(...args: string[]): Running {
  const started = start(args);
  running.push(started);
  return started;
}

async function once(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const started = start(args);
  started.process.stdin.end();
  return started.ended;
}

async function offer(name: string): Promise<Running> {
  const offered = run("expose", tools, "--fleet", address, "--name", name);
  await until(async () => (await once("bridge", "--fleet", address, "--service", name, "--check")).code === 0);
  return offered;
}

async function connect(service: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [builtHawser, "bridge", "--fleet", address, "--service", service];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return client;
}

describe("hawser fleet", () => {
  it("offers functions of a module on one machine to an MCP client on another; their state lives where they run", async () => {
    await offer("harbour");
    const client = await connect("harbour");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["count", "whoami"]);
    const results = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: "count", arguments: {} })));
    const counts = results.map(({ content }) => Number((content as { text: string }[])[0]?.text));
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect((await client.callTool({ name: "whoami", arguments: {} })).structuredContent).toMatchObject({ calledBy: "test" });
    await client.close();
  });

  it("tells the client when the tools come and go, and answers calls meanwhile with what to do", async () => {
    const client = await connect("tides");
    const changes: string[][] = [];
    client.setNotificationHandler("notifications/tools/list_changed", async () => {
      changes.push((await client.listTools()).tools.map(({ name }) => name));
    });
    expect((await client.listTools()).tools).toEqual([]);
    const offered = await offer("tides");
    await until(() => changes.at(-1)?.length === 2);
    offered.process.kill("SIGTERM");
    expect((await offered.ended).code).toBe(0);
    await until(() => changes.at(-1)?.length === 0);
    const answer = await client.callTool({ name: "count", arguments: {} });
    expect(JSON.stringify(answer)).toContain('no machine offers \\"tides\\" now');
    await client.close();
  });

  it("gives an agent the tools of other machines, by `fleet` among its mcpServers", async () => {
    await offer("plant");
    const folder = makeFolder("agent");
    writeFileSync(
      join(folder, "agent.json"),
      JSON.stringify({ mcpServers: { plant: { fleet: address } }, permissions: [{ tool: "plant__*", decision: "allow" }] }),
    );
    const { code, stdout } = await once(
      "chat",
      "--model",
      "offline",
      "--config",
      join(folder, "agent.json"),
      "--no-history",
      'use plant__count with {"by": 41}',
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining("41")]);
  });

  it("status lists who is there, and drain tells one of them to leave", async () => {
    const offered = await offer("quay");
    const { stderr } = await once("bridge", "--fleet", address, "--service", "quai", "--check");
    expect(stderr).toMatch(
      new RegExp(`no machine offers "quai" now; there are: quay\\. See: npx hawser fleet status --fleet ${address}\n$`),
    );
    const listed = JSON.parse((await once("fleet", "status", "--fleet", address, "--json")).stdout) as {
      services: { name: string; metadata: object }[];
    };
    expect(listed.services.find(({ name }) => name === "quay")).toMatchObject({ metadata: { kind: "tools", tools: "2" } });
    expect((await once("fleet", "status", "--fleet", address)).stdout).toMatch(/^SERVICE +MACHINE +KIND +HOLDS/);
    expect(await once("fleet", "drain", "quay", "--fleet", address)).toMatchObject({
      code: 0,
      stderr: "hawser: 1 machine was told to leave\n",
    });
    expect(await offered.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("hawser: was told to leave (hawser fleet drain); what ran is finished"),
    });
    expect(await once("fleet", "drain", "quay", "--fleet", address)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no machine of the fleet is called "quay"'),
    });
  });

  it("tools whose server takes them no more end with the reason and its exit code", async () => {
    const server = await openServer();
    const port = Number(new URL(server.address).port);
    const offered = run("expose", tools, "--fleet", server.address, "--name", "berth");
    await until(async () => (await once("fleet", "status", "--fleet", server.address)).stdout.includes("berth"));
    await server.stop();
    await openServer({ port, more: 'authorization { user: "ada", password: "secret" }' });
    expect(await offered.ended).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/hawser: the connection to .* is closed for good.*Authorization/),
    });
  });

  it("whose server is gone still end as they are told: tools, a runtime, a worker of calls, an agent for other SDKs, a host", async () => {
    const { address: gone, stop } = await openServer();
    const data = makeFolder("data");
    const started = [
      run("expose", tools, "--fleet", gone, "--name", "quay"),
      run("agent", "--fleet", gone, "--model", "offline", "--data-dir", data),
      run("fleet", "agent", "--fleet", gone, "--model", "offline", "--data-dir", data),
      run("rpc", "--fleet", gone, "--site", "quay", "--demo"),
    ];
    const said = started.map(() => "");
    for (const [index, { process: child }] of started.entries()) child.stderr.on("data", (text: string) => (said[index] += text));
    await until(async () => {
      const { stdout } = await once("fleet", "status", "--fleet", gone, "--json");
      return (JSON.parse(stdout) as { services: object[] }).services.length === started.length;
    });
    // A host is no service; it is there when it has said so.
    const host = run("fleet", "host", "--fleet", gone);
    await host.printed("\n");
    started.push(host);
    await stop();
    await until(() => said.every((text) => text.includes("lost the server")));
    for (const { process: child } of started) child.kill("SIGTERM");
    const ends = await Promise.all(started.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual(started.map(() => 0));
    expect(said.join("")).not.toContain("unexpected");
  });

  it("up runs a server until it is told to stop", async () => {
    const up = start(["fleet", "up", "--port", "0"], {
      XDG_DATA_HOME: makeFolder("data"),
      PATH: `${dirname(serverProgram)}${delimiter}${process.env["PATH"]}`,
    });
    const printed = (await up.printed("\n")).trim();
    expect(printed).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
    const empty = `{"servers":"${printed}","services":[],"conversations":[]}\n`;
    const watching = start(["fleet", "status", "--watch", "--json", "--fleet", printed]);
    await watching.printed(`${empty}${empty}`);
    watching.process.kill("SIGTERM");
    expect((await watching.ended).code).toBe(0);
    expect((await once("fleet", "status", "--fleet", printed)).stdout).toContain("no service answers");
    up.process.kill("SIGTERM");
    expect((await up.ended).code).toBe(0);
  });

  it("bridge ends with the reason where the server does not let its account use the service", async () => {
    const permissions = 'permissions: { publish: ["elsewhere"], subscribe: ["_INBOX.ada.>"] }';
    const walled = await openServer({ more: `authorization { users: [{ user: ada, password: secret, ${permissions} }] }` });
    const file = join(makeFolder("credentials"), "ada");
    writeFileSync(file, "ada:secret\n", { mode: 0o600 });
    const bridge = run("bridge", "--fleet", walled.address, "--fleet-credentials", file, "--service", "plant", "--check");
    expect(await bridge.ended).toMatchObject({ code: 2, stderr: expect.stringContaining("does not allow it") });
  });

  it("up, where its ports are in use, says which one and what to do, and nothing of the server's log", async () => {
    // As if it had been started at the port that it was given.
    const port = Number(new URL(address).port);
    const env = { XDG_DATA_HOME: makeFolder("data"), PATH: `${dirname(serverProgram)}${delimiter}${process.env["PATH"]}` };
    const { code, stderr } = await start(["fleet", "up", "--port", String(port)], env).ended;
    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(
        new RegExp(
          `hawser: the NATS server did not start on port ${port}: (?:it|port \\d+, which it needs too,) is in use\\. Perhaps .* another port with --port\n$`,
        ),
      ),
    ]);
    expect(stderr).not.toContain("[");
  });

  it("says what is wrong with an address, credentials and a server that is not there", async () => {
    const folder = makeFolder("credentials");
    const file = join(folder, "open");
    writeFileSync(file, "ada:secret\n", { mode: 0o644 });
    const failures = await Promise.all([
      once("fleet", "status", "--fleet", "http://127.0.0.1:1"),
      once("fleet", "status", "--fleet", "nats://ada:secret@127.0.0.1:1"),
      once("fleet", "status", "--fleet", address, "--fleet-credentials", file),
      once("fleet", "status", "--fleet", "nats://127.0.0.1:1"),
      once("expose", tools, "--fleet", address, "--print", "codex"),
      once("bridge", "--fleet", address),
      once("bridge", "--fleet", "nats://127.0.0.1:1", "--service", "quay", "--check"),
      once("shell", "--fleet", "nats://127.0.0.1:1", "--no-open"),
    ]);
    expect(failures.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("begins with nats:// or tls://"),
      expect.stringMatching(/holds a name or password(?!.*secret)/s),
      expect.stringContaining(`chmod 600 ${file}`),
      expect.stringContaining("hawser fleet up"),
      expect.stringContaining("--fleet offers the tools to other machines"),
      expect.stringContaining("--fleet needs --service"),
      expect.stringMatching(/can't reach a NATS server .*with: npx hawser fleet up --port 1\n$/),
      expect.stringMatching(/^hawser: can't reach a NATS server .*with: npx hawser fleet up --port 1\n$/),
    ]);
    expect(failures.map(({ code }) => code)).toEqual([2, 2, 2, 7, 2, 2, 2, 7]);
    // No address of a page that would not be there.
    expect(failures.at(-1)?.stdout).toBe("");
  });
});
