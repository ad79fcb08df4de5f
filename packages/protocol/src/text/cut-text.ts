// Texts that are too long for their place, cut at whole characters: never half of a surrogate pair and, for what people
// read, never within what they see as one character. Lengths are counted in UTF-16 units, as `length` does.

/** The text, or its beginning and the ending, together not longer than `maxChars`. An ending that doesn't fit is left out. */
export function cutText(text: string, maxChars: number, ending = "…"): string {
  if (text.length <= maxChars) return text;
  if (ending.length > maxChars) return cutText(text, maxChars, "");
  return text.slice(0, wholeEnd(text, maxChars - ending.length)) + ending;
}

/** All of the text in pieces, each not longer than `maxChars`. Characters that people see as one may be parted. */
export function* splitText(text: string, maxChars: number): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = at + maxChars < text.length ? wholePairEnd(text, at + maxChars) : text.length;
    yield text.slice(at, end);
    at = end;
  }
}

/** The last place up to `end` that does not part a pair. */
function wholePairEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end;
}

// No character that people write is longer; a longer row of marks was made to be in the way.
const longestChars = 64;

/** Two letters of ASCII are never one character. */
const isPlain = (unit: number): boolean => unit >= 0x20 && unit < 0x80;

let segmenter: Intl.Segmenter | undefined;

function wholeEnd(text: string, end: number): number {
  const pairEnd = wholePairEnd(text, end);
  if (pairEnd === 0 || (isPlain(text.charCodeAt(pairEnd - 1)) && isPlain(text.charCodeAt(pairEnd)))) return pairEnd;
  const from = Math.max(0, pairEnd - longestChars);
  segmenter ??= new Intl.Segmenter();
  const around = segmenter.segment(text.slice(from, pairEnd + longestChars)).containing(pairEnd - from);
  const start = from + (around?.index ?? pairEnd - from);
  return start > from || from === 0 ? start : pairEnd;
}
