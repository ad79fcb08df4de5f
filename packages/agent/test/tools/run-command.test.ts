// Commands: started without a shell, with their own environment, bounded in time and output, and gone afterwards.

import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createRunCommand } from "../../src/tools/run-command.ts";
import { createToolStage, type ToolStage } from "./tool-stage.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { until } from "../../../../test/kit/until.ts";

/** A gigabyte in the long form. */
const floodMegabytes = process.env[longTestsVariable] === undefined ? 128 : 1_024;

let stage: ToolStage;
afterEach(() => stage.remove());

const node = process.execPath;
const stageWith = async (options: Parameters<typeof createToolStage>[0] = {}): Promise<void> => {
  stage = await createToolStage({ allowedCommands: [node, "echo", "env", "sh", "sleep", "no-such-program"], ...options });
};
const script = (code: string, ...args: string[]): Promise<Record<string, unknown>> =>
  stage.run("run_command", { command: node, args: ["-e", code, ...args] });

describe("run_command", () => {
  it("runs an allowed program in the root folder, with an empty input", async () => {
    await stageWith();
    const result = await script(`process.stdin.on("data", () => {}).on("end", () => console.log(process.cwd()))`);
    expect(result).toEqual({ exitCode: 0, stdout: `${stage.root}\n`, stderr: "" });
  });

  it("is not offered when nothing is allowed", async () => {
    stage = await createToolStage();
    await expect(stage.run("run_command", { command: "echo" })).rejects.toThrow('there is no tool "run_command"');
  });

  it("CMD-03: gives the exit code and stderr of a program that fails, and the signal that ended it", async () => {
    await stageWith();
    expect(await script(`console.error("no"); process.exit(3)`)).toEqual({ exitCode: 3, stdout: "", stderr: "no\n" });
    expect(await script(`process.kill(process.pid, "SIGKILL")`)).toEqual({ exitCode: null, signal: "SIGKILL", stdout: "", stderr: "" });
  });

  it("CMD-03: a flood of output keeps its beginning and its end, marked as truncated", { timeout: 300_000 }, async () => {
    // Through a pipe, in many small pieces: seconds of its own time, and minutes on a busy machine.
    await stageWith({ commandTimeoutMs: 280_000 });
    const result = await script(`const fs = require("node:fs");
      const write = (bytes) => { for (let at = 0; at < bytes.length; ) try { at += fs.writeSync(1, bytes, at); } catch {} };
      write(Buffer.from("first€"));
      const block = Buffer.alloc(1 << 20, "€x");
      for (let count = 0; count < ${floodMegabytes}; count++) write(block);
      write(Buffer.from("last"));`);
    const stdout = result["stdout"] as string;
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(Buffer.byteLength(stdout)).toBeLessThan(agentLimits.commandOutputBytes + 100);
    expect(stdout).toMatch(/^first€€x/);
    expect(stdout).toMatch(/bytes left out …\]\n/);
    expect(stdout.endsWith("last")).toBe(true);
  });

  it("CMD-03: binary output and invalid UTF-8 become well-formed text, and it is said", async () => {
    await stageWith();
    const result = await script(`process.stdout.write(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x00, 0xed, 0xa0, 0x80]))`);
    expect(result).toMatchObject({ exitCode: 0, notUtf8: true });
    expect((result["stdout"] as string).isWellFormed()).toBe(true);
    expect(result["stdout"]).toMatch(/^a\ufffd/);
  });

  it("CMD-03: characters cut by a pipe's chunks arrive whole", async () => {
    await stageWith();
    const result = await script(`const bytes = Buffer.from("ä€😀".repeat(50)); let at = 0;
      const next = () => at < bytes.length && process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next)); next();`);
    expect(result).toEqual({ exitCode: 0, stdout: "ä€😀".repeat(50), stderr: "" });
  });

  it("CMD-03: says when there is no such program, and when arguments are too long or contain NUL", async () => {
    await stageWith();
    expect(await stage.fails("run_command", { command: "no-such-program" })).toContain("no such program on the PATH");
    expect(await stage.fails("run_command", { command: node, args: ["x".repeat(4_000_000)] })).toContain("too long for the system");
    expect(await stage.fails("run_command", { command: node, args: ["-e", "a\0b"] })).toContain("args[1] contains a NUL");
    expect(await stage.fails("run_command", { command: node, args: ["\ud800"] })).toContain("well-formed");
  });

  it("CMD-03: ends a program that takes too long with everything that it started", async () => {
    await stageWith({ commandTimeoutMs: 8_000 });
    // A shell, since it has started its child long before its time is over, on a busy machine too.
    const code = "trap '' TERM; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; while :; do wait; done";
    const result = await stage.run("run_command", { command: "sh", args: ["-c", code] });
    expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true });
    for (const pid of String(result["stdout"]).trim().split("\n")) await expectGone(Number(pid));
  });

  it.runIf(process.platform === "linux").each(["ends", "is cancelled"])(
    "G9: what a program has started in a session of its own is gone when it %s",
    async (how) => {
      await stageWith();
      const cancel = new AbortController();
      // It has left the group for sure when it says its id.
      const leave = `setsid sh -c 'echo $$ > new; mv new left; exec sleep 1000' & while [ ! -e left ]; do sleep 0.05; done`;
      const args = ["-c", how === "ends" ? leave : `${leave}; wait`];
      const call = stage.run("run_command", { command: "sh", args }, cancel.signal);
      const left = join(stage.root, "left");
      if (how !== "ends") {
        await expect.poll(() => existsSync(left)).toBe(true);
        cancel.abort(new Error("cancelled by the user"));
      }
      await call.catch(() => {});
      await expectGone(Number(readFileSync(left, "utf8")));
    },
  );

  it("CMD-03: what a program leaves running in its group ends with it", async () => {
    await stageWith();
    const result = await script(`const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      console.log(child.pid); child.unref(); process.exit(0);`);
    expect(result).toMatchObject({ exitCode: 0 });
    await expectGone(Number(result["stdout"]));
  });

  it("G9: a cancelled command is gone before the call ends", async () => {
    await stageWith();
    const cancel = new AbortController();
    const code = `require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`;
    const call = stage.run("run_command", { command: node, args: ["-e", code] }, cancel.signal);
    call.catch(() => {});
    const pidFile = join(stage.root, "pid");
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    cancel.abort(new Error("cancelled by the user"));
    await expect(call).rejects.toThrow("cancelled by the user");
    await expectGone(Number(readFileSync(pidFile, "utf8")));
  });

  it("CMD-04: a command gets the allowed variables only, and no token", async () => {
    const environment = {
      PATH: process.env["PATH"],
      HOME: "/somewhere",
      LC_ALL: "C.UTF-8",
      ANTHROPIC_API_KEY: "canary-token",
      GITHUB_TOKEN: "canary-token",
      NODE_OPTIONS: "--require=canary-token",
      LD_PRELOAD: "canary-token",
      LC_canary: "canary-token",
      HTTPS_PROXY: "http://user:canary-token@proxy",
    };
    await stageWith({ environment });
    const result = await stage.run("run_command", { command: "env" });
    expect(result["stdout"]).not.toContain("canary-token");
    const names = String(result["stdout"])
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    // The last one is ours, and no secret: by it we find what the command leaves behind.
    expect(new Set(names)).toEqual(new Set(["HOME", "LC_ALL", "PATH", ...(process.platform === "linux" ? ["HAWSER_MARK"] : [])]));
  });

  it("CMD-01: a program in the working directory or in a PATH folder of the root is never taken", async () => {
    await stageWith();
    for (const folder of [stage.root, join(stage.root, "src"), stage.outside]) {
      writeFileSync(join(folder, "planted"), "#!/bin/sh\necho ran\n");
      chmodSync(join(folder, "planted"), 0o755);
    }
    const inRoot = join(stage.root, "src");
    symlinkSync(inRoot, join(stage.outside, "link-to-root"));
    const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
    const run = async (PATH: string): Promise<unknown> =>
      createRunCommand({ roots: stage.roots, allowedCommands: ["planted"], environment: { PATH } }).run(
        { command: "planted" } as never,
        context,
      );
    const relativeToRoot = ["", ".", "src", "../root-evil"];
    const inside = [`:${inRoot}:`, stage.root, `${stage.outside}/../root/src`, join(stage.outside, "link-to-root")];
    const before = process.cwd();
    process.chdir(stage.root);
    try {
      for (const PATH of [...relativeToRoot, ...inside]) await expect(run(PATH)).rejects.toThrow("no such program on the PATH");
    } finally {
      process.chdir(before);
    }
    expect(await run(`${inRoot}:${stage.outside}`)).toMatchObject({ exitCode: 0, stdout: "ran\n" });
  });

  it("takes only names and absolute paths as allowed commands", async () => {
    await stageWith();
    for (const command of ["", ".", "..", "./x", "bin/x", "a\0b"]) {
      expect(() => createRunCommand({ roots: stage.roots, allowedCommands: [command] })).toThrow("an absolute path");
    }
  });
});

async function expectGone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(1);
  // Killed is not yet gone: somebody must have collected it.
  for (let round = 0; round < 1_600 && isAlive(pid); round++) await delay(25);
  const isLeft = isAlive(pid);
  if (isLeft) process.kill(pid, "SIGKILL");
  expect(isLeft).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return false;
  }
}
