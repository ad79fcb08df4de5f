// The command line itself: help, mistakes in the arguments, exit codes.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseWhole } from "../src/command-line/command.ts";
import { commandName } from "../src/command-line/launcher.ts";
import { launcher, runHawser, start } from "./run-hawser.ts";

const request = '{"id":"1","kind":"echo","value":1}\n';

describe.concurrent("help", () => {
  it.each(["hawser", "hawser expose", "hawser bridge", "hawser echo", "hawser conform", "hawser tour"])(
    "%s --help explains with examples and exits 0",
    async (command) => {
      const { code, stdout, stderr } = await runHawser([...command.split(" ").slice(1), "--help"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(new RegExp(`^Usage: npx ${command} `));
      expect(stdout).toMatch(/\nExamples:\n {2}\$ .*npx hawser/);
      expect(stdout).toMatch(/--version/);
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  it.each(["commands.md", "platforms.md"])("every command that it lists stands on the page %s", async (page) => {
    const { stdout } = await runHawser(["--help"]);
    const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
    const text = readFileSync(join(import.meta.dirname, "../../../docs", page), "utf8");
    const named = new Set([...text.matchAll(/`([^`]+)`/g)].flatMap(([, words = ""]) => words.split(/[^a-z-]+/)));
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.filter((name) => !named.has(name))).toEqual([]);
  });

  it("without a command prints the help on stderr and exits 2", async () => {
    const { code, stdout, stderr } = await runHawser([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage: npx hawser/);
  });

  it("explains a command by its words, however deep it lies", async () => {
    expect((await runHawser(["help", "config", "profile", "add"])).stdout).toMatch(/^Usage: npx hawser config profile add /);
    expect((await runHawser(["config", "help", "profile"])).stdout).toMatch(/^Usage: npx hawser config profile /);
    expect(await runHawser(["help"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Usage: npx hawser \[options\]/),
    });
  });

  it("prints the version after any command", async () => {
    expect((await runHawser(["echo", "--version"])).stdout).toBe((await runHawser(["--version"])).stdout);
  });
});

describe.concurrent("names", () => {
  it("are what works in the reader's shell: npx in a checkout and for who came through it, else hawser alone", () => {
    expect([commandName({}, true), commandName({ npm_command: "exec" }, false), commandName({}, false)]).toEqual([
      "npx hawser",
      "npx hawser",
      "hawser",
    ]);
  });
});

describe.concurrent("a reader that has gone", () => {
  it.each([[["--help"]], [["conform", "--help"]], [["bridge", "--help"]]])("%j ends quietly with exit code 0", async (args) => {
    const running = start(args);
    running.process.stdout.destroy();
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  it.each([[[]], [["ech"]], [["conform", "nothing"]]])("mistakes of %j end with exit code 2 all the same", async (args) => {
    const running = start(args);
    running.process.stderr.destroy();
    expect(await running.ended).toMatchObject({ code: 2, signal: null });
  });

  it("a full disk is a failure", async (context) => {
    if (!existsSync("/dev/full")) context.skip("needs /dev/full");
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [launcher, "--help"], { stdio: ["ignore", full, "inherit"] });
    closeSync(full);
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
  });
});

const mistakes: readonly [string, readonly string[], string][] = [
  ["an unknown command", ["ech"], "hawser: unknown command 'ech' (Did you mean echo?)\nusage: npx hawser [options] [command]"],
  [
    "an unknown option",
    ["echo", "--worker", "1"],
    "hawser: unknown option '--worker' (Did you mean --workers?)\nusage: npx hawser echo [options]",
  ],
  ["a folder as a word", ["shell", "examples"], "hawser: too many words: a folder to work in is given with --root <folder>"],
  ["a word too many", ["tour", "now"], "hawser: too many words: this command takes 0, and there are 1"],
  ["an unknown codec", ["echo", "--codec", "xml"], "hawser: --codec can't be 'xml': "],
  ["a codec for the socket", ["echo", "--socket", "--codec", "ndjson"], "hawser: --socket can't be used together with --codec"],
  [
    "no suite",
    ["conform"],
    "hawser: say which suite to run, for example: npx hawser conform rpc -- node my-server.js; there are: echo, bridge, parent, rpc",
  ],
  ["help about an unknown command", ["help", "nope"], "hawser: unknown command 'nope'; there are: "],
  ["help about an unknown command of a group", ["api", "help", "nope"], "hawser: unknown command 'nope'; there are: list, "],
  ["an unknown suite", ["conform", "ecko", "--", "cat"], 'hawser: there is no suite "ecko"; there are: '],
  [
    "no command to run",
    ["conform", "echo"],
    "hawser: say what to run after --, for example: npx hawser conform echo -- node my-server.js\n",
  ],
  [
    "a program that does not exist",
    ["conform", "echo", "--", "no-such-program"],
    "hawser: can't start no-such-program: there is no such program;",
  ],
  ["an unknown scenario", ["conform", "echo", "--only", "zz", "--", "cat"], 'hawser: the echo suite has no scenario "zz"; it has: shapes,'],
];

describe.concurrent("mistakes", () => {
  it.each(mistakes)("%s is answered with what to do and exit code 2", async (_, args, message) => {
    const { code, stdout, stderr } = await runHawser(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.slice(0, message.length)).toBe(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each(["0", "-1"])("RPC-15 R109: --workers %s exits 2 with a usage line before stdin is read", async (value) => {
    const { code, stdout, stderr } = await runHawser(["echo", "--workers", value], { input: request });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `hawser: --workers can't be '${value}': Give a whole number from 1 to 1024.\n` +
        "usage: npx hawser echo [options]   (npx hawser echo --help explains)\n",
    );
  });

  it.each(["0", "1000000000"])("RPC-15 R110: --queue-size %s exits 2 before stdin is read", async (value) => {
    const { code, stdout, stderr } = await runHawser(["echo", "--queue-size", value], { input: request });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`can't be '${value}': Give a whole number from 1 to 100000.\nusage: `);
  });

  it("RPC-15: what is not a whole number, or is out of bounds, is refused wherever a number is wanted", () => {
    const parse = parseWhole(1, 1_024);
    for (const value of ["0", "-1", "1e9", "NaN", "1.5", "1025", "1000000000", ""])
      expect(() => parse(value)).toThrow("Give a whole number from 1 to 1024.");
    expect([parse("1"), parse("1024")]).toEqual([1, 1_024]);
  });

  it("says once which names of HAWSER_DEBUG mean nothing, and nothing about those that do", async () => {
    const unknown = await runHawser(["version"], { env: { HAWSER_DEBUG: "stack,stak,\u001b[31m" } });
    expect([unknown.code, unknown.stderr]).toEqual([
      0,
      'hawser: HAWSER_DEBUG: "stak,\\u001b[31m" means nothing; there are: protocol, protocol-full, stack\n',
    ]);
    expect((await runHawser(["version"], { env: { HAWSER_DEBUG: "protocol,stack" } })).stderr).toBe("");
    expect((await runHawser(["version"], { env: { HAWSER_DEBUG: "" } })).stderr).toBe("");
  });

  it("shows a stack trace only when it is asked for", async () => {
    const args = ["conform", "nothing", "--", "cat"];
    const { stderr } = await runHawser(args, { env: { HAWSER_DEBUG: "stack" } });
    expect(stderr).toMatch(/\n\s+at .*conform/);
    expect((await runHawser(args)).stderr.split("\n")).toHaveLength(2);
  });
});
