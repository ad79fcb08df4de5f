// `hawser acp` driven by real clients of ACP: acpx, and a program on the official Python SDK. A client on the TypeScript SDK does
// the same in packages/hawser/test/acp.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "vitest";
import { hawserCommand, makeStage, type Stage } from "../../packages/hawser/test/agent/agent-stage.ts";
import { installed, pythonPackages } from "./installed.ts";

const acpx = join(installed, "acpx", "dist", "cli.js");
const program = join(import.meta.dirname, "fixtures", "acp_client.py");
const hawser = hawserCommand(["acp", "--model", "offline"]);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: string, args: readonly string[], { folder, env }: Stage, more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("exit", resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

const noteIn = ({ folder }: Stage): string | undefined =>
  existsSync(join(folder, "note.txt")) ? readFileSync(join(folder, "note.txt"), "utf8") : undefined;

describe("acpx", () => {
  const say = (stage: Stage, flag: string): Promise<Ended> => {
    const agent = ["--agent", hawser.join(" "), "--cwd", stage.folder];
    return run(process.execPath, [acpx, ...agent, flag, "--format", "json", "exec", 'write "hello" to note.txt'], stage);
  };

  it.for([
    ["--approve-all", 0, "completed", "hello"],
    // It says by its exit code that something was denied.
    ["--deny-all", 5, "failed", undefined],
  ] as const)("%s: a turn with one question ends once, and the file is there or not", async ([flag, exitCode, status, note], test) => {
    const { expect, skip } = test;
    skip(!existsSync(acpx), "not installed: npm run test:agents does that");
    const stage = makeStage();
    const { code, stdout, stderr } = await say(stage, flag);
    const lines = stdout.trim().split("\n");
    expect([code, stderr, lines.at(-1)]).toEqual([exitCode, "", expect.stringContaining('"stopReason":"end_turn"')]);
    expect(lines.filter((line) => line.includes('"method":"session/request_permission"'))).toHaveLength(1);
    expect(stdout).toContain(`"status":"${status}"`);
    expect(noteIn(stage)).toBe(note);
  });
});

describe("the Python SDK", () => {
  it.for([
    ["allow_once", "end_turn", "hello"],
    ["reject_once", "end_turn", undefined],
    ["wait", "cancelled", undefined],
  ] as const)(
    "a question answered with %s, and the session loaded by a second process",
    async ([decision, stop, note], { expect, skip }) => {
      skip(!existsSync(join(pythonPackages, "acp")), "not installed: npm run test:agents does that where there is Python with pip");
      const stage = makeStage();
      const ended = await run("python3", [program, stage.folder, decision, ...hawser], stage, { PYTHONPATH: pythonPackages });
      expect(ended).toMatchObject({ code: 0 });
      const seen = JSON.parse(ended.stdout) as { kinds: string[]; replayed: string[] };
      expect(seen).toMatchObject({ version: 1, stop });
      expect(seen.kinds).toEqual(expect.arrayContaining(["agent_message_chunk", "tool_call"]));
      expect(seen.replayed).toEqual(expect.arrayContaining(["user_message_chunk", "agent_message_chunk"]));
      expect(noteIn(stage)).toBe(note);
    },
  );
});
