// Printing for people and programs. On a terminal whatever a text hides is revealed, since most of what we print was
// written by others; to a pipe or a file the bytes stay as they are. Colour only on a terminal that wants it.

import { fstatSync, writeFileSync } from "node:fs";
import { styleText } from "node:util";
import { createProseRevealer, cutText, describeThrown, HawserError, reveal, revealProse } from "@hawser/protocol/internal";
import { programName } from "./launcher.ts";

export type Format = Parameters<typeof styleText>[0];
export type Paint = (format: Format, text: string) => string;

/** Paints for stdout: `styleText` itself looks whether stdout is a terminal, and at NO_COLOR. */
export const paint: Paint = (format, text) => styleText(format, text, { stream: process.stdout });

/** A text of others on one line of at most `width` characters, with nothing hidden: it may stand between our own colours. */
export function fitLine(text: string, width: number): string {
  // Looked at as far as it may be shown: a text may have megabytes.
  const line = reveal(text.slice(0, 4 * width)).replaceAll(/[\t\r\n]+/g, " ");
  return cutText(text.length > 4 * width ? `${line}…` : line, width);
}

/** Rows of fields with tabs between them. */
export const toTable = (rows: readonly (readonly unknown[])[]): string => rows.map((fields) => `${fields.join("\t")}\n`).join("");

/** Prints a text, revealed where it goes to a terminal. Colours of our own would be revealed too: see `printStyled`. */
export function printTo(stream: Output, text: string): void {
  put(stream, stream.isTTY ? revealProse(text) : text);
}

/** For the person at the terminal, on stderr. */
export const notify = (text: string): void => printTo(process.stderr, `hawser: ${text}\n`);

/** Prints a text that may hold escape sequences of ours. What others wrote of it went through `reveal` before. */
export function printStyled(stream: Output, text: string): void {
  put(stream, text);
}

/** Ends the process when stdout takes no more; children are stopped by what started them. */
export function endWhenUnread(exitCode: number): void {
  watchOutput(process.stdout);
  process.stdout.on("error", (error) => process.exit(isUnread(error) ? (process.exitCode ?? exitCode) : undefined));
}

export type Output = typeof process.stdout | typeof process.stderr;

const unwrittenExitCode = 1;
const watched = new WeakSet<Output>();
let hasFailed = false;

/** Writes it; `onDone` is told when the stream took it, or why it did not. */
function put(stream: Output, data: string | Uint8Array, onDone: (error?: HawserError) => void = () => {}): void {
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

/** For a stream that a library writes to. */
export function watchOutput(stream: Output): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => noteFailure(stream, error));
}

/** Whether it tells that stdout takes no more, about which nothing is left to say. */
export const isOutputError = (error: unknown): boolean => HawserError.isInstance(error) && error.facts["isOutput"] === true;

/** The reader is gone. */
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
  new HawserError("closed", isUnread(cause) ? "the reader of the output is gone" : "the output can't be written", {
    cause,
    facts: { isOutput: true },
  });

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const revealer = createProseRevealer();
let last = "";

/** Resolves when stdout has taken the bytes; rejects when it takes no more, see `isOutputError`. */
export function writeOut(chunk: Uint8Array): Promise<void> {
  return write(process.stdout.isTTY ? note(revealer.push(decoder.decode(chunk, { stream: true }))) : chunk);
}

/** On a terminal what follows would stand behind the text, or wipe it out as npx does. Elsewhere bytes stay as they came. */
export async function endLine(): Promise<void> {
  if (!process.stdout.isTTY) return;
  const rest = note(revealer.push(decoder.decode()) + revealer.end());
  const end = last === "" || last.endsWith("\n") ? rest : `${rest}\n`;
  last = "";
  if (end !== "") await write(end);
}

function note(text: string): string {
  last = text.at(-1) ?? last;
  return text;
}

function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    put(process.stdout, data, (error) => {
      if (error) reject(error);
      // A pipe takes bytes at once, and a body that is resumed in the same turn would starve its socket.
      else setImmediate(resolve);
    });
  });
}
