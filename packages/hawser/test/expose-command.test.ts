// `hawser expose … -- command`: the command gets the tools in the words of its client, its exit code
// and its output are ours, signals reach it, and nothing is left when it has ended.

import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exposedTools, fixtures, startExpose, type Exposed } from "./expose-session.ts";
import { findProcesses, launcher, makeFolder, start, type Ended } from "./run-hawser.ts";

const client = [process.execPath, join(fixtures, "mcp-client.ts")];
const waiter = [process.execPath, join(fixtures, "waits-for-signals.ts")];

const startWith = (command: readonly string[], env: NodeJS.ProcessEnv = {}): Exposed =>
  startExpose([exposedTools, "--name", "harbour", "--", ...command], env);

/** Runs to the end and sees that nothing is left. */
async function runWith(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { running, left } = startWith(command, env);
  running.process.stdin.end();
  const ended = await running.ended;
  expect(left()).toEqual([]);
  return ended;
}

interface Recorded {
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, { mcpServers?: object; mcp?: object }>>;
  readonly folders: Readonly<Record<string, unknown>>;
}

/** Starts a stand-in under the client's name, found on the PATH as the client would be. */
async function record(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Recorded> {
  const folder = makeFolder("bin");
  copyFileSync(join(fixtures, "recorder.mjs"), join(folder, name));
  chmodSync(join(folder, name), 0o755);
  const path = [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { code, stdout, stderr } = await runWith([name, ...args], { PATH: path, ...env });
  expect([code, stderr]).toEqual([0, "noise: at import\n"]);
  return JSON.parse(stdout) as Recorded;
}

const server = { command: process.execPath, args: expect.arrayContaining([expect.stringMatching(/\.sock$/)]) as string[] };

describe.concurrent("the command of a client", () => {
  it("claude gets the server as one word in front of its own, where it swallows neither a prompt nor a subcommand", async () => {
    const { args } = await record("claude", ["-p", "--", "--say hello"]);
    const [added = "", ...own] = args;
    expect(own).toEqual(["-p", "--", "--say hello"]);
    const [option, config = ""] = added.split(/=(.*)/s);
    expect(option).toBe("--mcp-config");
    expect(JSON.parse(config)).toEqual({ mcpServers: { harbour: { type: "stdio", ...server } } });
  });

  it("codex gets settings on its command line", async () => {
    const { args } = await record("codex", ["exec", "say hello"]);
    expect(args.slice(-2)).toEqual(["exec", "say hello"]);
    const settings = args.slice(0, -2).filter((arg) => arg !== "-c");
    expect(settings.map((setting) => setting.split("=")[0])).toEqual([
      "mcp_servers.harbour.command",
      "mcp_servers.harbour.args",
      "mcp_servers.harbour.required",
    ]);
    // These strings and lists are written the same in TOML and in JSON.
    expect(settings.map((setting) => JSON.parse(setting.slice(setting.indexOf("=") + 1)) as unknown)).toEqual([
      server.command,
      server.args,
      true,
    ]);
  });

  it("gemini gets an extension in a home that shows the user's own, and its arguments untouched", async () => {
    const own = join(makeFolder("home"), ".gemini");
    mkdirSync(join(own, "extensions", "mine"), { recursive: true });
    writeFileSync(join(own, "settings.json"), '{ "mine": true }');
    const { args, files, folders } = await record("gemini", ["-p", "say hello"], { GEMINI_CLI_HOME: dirname(own) });
    expect([args, Object.keys(files)]).toEqual([["-p", "say hello"], ["HAWSER_MCP_CONFIG"]]);
    expect(files["HAWSER_MCP_CONFIG"]).toEqual({ mcpServers: { harbour: { type: "stdio", ...server } } });
    const extension = expect.objectContaining({ name: "hawser", mcpServers: { harbour: server } }) as object;
    expect(folders["GEMINI_CLI_HOME"]).toEqual({
      ".gemini": { extensions: { hawser: { "gemini-extension.json": extension }, mine: {} }, "settings.json": { mine: true } },
    });
    // What was shown is still there when the session's folders have gone.
    expect([readdirSync(own).toSorted(), readdirSync(join(own, "extensions"))]).toEqual([["extensions", "settings.json"], ["mine"]]);
  });

  it("opencode gets a configuration file by its environment, and its arguments untouched", async () => {
    const { args, files } = await record("opencode", ["run", "say hello"]);
    expect(args).toEqual(["run", "say hello"]);
    const command = expect.arrayContaining([process.execPath]) as string[];
    expect(files["OPENCODE_CONFIG"]).toEqual({ mcp: { harbour: { type: "local", command } } });
  });

  it("gets nothing added when its arguments say where the file goes", async () => {
    const { args, files } = await record("claude", ["--mcp-config", "{config}", "--strict-mcp-config"]);
    expect(args).toEqual(["--mcp-config", expect.stringMatching(/\/mcp\.json$/), "--strict-mcp-config"]);
    expect(files["HAWSER_MCP_CONFIG"]).toEqual({ mcpServers: { harbour: { type: "stdio", ...server } } });
  });
});

describe.concurrent("the command", () => {
  it("R61: is a real MCP client that calls a function of hawser's process", async () => {
    const { running, left } = startWith([...client, "{config}", "count", '{"by":5}']);
    running.process.stdin.end();
    const { code, stdout } = await running.ended;
    expect([code, JSON.parse(stdout)]).toEqual([0, { counter: 5, pid: running.process.pid }]);
    expect(left()).toEqual([]);
  });

  it("G7: is alone on stdout; what tools print goes to stderr", async () => {
    const { code, stdout, stderr } = await runWith([...client, "{config}", "shout"]);
    expect([code, stdout]).toEqual([0, "shouted\n"]);
    expect(stderr).toBe("noise: at import\nnoise: console\nnoise: stream\nnoise: descriptor\n");
  });

  it("may read the file's path from its environment; one that hawser does not know gets a hint how", async () => {
    const { code, stdout, stderr } = await runWith([...client, "-", "shout"]);
    expect([code, stdout]).toEqual([0, "shouted\n"]);
    expect(stderr).toMatch(
      /hawser: node is not a client that hawser knows; write \{config\} in its arguments where the path of an mcpServers file belongs, or read it from HAWSER_MCP_CONFIG\n/,
    );
  });

  it("G9: gets a file that only this user can read, in a directory that only this user can enter", async () => {
    const script = `const fs = require("node:fs"), path = process.argv[1]; console.log([path, require("node:path").dirname(path)].map((one) => (fs.statSync(one).mode & 0o777).toString(8)).join())`;
    expect(await runWith([process.execPath, "-e", script, "{config}"])).toMatchObject({ code: 0, stdout: "600,700\n" });
  });

  it.each([
    ["its exit code", "process.exit(7)", 7],
    ["0", "", 0],
    ["128 and the number of the signal that ended it", "process.kill(process.pid, 'SIGKILL')", 137],
    ["128 and the number of another signal", "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 143],
  ])("gives hawser %s", async (_, script, code) => {
    expect(await runWith([process.execPath, "-e", script, "{config}"])).toMatchObject({ code, signal: null });
  });

  it("that does not exist, or can't be run, is named with what to do and exit code 2", async () => {
    const missing = await runWith(["no-such-client"]);
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    expect(missing.stderr).toMatch(/\nhawser: can't start no-such-client: there is no such program; check the name and the PATH\n$/);
    const known = await runWith(["claude"], { PATH: "/nowhere" });
    expect([known.code, known.stderr]).toEqual([
      2,
      "noise: at import\nhawser: can't start claude: there is no such program; check the name and the PATH; to install it: npm install -g @anthropic-ai/claude-code\n",
    ]);
    const unrunnable = await runWith([exposedTools]);
    expect([unrunnable.code, unrunnable.stderr.includes(`hawser: can't start ${exposedTools}: `)]).toEqual([2, true]);
  });

  it("and --print are two ways to go", async () => {
    const running = start(["expose", exposedTools, "--print", "codex", "--", "codex"]);
    const message = "hawser: --print is for a client that you start yourself; leave it out, or the command\n";
    expect(await running.ended).toMatchObject({ code: 2, stdout: "", stderr: message });
  });
});

describe.concurrent("signals", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s is passed on, and the command decides when and how to end", async (signal) => {
    const { running, left } = startWith([...waiter, "{config}"]);
    await running.printed("ready");
    running.process.kill(signal);
    const { code, stdout } = await running.ended;
    expect([code, stdout.split("\n")[1]]).toEqual([5, `got ${signal}`]);
    expect(left()).toEqual([]);
  });

  it("Ctrl-C on a terminal reaches both: the command once, and hawser ends with it", async (context) => {
    if (process.platform !== "linux" || !existsSync("/usr/bin/script")) context.skip("needs `script` of util-linux for a terminal");
    const { expect } = context;
    const folder = makeFolder("t");
    // Without `exec`, a shell that stays between would answer Ctrl-C itself.
    const words = [process.execPath, launcher, "expose", exposedTools, "--", ...waiter, "{config}"];
    const terminal = spawn(
      "/usr/bin/script",
      ["--quiet", "--return", "--command", `exec ${words.map((word) => `'${word}'`).join(" ")}`, "/dev/null"],
      {
        env: { ...process.env, TMPDIR: folder, HAWSER_TEST_MARK: folder, NO_COLOR: "1" },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
    const ended = new Promise((resolve) => terminal.once("close", resolve));
    await expect.poll(() => shown, { timeout: 50_000 }).toContain("ready");
    terminal.stdin.write("\u0003");
    expect(await ended).toBe(5);
    expect(shown).toMatch(/got SIGINT\r\n$/);
    expect(readdirSync(folder)).toEqual([]);
    expect(findProcesses(`HAWSER_TEST_MARK=${folder}`)).toEqual([]);
  });

  it("a tool that ends hawser ends the command, too", async ({ expect }) => {
    const folder = makeFolder("t");
    const mark = join(folder, "started");
    const script = `const { spawn } = require("node:child_process"); spawn(process.execPath, ${JSON.stringify([client[1], "-", "leave"])}, { stdio: "ignore" }); process.on("SIGTERM", () => { require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); process.exit() }); setInterval(() => {}, 1000)`;
    const { running, left } = startWith([process.execPath, "-e", script]);
    expect(await running.ended).toMatchObject({ code: 3 });
    await expect.poll(() => existsSync(mark), { timeout: 50_000 }).toBe(true);
    await expect.poll(left, { timeout: 50_000 }).toEqual([]);
  });
});
