// Printing for people: colour only on a terminal that wants it, lines that fit, and a quiet end when
// the reader has gone (`hawser tour | head -3`).

import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Paints for stdout: `styleText` itself looks whether stdout is a terminal, and at NO_COLOR. */
export const paint = (format: Format, text: string): string => styleText(format, text, { stream: process.stdout });

/** Text on one line of at most `width` characters, without control characters. */
export function fitLine(text: string, width: number): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** The same text with every long run of spaces as its number: `a[5000 spaces]b`. */
export const shortenSpaces = (text: string): string => text.replaceAll(/ {8,}/g, (run) => `[${run.length} spaces]`);

/** Writes help and errors. A reader that has gone (`hawser --help | true`) is no failure; a full disk is one. */
export function printTo(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) stream.on("error", noteFailedWrite);
  guarded.add(stream);
  stream.write(text);
}

const guarded = new WeakSet<NodeJS.WriteStream>();

function noteFailedWrite(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") process.exitCode = 1;
}

/** Ends the process when nobody reads stdout any more; children are stopped by what started them. */
export function endWhenUnread(exitCode: number): void {
  process.stdout.on("error", () => process.exit(process.exitCode ?? exitCode));
}
