// `hawser expose` as a server: what it prints for each client, that it serves until it is told to
// stop, and that nothing of it is left then.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exposedTools, readConfig, startExpose, withClient, type ServerConfig } from "./expose-session.ts";
import { findProcesses, launcher, makeFolder, start } from "./run-hawser.ts";

const socket = expect.stringMatching(/\/claudecode_ipc_[0-9a-f]{32}\.sock$/) as string;
const schema = expect.stringMatching(/\/claudecode_ipc_schema_[0-9a-f]{32}\.json$/) as string;

/** The two paths come last; what is in front of them starts the bridge, and differs in a checkout that is not built. */
function expectServer(command: unknown, args: unknown): void {
  expect(command).toBe(process.execPath);
  expect((args as string[]).slice(-2)).toEqual([socket, schema]);
  expect((args as string[]).at(-3)).toMatch(/bridge/);
}

async function printed(client: string, ending: string): Promise<string> {
  const { running, left } = startExpose([exposedTools, "--print", client, "--name", "harbour"]);
  await running.printed(ending);
  running.process.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(left()).toEqual([]);
  return stdout;
}

describe("hawser expose --address", () => {
  it("prints the same configuration in each run, and leaves nothing", async () => {
    const state = makeFolder("s");
    const args = [exposedTools, "--address", "harbour"];
    const configs: ServerConfig[] = [];
    for (let run = 0; run < 2; run++) {
      const exposed = startExpose(args, { XDG_STATE_HOME: state });
      const config = await readConfig(exposed);
      configs.push(config);
      const names = await withClient(config, async (client) => (await client.listTools()).tools.map(({ name }) => name));
      expect(names.length).toBeGreaterThan(0);
      exposed.running.process.kill("SIGINT");
      const { code, stderr } = await exposed.running.ended;
      expect(code).toBe(0);
      expect(stderr).toContain("the configuration stays valid for every run with --address harbour");
      expect(exposed.left()).toEqual([]);
    }
    expect(configs[1]).toEqual(configs[0]);
    expect(configs[0]?.args.slice(-3)).toEqual(["--follow", `${state}/hawser/harbour.sock`, `${state}/hawser/harbour.json`]);
    expect(readdirSync(`${state}/hawser`)).toEqual([]);
  });
});

describe.concurrent("hawser expose --print", () => {
  it("R60: claude gets an mcpServers file", async () => {
    const file = JSON.parse(await printed("claude", "\n}\n")) as { mcpServers: { harbour: ServerConfig & { type: string } } };
    const { mcpServers, ...rest } = file;
    const { type, command, args, ...more } = mcpServers.harbour;
    expect([type, more, rest]).toEqual(["stdio", {}, {}]);
    expectServer(command, args);
  });

  it("codex gets a table of its config.toml", async () => {
    const [header, command = "", args = "", end, ...more] = (await printed("codex", "]\n")).split("\n");
    expect([header, end, more]).toEqual(["[mcp_servers.harbour]", "", []]);
    // These strings and lists are written the same in TOML and in JSON.
    expect([command.split(" = ")[0], args.split(" = ")[0]]).toEqual(["command", "args"]);
    expectServer(JSON.parse(command.slice("command = ".length)), JSON.parse(args.slice("args = ".length)));
  });

  it("gemini gets a part of its settings.json", async () => {
    const { mcpServers } = JSON.parse(await printed("gemini", "\n}\n")) as { mcpServers: { harbour: ServerConfig } };
    const { command, args, ...more } = mcpServers.harbour;
    expect(more).toEqual({});
    expectServer(command, args);
  });

  it("R60: opencode gets a part of its opencode.json, with one list for command and arguments", async () => {
    const { mcp } = JSON.parse(await printed("opencode", "\n}\n")) as { mcp: Record<string, { command: string[] }> };
    const [command, ...args] = mcp["harbour"]?.command ?? [];
    expect(mcp["harbour"]).toEqual({ type: "local", command: expect.any(Array) });
    expectServer(command, args);
  });

  it("R59 R60: without a client it is the server's configuration itself", async () => {
    const exposed = startExpose([exposedTools]);
    const { running } = exposed;
    const { command, args, ...more } = await readConfig(exposed);
    running.process.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect([code, more]).toEqual([0, { type: "stdio" }]);
    expectServer(command, args);
    expect(stderr).toContain('hawser: offers count, leave, shout as "exposed-tools" until Ctrl-C\n');
  });
});

describe.concurrent("hawser expose, serving", () => {
  it("R61: clients call functions of its process, which keeps its state between them", async () => {
    const exposed = startExpose([exposedTools]);
    const { running } = exposed;
    const config = await readConfig(exposed);
    const counted: unknown[] = [];
    for (const by of [2, 3]) {
      const answer = await withClient(config, (client) => client.callTool({ name: "count", arguments: { by } }));
      counted.push(answer.structuredContent);
    }
    expect(counted).toEqual([
      { counter: 2, pid: running.process.pid },
      { counter: 5, pid: running.process.pid },
    ]);
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it("G7 BRG-11: stdout holds the configuration and nothing that the module or a tool prints", async () => {
    const exposed = startExpose([exposedTools]);
    const { running } = exposed;
    const config = await readConfig(exposed);
    const { content } = await withClient(config, (client) => client.callTool({ name: "shout", arguments: {} }));
    expect(content).toEqual([{ type: "text", text: "shouted" }]);
    running.process.kill("SIGINT");
    const { stdout, stderr } = await running.ended;
    expect(stdout).toBe(`${JSON.stringify({ type: "stdio", ...config }, null, 2)}\n`);
    expect(stderr.match(/^noise: .*$/gm)).toEqual(["noise: at import", "noise: console", "noise: stream", "noise: descriptor"]);
  });

  it("goes on serving when nobody reads its stdout any more", async () => {
    const exposed = startExpose([exposedTools]);
    const { running } = exposed;
    const config = await readConfig(exposed);
    running.process.stdout.destroy();
    const { content } = await withClient(config, (client) => client.callTool({ name: "shout", arguments: {} }));
    expect(content).toEqual([{ type: "text", text: "shouted" }]);
    running.process.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "G8 G9: %s ends it with 0, and no file and no process is left, though its module holds a timer",
    async (signal) => {
      const exposed = startExpose([exposedTools]);
      const { running, left } = exposed;
      await readConfig(exposed);
      expect(left().length).toBeGreaterThan(2);
      running.process.kill(signal);
      expect(await running.ended).toMatchObject({ code: 0, signal: null });
      expect(left()).toEqual([]);
    },
  );

  it("R42 SOK-09: a tool that ends the process takes the files with it", async () => {
    const exposed = startExpose([exposedTools]);
    const { running, left } = exposed;
    const config = await readConfig(exposed);
    const answer = await withClient(config, (client) => client.callTool({ name: "leave", arguments: {} }));
    expect(answer.isError).toBe(true);
    expect(await running.ended).toMatchObject({ code: 3 });
    expect(left()).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "G8 G9: ends and leaves nothing when the program that started it was killed",
    async ({ expect }) => {
      const folder = makeFolder("t");
      const script = `require("node:child_process").spawn(process.execPath, ${JSON.stringify([launcher, "expose", exposedTools])}, { stdio: ["ignore", "inherit", "inherit"] })`;
      const parent = start([], { TMPDIR: folder, HAWSER_TEST_MARK: folder }, ["-e", script]);
      await parent.printed("\n}\n");
      parent.process.kill("SIGKILL");
      await expect.poll(() => readdirSync(folder), { timeout: 50_000 }).toEqual([]);
      await expect.poll(() => findProcesses(`HAWSER_TEST_MARK=${folder}`) ?? [], { timeout: 50_000 }).toEqual([]);
    },
  );
});
