// Short, printable views of what a subject sent. It may send anything, so the text is cut and control characters are made visible: a
// report must not clear the reader's terminal.

import { cutText, reveal } from "@hawser/protocol/internal";

const maxChars = 300;

/** A value as JSON, cut to a readable length. */
export const excerptOf = (value: unknown): string => excerptOfText(JSON.stringify(value) ?? String(value));

/** Text that may hold anything, on one line. */
export function excerptOfText(text: string, chars: number = maxChars): string {
  const shown = text.length > chars ? `${cutText(text, chars)} (${text.length} characters)` : text;
  // As JSON writes them, since most of it is JSON; `reveal` covers the rest.
  return reveal(shown.replaceAll(/[\u0000-\u001f]/g, (control) => JSON.stringify(control).slice(1, -1)));
}
