// The words of a message: what stands between blanks, or between quotes. One pass over the text, whatever
// it holds: a quote that is never closed is an ordinary character.

export interface Word {
  /** Without its quotes. */
  readonly text: string;
  /** For comparing: lower case, without the punctuation around it. */
  readonly plain: string;
  readonly isQuoted: boolean;
  /** Where it stands in the message, with its quotes. */
  readonly start: number;
  readonly end: number;
}

const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»" };
const isBlank = (character: string | undefined): boolean => character === undefined || /\s/.test(character);
const mayFollowQuote = (character: string | undefined): boolean => isBlank(character) || ";,.?!:)".includes(character as string);

/** Words longer than this are no words of ours, and are not worth comparing. */
const maxPlainChars = 64;

export function splitWords(source: string): Word[] {
  const words: Word[] = [];
  // Once no end was found for a quote, none will be for a later one of the same kind.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < source.length) {
    if (isBlank(source[at])) {
      at += 1;
      continue;
    }
    const closer = closers[source[at] as string];
    const close = closer === undefined || unclosed.has(closer) ? -1 : endOfQuote(source, at + 1, closer);
    if (closer !== undefined && close === -1) unclosed.add(closer);
    const end = close === -1 ? endOfWord(source, at) : close + 1;
    const text = close === -1 ? source.slice(at, end) : source.slice(at + 1, close);
    words.push({ text, plain: close === -1 ? toPlain(text) : "", isQuoted: close !== -1, start: at, end });
    at = end;
  }
  return words;
}

function endOfQuote(source: string, from: number, closer: string): number {
  for (let at = source.indexOf(closer, from); at !== -1; at = source.indexOf(closer, at + 1)) {
    if (mayFollowQuote(source[at + 1])) return at;
  }
  return -1;
}

function endOfWord(source: string, from: number): number {
  let at = from;
  while (at < source.length && !isBlank(source[at])) at += 1;
  return at;
}

function toPlain(text: string): string {
  if (text.length > maxPlainChars) return "";
  return withoutPunctuation(text.replaceAll("’", "'").toLowerCase());
}

const punctuation = ".,;:!?";

/** Without what ends a sentence. `.` and `..` are names of folders, and stay. */
export function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && punctuation.includes(text[end - 1] as string)) end -= 1;
  return end === 0 && text.startsWith(".") ? text : text.slice(0, end);
}

/** Whether a sentence or a part of it may end here. */
export const endsPart = ({ text, isQuoted }: Word): boolean => !isQuoted && text !== "." && text !== ".." && /[.,;:!?]$/.test(text);
