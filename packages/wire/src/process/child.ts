// Children by what becomes of their pipes: a transport (with a `codec`), streams as they are (`stdio: "pipe"`), or our own stdin,
// stdout and stderr (`stdio: "inherit"`). How they are started and stopped is the same for all: owned-process.ts.

import { openSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Codec } from "../codec/codec.ts";
import { createStreamTransport } from "../transport/stream-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { type ChildExit, type OwnedProcess, type ProcessOptions, startProcess } from "./owned-process.ts";

interface WithStderr extends ProcessOptions {
  /** Gets what the child writes to stderr; without it, that goes to our own stderr. */
  onStderr?(chunk: Buffer): void;
}

export interface ChildOptions extends WithStderr {
  readonly codec: Codec;
}

export interface PipedChildOptions extends WithStderr {
  readonly stdio: "pipe";
  /** What the child reads from descriptor 3, to its end. It then inherits no other descriptor, not even those that we have inherited. */
  readonly extraInput?: Uint8Array | undefined;
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
  return "codec" in options || options.stdio === "pipe" ? startWithPipes(options) : startProcess(options, "inherit");
}

async function startWithPipes(options: ChildOptions | PipedChildOptions): Promise<OwnedProcess> {
  const extraInput = "extraInput" in options ? options.extraInput : undefined;
  const others = extraInput ? (["pipe", ...inheritingNothing(4)] as const) : [];
  const started = await startProcess(options, ["pipe", "pipe", options.onStderr ? "pipe" : "inherit", ...others]);
  const { pid, exited, kill, setKeepsAlive, child } = started;
  const [stdin, stdout] = [child.stdin as Writable, child.stdout as Readable];
  if (options.onStderr) child.stderr?.on("data", options.onStderr);
  // A child that is gone reads none of it, which is seen by its end.
  if (extraInput) (child.stdio[3] as Writable).on("error", () => {}).end(extraInput);
  const transport = "codec" in options ? createStreamTransport({ readable: stdout, writable: stdin, codec: options.codec }) : undefined;
  let stopping: Promise<ChildExit> | undefined;

  async function stop(): Promise<ChildExit> {
    const exit = await started.stop();
    // Piped output may have no reader any more; the log is read to the end.
    if (!transport) for (const pipe of [stdin, stdout]) pipe.destroy();
    // Its last words may still be in the pipe; a grandchild that holds the pipe open gets no more time.
    await started.whenDrained();
    await transport?.close();
    child.stderr?.destroy();
    return exit;
  }

  const pipes = transport ? { transport } : { stdin, stdout };
  return { pid, exited, kill, setKeepsAlive, stop: () => (stopping ??= stop()), ...pipes };
}

/**
 * How a program starts `hawser` when it was not told: the one that is installed beside this package, else the one that the PATH
 * leads to. Not the one of the working folder, which may be anybody's.
 */
export function hawserCommand(): readonly [string, ...string[]] {
  // Inside Electron, execPath is the app.
  if (process.versions["electron"] !== undefined) return ["hawser"];
  try {
    const manifest = createRequire(import.meta.url).resolve("hawser/package.json");
    return [process.execPath, join(dirname(manifest), "bin", "hawser.cjs")];
  } catch {
    return ["hawser"];
  }
}

// Descriptors that the program which started us has left open, and which every child would get too. Node closes its own on the way to a
// child, and the first few of others; what lies above those is found here, once, so that a child that is to be contained can be kept from it.

const closedOnStart = 0o2000000;

let known: readonly number[] | undefined;
let nothing: number | undefined;

/** What to put into a child's `stdio` from this index on, so that it inherits nothing: /dev/null in the place of each. Linux only. */
function inheritingNothing(from: number): (number | "ignore")[] {
  known ??= findInherited();
  const last = known.at(-1) ?? -1;
  if (last < from) return [];
  nothing ??= openSync("/dev/null", "r");
  const isInherited = new Set(known);
  return Array.from({ length: last - from + 1 }, (_, at) => (isInherited.has(from + at) ? (nothing as number) : "ignore"));
}

function findInherited(): number[] {
  try {
    const numbers = readdirSync("/proc/self/fd").map(Number);
    return numbers.filter((number) => number > 2 && isInherited(number)).sort((one, other) => one - other);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closedOnStart) === 0;
  } catch {
    // It was the one of the list itself.
    return false;
  }
}
