// Texts that somebody else wrote and that travel beside a result: log lines, progress messages, error messages.
// They are shortened, since clients close the connection over long lines, and a long one says no more.

import { cutText } from "@hawser/wire";
/** Characters of a log line, a progress message or a parent's error. Written as JSON that is 100 kB at most. */
const maxNoteChars = 16_384;

/** The name of an error's class, as a peer says it. */
export const maxTypeChars = 200;

export function boundedText(text: string, maxChars: number = maxNoteChars): string {
  // Its end is within the bound: what one end has shortened, the other leaves alone.
  return cutText(text, maxChars, `… (${text.length} characters)`).toWellFormed();
}

/** Whatever a program without types may give as a text. */
export function toBoundedText(value: unknown): string {
  try {
    return boundedText(typeof value === "string" ? value : String(value));
  } catch {
    // No prototype, a `toString` that throws, a revoked proxy: no reason to fail the tool that only wanted to log.
    return "a value that can't be written as text";
  }
}
