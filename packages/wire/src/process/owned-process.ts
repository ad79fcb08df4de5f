// A process that we started and own: we know when it ended, and it does not outlive us. Stopping goes from polite to certain: end
// its input, wait, SIGTERM, wait, SIGKILL. One that owns a group takes with it what it has started: all of its group, and on
// Linux also what has left the group (process-tree.ts).

import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { HawserError, protocolLimits } from "@hawser/protocol/internal";
import { isSettledWithin } from "../flow/cancel.ts";
import { wireLimits } from "../limits.ts";
import { guardMark, holdGuard } from "./owner-guard.ts";
import { onProcessEnd } from "./process-end.ts";
import { createProcessTree } from "./process-tree.ts";

export interface ProcessOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** Puts it in a process group of its own: it ends with all that it has started. For a command that starts others (a shell, npx). */
  readonly ownsGroup?: boolean | undefined;
  /** It owns a group, which ends also when we are killed and have no time for it (owner-guard.ts). For all that does not end with its input. */
  readonly isGuarded?: boolean | undefined;
  readonly stopInputMs?: number | undefined;
  readonly stopSignalMs?: number | undefined;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OwnedProcess {
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
  /** Whether our process, when it has nothing else to do, goes on because of this one; if not, both end. It does unless told. */
  setKeepsAlive(keepsAlive: boolean): void;
  /** Ends the child and resolves when it is gone. Idempotent. */
  stop(): Promise<ChildExit>;
}

interface StartedProcess extends OwnedProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended and its pipes are closed, or when others have held them open for too long. */
  whenDrained(): Promise<void>;
}

/** Rejects when there is no such program or it may not be run. Has started the process before it returns its promise. */
export async function startProcess(options: ProcessOptions, stdio: StdioOptions): Promise<StartedProcess> {
  const { isGuarded = false, ownsGroup = isGuarded } = options;
  const group = ownsGroup && process.platform !== "win32" ? createGroup(options.env, isGuarded) : undefined;
  let child: ChildProcess | undefined;
  // Before there is a process: a signal that comes while it is started must find this. A program on our terminal
  // gets the chance to put it in order.
  const release = onProcessEnd(() => child && (group ? group.kill(child) : child.kill(stdio === "inherit" ? "SIGTERM" : "SIGKILL")));
  const guard = isGuarded && group ? holdGuard() : undefined;
  const letGo = (): void => {
    guard?.release();
    release();
  };
  const { command, args = [], cwd, env } = options;
  try {
    child = spawn(command, args, { env: group?.env ?? env, cwd, stdio, detached: group !== undefined, windowsHide: true });
  } catch (cause) {
    letGo();
    // Some failures come by 'error', others (arguments too long) at once.
    throw startFailed(options, cause as Error);
  }
  if (child.pid !== undefined) guard?.add(child.pid);
  return watchProcess(child, options, group, letGo);
}

/** `letGo` takes back that it is ended with us. */
async function watchProcess(
  child: ChildProcess,
  options: ProcessOptions,
  group: Group | undefined,
  letGo: () => void,
): Promise<StartedProcess> {
  const exited = new Promise<ChildExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  // What is left of a group is ours to end until it is stopped.
  if (!group) child.once("exit", letGo);
  // A child may die at any moment; its streams' errors are seen where they are used.
  for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter?.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => reject(startFailed(options, cause)));
  }).catch((error: unknown) => {
    letGo();
    throw error;
  });
  let stopping: Promise<ChildExit> | undefined;

  async function stop(): Promise<ChildExit> {
    child.stdin?.end();
    if (!(await isSettledWithin(exited, options.stopInputMs ?? wireLimits.stopInputMs))) {
      group?.look(child);
      child.kill("SIGTERM");
      if (!(await isSettledWithin(exited, options.stopSignalMs ?? wireLimits.stopSignalMs))) child.kill("SIGKILL");
    }
    // Always: the process itself may be gone and have left something behind that holds its pipes.
    group?.kill(child);
    const exit = await exited;
    letGo();
    return exit;
  }

  return {
    child,
    pid: child.pid ?? 0,
    exited,
    kill: (signal) => void child.kill(signal),
    setKeepsAlive(keepsAlive) {
      // The pipes of a child are sockets, each of which would keep us alive by itself.
      const handles = [child, child.stdin, child.stdout, child.stderr] as readonly (Pick<ChildProcess, "ref" | "unref"> | null)[];
      for (const handle of handles) handle?.[keepsAlive ? "ref" : "unref"]();
    },
    stop: () => (stopping ??= stop()),
    whenDrained: async () => void (await isSettledWithin(closed, wireLimits.closeFlushMs)),
  };
}

type Group = ReturnType<typeof createGroup>;

/** A process with everything that it has started. */
function createGroup(env: NodeJS.ProcessEnv | undefined, isGuarded: boolean) {
  const tree = process.platform === "linux" ? createProcessTree(env, isGuarded ? [guardMark] : []) : undefined;
  const look = ({ pid }: ChildProcess): void => (pid === undefined ? undefined : tree?.look(pid));
  return {
    env: tree?.env ?? env,
    look,
    kill(child: ChildProcess): void {
      if (child.pid === undefined) return;
      if (child.exitCode === null && child.signalCode === null) look(child);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // Nothing of the group is left, which is what we want.
      }
      tree?.kill();
    },
  };
}

function startFailed({ command, cwd }: ProcessOptions, cause: NodeJS.ErrnoException): HawserError {
  return new HawserError("start_failed", `can't start ${command}: ${reasonFor(cause, cwd)}`, { cause, facts: { command } });
}

function reasonFor(cause: NodeJS.ErrnoException, cwd: string | undefined): string {
  if (cause.code !== "ENOENT") return cause.message;
  // The system gives the same error for a working directory that is not there.
  if (cwd !== undefined && !existsSync(cwd)) return `its working directory ${cwd} does not exist`;
  return "there is no such program; check the name and the PATH";
}

export type LastWords = ReturnType<typeof createLastWords>;

/** The end of what a process writes to stderr, where one that dies says why, in whole characters. */
export function createLastWords(maxChars: number = protocolLimits.maxErrorTextChars) {
  const decoder = new TextDecoder();
  let text = "";
  return {
    add(chunk: Uint8Array): void {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-maxChars);
      const first = text.charCodeAt(0);
      if (first >= 0xdc00 && first < 0xe000) text = text.slice(1);
    },
    get text() {
      return text;
    },
  };
}

/** `ended with exit code 3; its last words: …`; `said`: what it wrote to stderr. */
export function describeExit({ code, signal }: ChildExit, said: string): string {
  const words = said.trim().split("\n").at(-1);
  return `ended with ${signal ?? `exit code ${code}`}${words ? `; its last words: ${words}` : ""}`;
}
