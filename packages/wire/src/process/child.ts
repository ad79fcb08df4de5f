// A child process that we own: its pipes are a transport, its end is a promise, and it does not
// outlive us. Stopping goes from polite to certain: end its input, wait, SIGTERM, wait, SIGKILL.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Codec } from "../codec/codec.ts";
import { HawserError } from "../errors.ts";
import { limits } from "../limits.ts";
import { createStreamTransport } from "../stream-transport.ts";
import type { Transport } from "../transport.ts";
import { onProcessEnd } from "./process-end.ts";

export interface ChildOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly codec: Codec;
  /** Gets what the child writes to stderr; without it, that goes to our own stderr. */
  onStderr?(chunk: Buffer): void;
  readonly stopInputMs?: number;
  readonly stopSignalMs?: number;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  readonly transport: Transport;
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
  /** Ends the child and resolves when it is gone. Idempotent. */
  stop(): Promise<ChildExit>;
}

/** Starts the child; rejects when there is no such program or it may not be run. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawnChild(options);
  const { stdin, stdout, stderr } = child;
  // From the first moment: we may be told to end before we hear that it runs.
  const release = onProcessEnd(() => child.kill("SIGKILL"));
  if (options.onStderr) stderr?.on("data", options.onStderr).on("error", () => {});
  const exited = new Promise<ChildExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const drained = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("exit", release).on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => reject(startFailed(options, cause)));
  }).catch((error: unknown) => {
    release();
    throw error;
  });
  if (!stdin || !stdout || child.pid === undefined) throw startFailed(options);
  const transport = createStreamTransport({ readable: stdout, writable: stdin, codec: options.codec });
  let stopping: Promise<ChildExit> | undefined;

  async function stop(): Promise<ChildExit> {
    stdin?.end();
    const ladder = [
      { afterMs: options.stopInputMs ?? limits.stopInputMs, signal: "SIGTERM" },
      { afterMs: options.stopSignalMs ?? limits.stopSignalMs, signal: "SIGKILL" },
    ] as const;
    for (const { afterMs, signal } of ladder) {
      if (await isSettledWithin(exited, afterMs)) break;
      child.kill(signal);
    }
    const exit = await exited;
    // Its last words may still be in the pipe; a grandchild that holds the pipe open gets no more time.
    await isSettledWithin(drained, limits.closeFlushMs);
    await transport.close();
    stderr?.destroy();
    return exit;
  }

  return {
    pid: child.pid,
    transport,
    exited,
    kill: (signal) => void child.kill(signal),
    stop: () => (stopping ??= stop()),
  };
}

async function isSettledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<false>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  const isSettled = await Promise.race([promise.then(() => true), timeout.promise]);
  clearTimeout(timer);
  return isSettled;
}

function spawnChild(options: ChildOptions): ChildProcess {
  try {
    return spawn(options.command, options.args ?? [], {
      env: options.env,
      cwd: options.cwd,
      stdio: ["pipe", "pipe", options.onStderr ? "pipe" : "inherit"],
      windowsHide: true,
    });
  } catch (cause) {
    // Some failures come by 'error', others (arguments too long) at once.
    throw startFailed(options, cause as Error);
  }
}

function startFailed({ command, cwd }: ChildOptions, cause?: Error): HawserError {
  return new HawserError("start_failed", `can't start ${command}: ${reasonFor(cause, cwd)}`, { cause, facts: { command } });
}

function reasonFor(cause: Error | undefined, cwd: string | undefined): string {
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return cause?.message ?? "it has no pipes";
  // The system gives the same error for a working directory that is not there.
  if (cwd !== undefined && !existsSync(cwd)) return `its working directory ${cwd} does not exist`;
  return "there is no such program; check the name and the PATH";
}
