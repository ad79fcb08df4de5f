// The beginning of a text that may have megabytes, by lines and by characters: nothing looks at more than is shown.

/** Where the next part ends: after so many lines or characters, whichever comes first, and never inside a character. */
export function endOfPart(text: string, from: number, lines: number, chars: number): number {
  const furthest = Math.min(text.length, from + chars);
  let at = from;
  for (let line = 0; line < lines; line++) {
    const end = text.indexOf("\n", at);
    if (end < 0 || end >= furthest) return cutBetween(text, furthest);
    at = end + 1;
  }
  return at;
}

const cutBetween = (text: string, at: number): number => (at < text.length && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at - 1 : at);

/** How many lines there are; a line feed at the end begins none. */
export function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
