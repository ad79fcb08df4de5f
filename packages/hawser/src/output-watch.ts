// What becomes of what we print. A reader that has gone (`hawser api list | head -1`) wants no more: that is not a failure.
// Anything else, such as a full disk, is one: a sentence on stderr says so, once, and the exit code is not 0 whatever
// the command makes of it.

import { fstatSync, writeFileSync } from "node:fs";
import { describeThrown, HawserError } from "@hawser/wire";
import { programName } from "./launcher.ts";

export type Output = typeof process.stdout | typeof process.stderr;

const unwrittenExitCode = 1;
const watched = new WeakSet<Output>();
let hasFailed = false;

/** Writes it; `onDone` is told when the stream took it, or why it did not. */
export function put(stream: Output, data: string | Uint8Array, onDone: (error?: HawserError) => void = () => {}): void {
  watchOutput(stream);
  if (!isFile(stream)) {
    stream.write(data, (error) => onDone(error ? toOutputError(error) : undefined));
    return;
  }
  // Node's own stream takes a short write, as there is on a disk that is almost full, for a whole one.
  try {
    writeFileSync(stream.fd, data);
    onDone();
  } catch (error) {
    noteFailure(stream, error as NodeJS.ErrnoException);
    onDone(toOutputError(error as NodeJS.ErrnoException));
  }
}

/** For a stream that somebody else writes to. */
export function watchOutput(stream: Output): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => noteFailure(stream, error));
}

/** Whether it tells that stdout takes no more, about which nothing is left to say. */
export const isOutputError = (error: unknown): boolean => HawserError.isInstance(error) && error.facts["isOutput"] === true;

/** Nobody reads any more. */
export const isUnread = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "ECONNRESET";

function isFile({ fd }: Output): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // It was closed before we started; writing to it tells more.
    return false;
  }
}

function noteFailure(stream: Output, error: NodeJS.ErrnoException): void {
  if (hasFailed || isUnread(error)) return;
  hasFailed = true;
  if (stream === process.stdout) put(process.stderr, `${programName()}: can't write the output: ${describeThrown(error)}\n`);
  // Last, since commands set their own code when they are done.
  process.on("exit", () => (process.exitCode = unwrittenExitCode));
}

const toOutputError = (cause: NodeJS.ErrnoException): HawserError =>
  new HawserError("closed", isUnread(cause) ? "nobody reads the output" : "the output can't be written", {
    cause,
    facts: { isOutput: true },
  });
