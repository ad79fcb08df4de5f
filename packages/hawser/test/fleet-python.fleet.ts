// A fleet with programs in Python: tools of a Python program for an MCP client, and Synadia's agent SDK, which finds and prompts an agent of
// ours. `npm run test:fleet` installs what they import.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { exitOf, textOf } from "../../../test/kit/node-programs.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { makeFolder, runHawser, start, type Running } from "./run-hawser.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const packages = join(root, "node_modules", ".cache", "hawser-fleet-python");

let address = "";
const endings: (() => Promise<unknown>)[] = [];
beforeEach((context) => {
  skipWithoutServer(context);
  if (!existsSync(join(packages, "installed")))
    context.skip("its Python packages are not installed; npm run test:fleet does that where Python is there");
});
beforeAll(async () => {
  if (serverProgram !== "") ({ address } = await openServer());
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

function startPython(file: string, ...args: string[]) {
  const child = spawn("python3", [join(root, "examples", "fleet", file), address, ...args], {
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = exitOf(child);
  endings.push(() => (child.kill("SIGKILL"), ended));
  return { child, ended, stdout: textOf(child.stdout), stderr: textOf(child.stderr) };
}

describe("a tool host in Python", () => {
  async function connect(service: string): Promise<Client> {
    const client = new Client({ name: "test", version: "1.0.0" });
    const args = [builtHawser, "bridge", "--fleet", address, "--service", service];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    endings.push(() => client.close());
    await until(async () => (await client.listTools()).tools.length > 0);
    return client;
  }

  it("has its functions called by an MCP client, with progress, errors and a cancel, and leaves when it is told to", async () => {
    const host = startPython("tool_host.py", "python");
    const client = await connect("python");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "wait"]);
    const sum = await client.callTool({ name: "add", arguments: { a: 40, b: 2 } });
    expect(sum.content).toEqual([{ type: "text", text: "42" }]);
    expect(await client.callTool({ name: "add", arguments: { a: 1, b: "x" } })).toMatchObject({ isError: true });
    const sums = await Promise.all(Array.from({ length: 50 }, (_, a) => client.callTool({ name: "add", arguments: { a, b: 0 } })));
    expect(sums.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual(Array.from({ length: 50 }, (_, a) => String(a)));

    const cancel = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const call = client.callTool({ name: "wait", arguments: {} }, { signal: cancel.signal, onprogress: () => waiting.resolve() });
    await waiting.promise;
    cancel.abort("enough");
    await expect(call).rejects.toThrow("enough");
    const { connection } = await openFleet({ address });
    connection.publish("hawser.fleet.drain", "python");
    expect(await host.ended).toMatchObject({ code: 0 });
  });
});

describe("Synadia's agent SDK", () => {
  const offer = (...args: string[]): Running => {
    const agent = start(["fleet", "agent", "--fleet", address, "--model", "offline", "--no-history", "--owner", "ada", ...args], {
      XDG_CONFIG_HOME: makeFolder("config"),
    });
    endings.push(() => (agent.process.kill("SIGTERM"), agent.ended));
    return agent;
  };
  const untilOffered = (count: number): Promise<void> =>
    until(async () => {
      const { stdout } = await runHawser(["fleet", "status", "--fleet", address, "--json"]);
      return (JSON.parse(stdout) as { services: unknown[] }).services.length >= count;
    });

  it("finds an agent of ours by its name, prompts it, and reads its answer to the end", async () => {
    offer("--name", "plant");
    offer("--name", "office");
    await untilOffered(2);
    const { ended, stdout, stderr } = startPython("prompt_agent.py", "plant", "hello there");
    expect(await ended).toMatchObject({ code: 0 });
    expect(await stderr).toBe("hawser/ada/plant at agents.prompt.hawser.ada.plant\n");
    expect((await stdout).trim()).not.toBe("");
    const again = startPython("prompt_agent.py", "plant", "{");
    expect(await again.ended).toMatchObject({ code: 0 });
  });

  it("prompts the runtimes of the fleet where the agent is shared, and one agent goes on with the conversation of another", async () => {
    const run = (...args: string[]): Running => {
      const started = start(args, { XDG_CONFIG_HOME: makeFolder("config") });
      endings.push(() => (started.process.kill("SIGTERM"), started.ended));
      return started;
    };
    run("agent", "--fleet", address, "--model", "offline");
    await untilOffered(1);
    const first = run("fleet", "agent", "--fleet", address, "--shared", "--owner", "ada", "--name", "shared");
    await untilOffered(2);
    const ask = async (text: string): Promise<void> => {
      const { ended } = startPython("prompt_agent.py", "shared", text);
      expect(await ended).toMatchObject({ code: 0 });
    };
    await ask("remember one");
    first.process.kill("SIGTERM");
    await first.ended;
    run("fleet", "agent", "--fleet", address, "--shared", "--owner", "ada", "--name", "shared");
    await untilOffered(2);
    await ask("remember two");
    const { stdout } = await runHawser(["chat", "--fleet", address, "--list", "--json"]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ conversationId: "fleet-ada-shared" });
    const refused = await runHawser(["fleet", "agent", "--fleet", address, "--shared", "--model", "offline"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--model is for the runtime")]);
  });
});
