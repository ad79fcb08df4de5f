// Runs `hawser agent` and `hawser chat` as a user does: the real launcher, in a folder of its own, without
// keys, without a local model server, and with nothing of the configuration of whoever runs the tests.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { shareCompiledCode } from "../../../../test/kit/code-cache.ts";

const launcher = builtHawser;

const root = mkdtempSync(join(tmpdir(), "hawser-agent-"));
const keepCompiledCode = shareCompiledCode(join(root, "cache"));
afterAll(() => {
  keepCompiledCode();
  rmSync(root, { recursive: true, force: true });
});

export const toolsModule = fileURLToPath(new URL("fixtures/chat-tools.ts", import.meta.url));
export const mcpServer = fileURLToPath(new URL("fixtures/mcp-server.mjs", import.meta.url));

export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A working folder with these files in it, and a home for configuration and data. */
export function makeStage(files: Readonly<Record<string, string>> = {}, config?: object): Stage {
  const home = mkdtempSync(join(root, "home-"));
  const folder = mkdtempSync(join(root, "work-"));
  for (const [path, content] of Object.entries(files)) writeFile(join(folder, path), content);
  if (config) writeFile(join(home, "config", "hawser", "agent.json"), JSON.stringify(config));
  return { folder, home, env: stageEnvironment(home) };
}

export function writeFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function stageEnvironment(home: string): NodeJS.ProcessEnv {
  const keys = [
    "CI",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "HAWSER_MODEL",
    "HAWSER_DEBUG",
    "FORCE_COLOR",
    "NO_COLOR",
  ];
  return {
    ...process.env,
    ...Object.fromEntries(keys.map((key) => [key, undefined])),
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    // Compiled code is kept for all of them: without it each start takes longer.
    XDG_CACHE_HOME: join(root, "cache"),
    OLLAMA_HOST: "http://127.0.0.1:1",
    // Nor is the keychain of the person who runs the tests touched.
    HAWSER_KEYCHAIN: "off",
  };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when this has been printed since the last that was waited for. */
  printed(wanted: string | RegExp): Promise<void>;
}

export const hawserCommand = (args: readonly string[]): [string, ...string[]] => [process.execPath, launcher, ...args];

export function startIn(stage: Stage, args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningProgram {
  return run(hawserCommand(args), stage, env);
}

/** The same on a pseudo-terminal; colours and cursor movements are left out of what `printed` looks at. */
export function startOnTerminal(stage: Stage, args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningProgram {
  return runOnTerminal(hawserCommand(args), stage, env);
}

/** Any program. */
export function runOnTerminal(words: readonly string[], stage: Stage, env: NodeJS.ProcessEnv = {}): RunningProgram {
  const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  // `exec`: a shell that stayed in between, as dash does, would die of a Ctrl-C that is meant for the program.
  return run(["script", "-qfec", `exec ${line}`, "/dev/null"], stage, { TERM: "xterm-256color", ...env });
}

function run([program = "", ...args]: readonly string[], { folder, env: stageEnv }: Stage, env: NodeJS.ProcessEnv): RunningProgram {
  const child = spawn(program, args, { cwd: folder, env: { ...stageEnv, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  let seen = 0;
  let look = (): void => {};
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      look();
    });
  }
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...text })));
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    look();
  });
  return {
    process: child,
    ended,
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    printed: (wanted) =>
      new Promise((resolve, reject) => {
        look = () => {
          const plain = withoutLooks(text.stdout);
          const end = endOf(wanted, plain, seen);
          if (end !== undefined) {
            seen = end;
            resolve();
          } else if (hasEnded) reject(new Error(`ended without printing ${String(wanted)}: ${plain}${text.stderr}`));
        };
        look();
      }),
  };
}

/** For a pattern. */
export const literally = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Where the first such text behind `from` ends. A terminal breaks lines between any words, depending on how long folders' names are. */
function endOf(wanted: string | RegExp, text: string, from: number): number | undefined {
  const pattern =
    typeof wanted === "string"
      ? new RegExp(
          wanted
            .split(" ")
            .map(literally)
            .join(String.raw`\s+`),
        )
      : wanted;
  const match = pattern.exec(text.slice(from));
  return match === null ? undefined : from + match.index + match[0].length;
}

export const withoutLooks = (text: string): string => text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");

export async function runIn(
  stage: Stage,
  args: readonly string[],
  { input, env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const running = startIn(stage, args, env);
  running.process.stdin.end(input ?? "");
  return running.ended;
}

export const toEvents = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export const textOfEvents = (events: readonly Record<string, unknown>[]): string =>
  events.map((event) => (event["type"] === "token" ? String(event["token"]) : "")).join("");
