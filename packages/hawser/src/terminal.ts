// Printing for people and programs. On a terminal whatever a text hides is revealed, since most of what we print was
// written by others; to a pipe or a file the bytes stay as they are. Colour only on a terminal that wants it.

import { styleText } from "node:util";
import { cutText, reveal, revealProse } from "@hawser/wire";
import { isUnread, put, watchOutput, type Output } from "./output-watch.ts";

type Format = Parameters<typeof styleText>[0];

/** Paints for stdout: `styleText` itself looks whether stdout is a terminal, and at NO_COLOR. */
export const paint = (format: Format, text: string): string => styleText(format, text, { stream: process.stdout });

/** A text of others on one line of at most `width` characters, with nothing hidden: it may stand between our own colours. */
export function fitLine(text: string, width: number): string {
  // Looked at as far as it may be shown: a text may have megabytes.
  const line = reveal(text.slice(0, 4 * width)).replaceAll(/[\t\r\n]+/g, " ");
  return cutText(text.length > 4 * width ? `${line}…` : line, width);
}

/** The same text with every long run of spaces as its number: `a[5000 spaces]b`. */
export const shortenSpaces = (text: string): string => text.replaceAll(/ {8,}/g, (run) => `[${run.length} spaces]`);

/** Prints a text, revealed where it goes to a terminal. Colours of our own would be revealed too: see `printStyled`. */
export function printTo(stream: Output, text: string): void {
  put(stream, stream.isTTY ? revealProse(text) : text);
}

/** Prints a text that may hold escape sequences of ours. What others wrote of it went through `reveal` before. */
export function printStyled(stream: Output, text: string): void {
  put(stream, text);
}

/** Ends the process when stdout takes no more; children are stopped by what started them. */
export function endWhenUnread(exitCode: number): void {
  watchOutput(process.stdout);
  process.stdout.on("error", (error) => process.exit(isUnread(error) ? (process.exitCode ?? exitCode) : undefined));
}
