// The command line itself: help, mistakes in the arguments, exit codes.

import { describe, expect, it } from "vitest";
import { runHawser } from "./run-hawser.ts";

const request = '{"id":"1","kind":"echo","value":1}\n';

describe.concurrent("help", () => {
  it.each(["hawser", "hawser echo", "hawser conform", "hawser tour"])("%s --help explains with examples and exits 0", async (command) => {
    const { code, stdout, stderr } = await runHawser([...command.split(" ").slice(1), "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: ${command} `));
    expect(stdout).toMatch(/\nExamples:\n {2}\$ .*hawser/);
    expect(stdout).toMatch(/--version/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("without a command prints the help on stderr and exits 2", async () => {
    const { code, stdout, stderr } = await runHawser([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage: hawser/);
  });

  it("prints the version after any command", async () => {
    expect((await runHawser(["echo", "--version"])).stdout).toBe((await runHawser(["--version"])).stdout);
  });
});

const mistakes: readonly [string, readonly string[], string][] = [
  ["an unknown command", ["ech"], "hawser: unknown command 'ech' (Did you mean echo?)\nusage: hawser [options] [command]"],
  [
    "an unknown option",
    ["echo", "--worker", "1"],
    "hawser: unknown option '--worker' (Did you mean --workers?)\nusage: hawser echo [options]",
  ],
  ["a word too many", ["tour", "now"], "hawser: too many arguments for 'tour'."],
  ["an unknown codec", ["echo", "--codec", "xml"], "hawser: option '--codec <name>' argument 'xml' is invalid."],
  ["a codec for the socket", ["echo", "--socket", "--codec", "ndjson"], "hawser: option '--socket' cannot be used with option '--codec"],
  ["no suite", ["conform"], "hawser: missing required argument 'suite'\nusage: hawser conform [options] <suite> -- <command...>"],
  ["an unknown suite", ["conform", "ecko", "--", "cat"], 'hawser: there is no suite "ecko"; there are: '],
  ["no command to run", ["conform", "echo"], "hawser: say what to run after --, for example: hawser conform echo -- node my-server.js\n"],
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

  it.each(["0", "-1", "1e9", "NaN", "1.5", "1025", ""])(
    "RPC-15 R109: --workers %s exits 2 with a usage line before stdin is read",
    async (value) => {
      const { code, stdout, stderr } = await runHawser(["echo", "--workers", value], { input: request });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(
        `hawser: option '--workers <n>' argument '${value}' is invalid. Give a whole number from 1 to 1024.\n` +
          "usage: hawser echo [options]   (hawser echo --help explains)\n",
      );
    },
  );

  it.each(["0", "-1", "1e9", "NaN", "1.5", "1000000000"])("RPC-15 R110: --queue-size %s exits 2 before stdin is read", async (value) => {
    const { code, stdout, stderr } = await runHawser(["echo", "--queue-size", value], { input: request });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`argument '${value}' is invalid. Give a whole number from 1 to 100000.\nusage: `);
  });

  it("shows a stack trace only when it is asked for", async () => {
    const args = ["conform", "nothing", "--", "cat"];
    const { stderr } = await runHawser(args, { env: { HAWSER_DEBUG: "stack" } });
    expect(stderr).toMatch(/\n\s+at .*conform/);
    expect((await runHawser(args)).stderr.split("\n")).toHaveLength(2);
  });
});
