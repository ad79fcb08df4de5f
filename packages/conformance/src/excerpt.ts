// Short, printable views of what a subject sent. A subject may send anything, so what is shown is
// cut to a length and hides nothing: a report must not clear the reader's terminal.

import { cutText, reveal } from "@hawser/protocol/internal";

const maxChars = 300;

/** A value as JSON, cut to a readable length. */
export const excerptOf = (value: unknown): string => excerptOfText(JSON.stringify(value) ?? String(value));

/** Text that may hold anything, on one line. */
export function excerptOfText(text: string, chars: number = maxChars): string {
  const shown = text.length > chars ? `${cutText(text, chars)} (${text.length} characters)` : text;
  // As in JSON, which most of it is; it has no such form for the others.
  return reveal(shown.replaceAll(/[\u0000-\u001f]/g, (control) => JSON.stringify(control).slice(1, -1)));
}
