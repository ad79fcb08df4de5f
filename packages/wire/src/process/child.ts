// Children by what becomes of their pipes: a transport (with a `codec`), streams as they are
// (`stdio: "pipe"`), or our own stdin, stdout and stderr (`stdio: "inherit"`). How they are started,
// stopped and kept from outliving us is the same for all of them: owned-process.ts.

import type { StdioOptions } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Codec } from "../codec/codec.ts";
import { createStreamTransport } from "../transport/stream-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { type ChildExit, type OwnedProcess, type ProcessOptions, type StartedProcess, startProcess } from "./owned-process.ts";

interface WithStderr extends ProcessOptions {
  /** Gets what the child writes to stderr; without it, that goes to our own stderr. */
  onStderr?(chunk: Buffer): void;
}

export interface ChildOptions extends WithStderr {
  readonly codec: Codec;
}

export interface PipedChildOptions extends WithStderr {
  readonly stdio: "pipe";
}

export interface AttachedChildOptions extends ProcessOptions {
  readonly stdio: "inherit";
}

export interface Child extends OwnedProcess {
  readonly transport: Transport;
}

/** `stop` drops unread output. */
export interface PipedChild extends OwnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** Starts the child; rejects when there is no such program or it may not be run. */
export function startChild(options: AttachedChildOptions): Promise<OwnedProcess>;
export function startChild(options: PipedChildOptions): Promise<PipedChild>;
export function startChild(options: ChildOptions): Promise<Child>;
export function startChild(options: ChildOptions | PipedChildOptions | AttachedChildOptions): Promise<OwnedProcess> {
  if ("codec" in options) return startTransportChild(options);
  return options.stdio === "pipe" ? startPipedChild(options) : startProcess(options, "inherit");
}

async function startTransportChild(options: ChildOptions): Promise<Child> {
  const started = await startWithPipes(options);
  const transport = createStreamTransport({ readable: started.stdout, writable: started.stdin, codec: options.codec });
  return withPipes(started, { transport }, async () => {
    // Its last words may still be in the pipe; a grandchild that holds the pipe open gets no more time.
    await started.whenDrained();
    await transport.close();
  });
}

async function startPipedChild(options: PipedChildOptions): Promise<PipedChild> {
  const started = await startWithPipes(options);
  const { stdin, stdout } = started;
  return withPipes(started, { stdin, stdout }, async () => {
    // Its output may have no reader any more; its log is read to the end.
    stdin.destroy();
    stdout.destroy();
    await started.whenDrained();
  });
}

async function startWithPipes(options: WithStderr): Promise<StartedProcess & { stdin: Writable; stdout: Readable }> {
  const stdio: StdioOptions = ["pipe", "pipe", options.onStderr ? "pipe" : "inherit"];
  const started = await startProcess(options, stdio);
  const { stdin, stdout, stderr } = started.child;
  if (options.onStderr) stderr?.on("data", options.onStderr);
  return { ...started, stdin: stdin as Writable, stdout: stdout as Readable };
}

/** The process with its pipes, which are closed once it has been stopped. */
function withPipes<Pipes extends object>(started: StartedProcess, pipes: Pipes, closePipes: () => Promise<void>): OwnedProcess & Pipes {
  const { pid, exited, kill, setKeepsAlive, child } = started;
  let stopping: Promise<ChildExit> | undefined;

  async function stop(): Promise<ChildExit> {
    const exit = await started.stop();
    await closePipes();
    child.stderr?.destroy();
    return exit;
  }

  return { pid, exited, kill, setKeepsAlive, stop: () => (stopping ??= stop()), ...pipes };
}

// How a program starts `hawser` when it was not told: the one that is installed beside this package, so that nothing
// has to be on the PATH; without one, the name, which the PATH leads to. Not the one of the working folder, which may
// be anybody's.

/** The program and its first arguments. */
export function hawserCommand(): readonly [string, ...string[]] {
  // Inside Electron, execPath is the app.
  if (process.versions["electron"] !== undefined) return ["hawser"];
  try {
    const manifest = createRequire(import.meta.url).resolve("hawser/package.json");
    return [process.execPath, join(dirname(manifest), "bin", "hawser.mjs")];
  } catch {
    return ["hawser"];
  }
}
