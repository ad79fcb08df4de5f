// `hawser bridge`: the bridge process under the name of this program. Every argument is the bridge's.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bridgeUsage } from "../../bridge/src/contract/bridge-options.ts";
import { exposedTools, readConfig, startExpose, withClient, type ServerConfig } from "./expose-session.ts";
import { launcher, makeFolder, runHawser } from "./run-hawser.ts";

interface Offered {
  readonly socket: string;
  readonly schema: string;
  stop(): Promise<unknown>;
}

async function offer(): Promise<Offered> {
  const exposed = startExpose([exposedTools]);
  const [socket = "", schema = ""] = (await readConfig(exposed)).args.slice(-2);
  return { socket, schema, stop: () => (exposed.running.process.kill("SIGINT"), exposed.running.ended) };
}

const throughHawser = (...args: string[]): ServerConfig => ({ command: process.execPath, args: [launcher, "bridge", ...args] });

describe.concurrent("hawser bridge", () => {
  it("R57 R61: is an MCP server whose tools run in the program behind the socket", async () => {
    const { socket, schema, stop } = await offer();
    const config = throughHawser("--connections", "2", "--reconnect", "never", socket, schema);
    const names = await withClient(config, async (client) => {
      expect(await client.callTool({ name: "count", arguments: { by: 1 } })).toMatchObject({ structuredContent: { counter: 1 } });
      return (await client.listTools()).tools.map(({ name }) => name);
    });
    expect(names).toEqual(["count", "leave", "shout"]);
    await stop();
  });

  it("H16: --check connects, says hello and reports", async () => {
    const { socket, schema, stop } = await offer();
    for (const args of [
      ["--check", socket, schema],
      [socket, schema, "--check"],
    ]) {
      const { code, stdout, stderr } = await runHawser(["bridge", ...args]);
      expect([code, stdout, stderr]).toEqual([0, "", `ok: 3 tools, the program at ${socket} answers\n`]);
    }
    await stop();
    const folder = makeFolder("schema");
    writeFileSync(join(folder, "schema.json"), "[]");
    const gone = await runHawser(["bridge", "--check", socket, join(folder, "schema.json")]);
    expect([gone.code, gone.stdout, gone.stderr.includes(socket)]).toEqual([2, "", true]);
  });

  it("--help explains every option that the bridge process has, and the exit codes", async () => {
    const { code, stdout, stderr } = await runHawser(["bridge", "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/<socket_path> <schema_path>\n/);
    const options = bridgeUsage.match(/^ {2}--[a-z-]+/gm)?.map((option) => option.trim()) ?? [];
    expect(options).toContain("--connections");
    for (const option of options) expect(stdout).toContain(option);
    expect(stdout.match(/^ {2}\d+ {2}/gm)?.map(Number)).toEqual([0, 1, 2, 143]);
  });

  it.each([[[]], [["only-one"]], [["a", "b", "c"]], [["--no-such-option", "a", "b"]], [["--connections", "0", "a", "b"]]])(
    "R58: %j is answered with the usage and exit code 1",
    async (args) => {
      const { code, stdout, stderr } = await runHawser(["bridge", ...args]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^hawser: [^\n]+\nusage: npx hawser bridge \[options\] <socket_path> <schema_path> {3}/);
    },
  );
});

describe.concurrent("help", () => {
  it("hawser expose --help explains with examples and exits 0", async () => {
    const { code, stdout, stderr } = await runHawser(["expose", "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: npx hawser expose \[options\] <module> \[-- <command\.\.\.>\]\n/);
    expect(stdout).toMatch(/\nExamples:\n {2}\$ npx hawser expose tools\.ts -- claude\n/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
