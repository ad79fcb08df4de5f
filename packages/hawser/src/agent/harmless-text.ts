// Text that somebody else chose, made fit for a terminal: escape sequences and other control characters are
// shown instead of obeyed, and marks that reverse the direction of writing can't disguise anything.

const controlPictures = 0x2400;

/** Line feeds and tabs stay as they are. */
export function toHarmlessText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (control) => String.fromCharCode(controlPictures + control.charCodeAt(0)))
    .replaceAll("\u007f", "\u2421")
    .replaceAll(/[\u0080-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** The same on one line of at most `width` characters. */
export function toHarmlessLine(text: string, width: number): string {
  const line = toHarmlessText(text.slice(0, 4 * width)).replaceAll(/[\n\t\u2028\u2029]+/g, " ");
  return line.length > width || text.length > 4 * width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}
