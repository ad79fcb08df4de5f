// Runs the real launcher, as a user's shell or a host does, and waits for its end. Every test file
// gets temporary and cache folders of its own, so that what a command leaves behind can be seen.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { afterAll } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { shareCompiledCode } from "../../../test/kit/code-cache.ts";

export const launcher = join(import.meta.dirname, "..", "bin", "hawser.cjs");
const root = mkdtempSync(join(tmpdir(), "hawser-cli-"));
const keepers: (() => void)[] = [];
afterAll(() => {
  for (const keep of keepers) keep();
  rmSync(root, { recursive: true, force: true });
});

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout holds the text, with everything before it. */
  printed(text: string): Promise<string>;
}

export const makeFolder = (name: string): string => mkdtempSync(join(root, `${name}-`));

/** A cache folder that holds nothing but compiled code. */
export function makeCacheFolder(): string {
  const folder = makeFolder("cache");
  keepers.push(shareCompiledCode(folder));
  return folder;
}

const sharedCache = makeCacheFolder();

/** Starts a program with pipes; `hawser` itself unless another is given. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program: readonly string[] = [builtHawser],
  command: string = process.execPath,
): Running {
  const child = spawn(command, [...program, ...args], {
    // Without the wishes about colour and debugging that whoever runs the tests may have.
    env: { ...process.env, FORCE_COLOR: undefined, HAWSER_DEBUG: undefined, XDG_CACHE_HOME: sharedCache, TMPDIR: root, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const waiters = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of waiters) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve) => child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr })));
  return {
    process: child,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => void (stdout.includes(text) && resolve(stdout));
        waiters.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without printing ${text}: ${stdout}${stderr}`)));
      }),
  };
}

export async function runHawser(
  args: readonly string[],
  { input = "", env = {}, program }: { input?: string | Buffer; env?: NodeJS.ProcessEnv; program?: string } = {},
): Promise<Ended> {
  const running = start(args, env, program === undefined ? undefined : [program]);
  running.process.stdin.end(input);
  return running.ended;
}

/** The ids of running processes that have this variable in their environment; undefined where the system does not say. */
export function findProcesses(variable: string): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(variable);
      } catch {
        return false;
      }
    })
    .map(Number);
}
