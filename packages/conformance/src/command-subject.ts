// A subject that is a command: started for every scenario, spoken to through its pipes. Scenarios
// send broken bytes and end the input alone, so the pipes are used as they are, below any transport.
// The command runs in a process group of its own: whatever it starts (a shell, npx) is gone with it.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { HawserError } from "@hawser/wire";
import { onProcessEnd } from "@hawser/wire/node";
import type { Exit, Session, Subject } from "./subject.ts";
import { isSettledWithin } from "./wait.ts";

export interface CommandSubjectOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The file mode mask of the command; our own unless given. */
  readonly umask?: number | undefined;
  /** After a scenario: time to end by itself when its input ends, and then after SIGTERM. */
  readonly stopInputMs?: number;
  readonly stopSignalMs?: number;
}

type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

const defaultStopMs = 1_000;
const maxLastWordsBytes = 2_000;
const hasGroups = process.platform !== "win32";

export function commandSubject(options: CommandSubjectOptions): Subject {
  return {
    name: [options.command, ...(options.args ?? [])].join(" "),
    hasProcess: true,
    open: () => startCommand(options),
  };
}

/** Starts the command; its session must be closed. */
export type StartCommand = (options: CommandSubjectOptions) => Promise<Session>;

export async function startCommand(options: CommandSubjectOptions): Promise<Session> {
  const child = spawnCommand(options);
  // From the first moment: we may be told to end before we hear that it runs.
  const release = onProcessEnd(() => killGroup(child));
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => reject(startFailed(options.command, cause)));
  }).catch((error: unknown) => {
    release();
    throw error;
  });
  // A subject may die at any moment; its streams' errors are seen where they are used.
  for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.on("error", () => {});
  const lastWords = keepLastWords(child.stderr);
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    child.stdin.end();
    if (!(await isSettledWithin(exited, options.stopInputMs ?? defaultStopMs))) {
      child.kill("SIGTERM");
      await isSettledWithin(exited, options.stopSignalMs ?? defaultStopMs);
    }
    // Always: the command itself may be gone and have left something behind that holds its pipes.
    killGroup(child);
    await exited;
    release();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  return {
    input: child.stdin,
    output: child.stdout,
    process: { pid: child.pid ?? 0, exited, kill: (signal) => void child.kill(signal as NodeJS.Signals) },
    lastWords,
    close: () => (closing ??= close()),
  };
}

function spawnCommand(options: CommandSubjectOptions): PipedChild {
  const { env, cwd } = options;
  // A child inherits the mask of the moment in which it is started, and it is started before this returns.
  const ownUmask = options.umask === undefined ? undefined : process.umask(options.umask);
  try {
    return spawn(options.command, options.args ?? [], {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      detached: hasGroups,
      windowsHide: true,
    });
  } catch (cause) {
    // Some failures come by 'error', others (arguments that are too long) at once.
    throw startFailed(options.command, cause as Error);
  } finally {
    if (ownUmask !== undefined) process.umask(ownUmask);
  }
}

function killGroup(child: PipedChild): void {
  if (!hasGroups || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of the group is left, which is what we want.
  }
}

/** Reads a log to its end and keeps the last bytes of it. */
function keepLastWords(log: Readable): () => string {
  let kept = Buffer.alloc(0);
  log.on("data", (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-maxLastWordsBytes);
  });
  return () => kept.toString("utf8").trim();
}

function startFailed(command: string, cause: NodeJS.ErrnoException): HawserError {
  const reason = cause.code === "ENOENT" ? "there is no such program; check the name and the PATH" : cause.message;
  return new HawserError("start_failed", `can't start ${command}: ${reason}`, { cause, facts: { command } });
}
