// A child process that we own: its pipes are a transport, its end is a promise, and it does not
// outlive us. Stopping goes from polite to certain: end its input, wait, SIGTERM, wait, SIGKILL.

import { spawn } from "node:child_process";
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
  const child = spawn(options.command, options.args ?? [], {
    env: options.env,
    cwd: options.cwd,
    stdio: ["pipe", "pipe", options.onStderr ? "pipe" : "inherit"],
    windowsHide: true,
  });
  const { stdin, stdout } = child;
  if (options.onStderr) child.stderr?.on("data", options.onStderr).on("error", () => {});
  const exited = new Promise<ChildExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const drained = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => reject(startFailed(options.command, cause)));
  });
  child.on("error", () => {});
  if (!stdin || !stdout || child.pid === undefined) throw startFailed(options.command);
  const release = onProcessEnd(() => child.kill("SIGKILL"));
  child.once("exit", release);
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

function startFailed(command: string, cause?: Error): HawserError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const reason = code === "ENOENT" ? "there is no such program; check the name and the PATH" : (cause?.message ?? "it has no pipes");
  return new HawserError("start_failed", `can't start ${command}: ${reason}`, { cause, facts: { command } });
}
