// Short, printable views of what a subject sent. A subject may send anything, so what is shown is
// cut to a length and holds no control characters: a report must not clear somebody's terminal.

const maxChars = 300;

/** A value as JSON, cut to a readable length. */
export const excerptOf = (value: unknown): string => excerptOfText(JSON.stringify(value) ?? String(value));

/** Text that may hold anything, on one line. */
export function excerptOfText(text: string, chars: number = maxChars): string {
  const shown = text.length > chars ? `${text.slice(0, chars)}… (${text.length} characters)` : text;
  return shown.replaceAll(unprintable, escape);
}

function escape(character: string): string {
  const inJson = JSON.stringify(character).slice(1, -1);
  return inJson === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : inJson;
}

// C0 and C1 controls, DEL, line separators and the characters that turn the direction of text.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
