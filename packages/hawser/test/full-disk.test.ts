// A stdout that can't be written is an error of every command that prints: a sentence on stderr, and not exit code 0.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./run-hawser.ts";
import { hawser, makePlace } from "./gateway-stage.ts";

const tools = join(makeFolder("tools"), "tools.mjs");
writeFileSync(tools, 'export const hello = { name: "hello", description: "Says hello.", input: { type: "object" }, run: () => "hello" };');
const sentence = /can't write the output: ENOSPC: no space left on device/g;

async function runOnFullDisk(args: readonly string[], input: string): Promise<{ code: number | null; stderr: string }> {
  const full = openSync("/dev/full", "w");
  const home = makeFolder("home");
  const env = { ...process.env, HAWSER_DEBUG: undefined, ...makePlace().env, HOME: home, XDG_DATA_HOME: home, HAWSER_MODEL: "offline" };
  const child = spawn(process.execPath, [hawser, ...args], { env, cwd: makeFolder("work"), stdio: ["pipe", full, "pipe"] });
  closeSync(full);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.on("error", () => {}).end(input);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stderr };
}

const commands: [command: string, input?: string][] = [
  ["--version"],
  ["--help"],
  ["call --help"],
  ["call --demo --op gatewayInfo"],
  ["call --demo --op gatewayInfo --json"],
  ["call --demo --batch -", '{"op":"gatewayInfo"}'],
  ["gateway info --demo"],
  ["api list --demo"],
  ["api show --demo gatewayInfo --json"],
  ["doctor --demo"],
  ["config show"],
  ["exit-codes"],
  ["schema"],
  ["completion bash"],
  ["completion zsh"],
  ["complete -- conf"],
  ["conform --list"],
  ["conform echo --only end-idle --json -- node --version"],
  ["chat what is 1 + 1?"],
  ["chat --json what is 1 + 1?"],
  [`expose ${tools}`],
  ["bridge --help"],
];

describe.runIf(existsSync("/dev/full")).concurrent("a full disk behind stdout", () => {
  it.each(commands)("%s: is said once, with exit code 1", async (command, input = "") => {
    const { code, stderr } = await runOnFullDisk(command.split(" "), input);
    expect([code, stderr.match(sentence)?.length], stderr).toEqual([1, 1]);
  });

  it.each([
    ["rpc", '{"id":1,"op":"hello"}\n'],
    ["agent", ""],
    ["echo", '{"id":"1","kind":"echo","value":1}\n'],
  ])("%s, whose stdout is a protocol: is said, with exit code 7", async (command, input) => {
    const { code, stderr } = await runOnFullDisk([command], input);
    expect([code, stderr.match(sentence)?.length], stderr).toEqual([7, 1]);
  });
});
