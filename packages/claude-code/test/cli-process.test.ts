// The process of the command line by itself, with nobody who listens to it.

import { once } from "node:events";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { startCliProcess } from "../src/cli-process.ts";

it("a program that can't be started harms nobody, though nobody listens; it says why", async () => {
  const cli = startCliProcess({ command: "/nowhere/claude", args: [], env: {} }, () => {});
  await cli.gone;
  expect(cli.startError?.message).toContain("can't start /nowhere/claude");
  await cli.end(true);
});

it("whoever reads or writes it is not left waiting when it is ended", async () => {
  const program = "process.stdout.write('{}\\n'.repeat(1_000_000)); setInterval(() => {}, 1000)";
  const cli = startCliProcess({ command: process.execPath, args: ["-e", program], env: {} }, () => {});
  const { stdin, stdout } = cli.spawned;
  await once(stdout, "readable");
  await cli.end(false);
  // More than was read was still in the pipe.
  await finished(stdout.resume());
  expect(stdin.destroyed).toBe(true);
  expect(cli.exit).toEqual({ code: null, signal: "SIGTERM" });
});
