// The process of the command line by itself, with nobody who listens to it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../../test/kit/processes.ts";
import { until } from "../../../test/kit/until.ts";
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

it.runIf(process.platform !== "win32")("G9: it does not outlive its owner, also when that is killed", async () => {
  const owner = spawn(process.execPath, [join(import.meta.dirname, "fixtures", "cli-owner.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  const pid = Number(String((await once(owner.stdout, "data"))[0]));
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  expect(isRunning(pid)).toBe(true);
  owner.kill("SIGKILL");
  await until(() => !isRunning(pid), undefined, "it is gone");
});
