// Phrases that the offline model understands, written as people would say them:
//   list|show [me] [the] files in <path>
// `a|b` is one of several words, `[a]` may be missing, `<name>` is one word or something in quotes, and
// `<name...>` is at least one word. Matching compares words; it never goes back over the text itself.

type Element =
  | { readonly type: "word"; readonly options: ReadonlySet<string>; readonly isOptional: boolean }
  | { readonly type: "capture"; readonly name: string; readonly takesMany: boolean };

export type Phrase = readonly Element[];
export type Captures = Readonly<Record<string, string>>;

/** Part of a message: the words from `from` up to `to`, which is not included. */
export interface Stretch {
  readonly source: string;
  readonly words: readonly Word[];
  readonly from: number;
  readonly to: number;
}

/** How many words `<name...>` may take when something follows it. */
const maxInnerWords = 64;

export function parsePhrase(text: string): Phrase {
  return text.split(" ").map((part): Element => {
    if (part.startsWith("<")) {
      const name = part.slice(1, -1);
      return { type: "capture", name: name.replace("...", ""), takesMany: name.endsWith("...") };
    }
    const isOptional = part.startsWith("[");
    return { type: "word", options: new Set((isOptional ? part.slice(1, -1) : part).split("|")), isOptional };
  });
}

/** What the phrase's names stand for, or undefined when the stretch says something else. */
export function matchPhrase(phrase: Phrase, stretch: Stretch): Captures | undefined {
  const { words, to } = stretch;

  function match(element: number, at: number): Record<string, string> | undefined {
    const wanted = phrase[element];
    if (wanted === undefined) return at === to ? {} : undefined;
    if (wanted.type === "word") {
      const found = at < to && wanted.options.has(words[at]?.plain ?? "") ? match(element + 1, at + 1) : undefined;
      return found ?? (wanted.isOptional ? match(element + 1, at) : undefined);
    }
    const isLast = element === phrase.length - 1;
    for (const end of endsOfCapture(stretch, at, wanted.takesMany, isLast)) {
      const rest = match(element + 1, end);
      if (rest) return { ...rest, [wanted.name]: textOf(stretch, at, end) };
    }
    return undefined;
  }

  return match(0, stretch.from);
}

/** Where a capture that begins at `at` may end, the likeliest first. */
function* endsOfCapture({ words, to }: Stretch, at: number, takesMany: boolean, isLast: boolean): Generator<number> {
  if (at >= to) return;
  if (!takesMany || words[at]?.isQuoted) yield at + 1;
  if (!takesMany) return;
  if (isLast) yield to;
  else for (let end = Math.min(to, at + maxInnerWords); end > at; end--) yield end;
}

/** What is said from one word to another: what stands in the quotes, if that is all. */
export function textOf({ source, words, to }: Stretch, from: number, end: number): string {
  const first = words[from];
  const last = words[end - 1];
  if (!first || !last) return "";
  if (end === from + 1 && first.isQuoted) return first.text;
  const text = source.slice(first.start, last.end);
  return end === to && !last.isQuoted ? withoutPunctuation(text) : text;
}

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

/** Longer words are in none of our phrases and need no comparing. */
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
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && punctuation.includes(text[end - 1] as string)) end -= 1;
  return end === 0 && text.startsWith(".") ? text : text.slice(0, end);
}

/** Whether a sentence or a part of it may end here. */
export const endsPart = ({ text, isQuoted }: Word): boolean => !isQuoted && text !== "." && text !== ".." && /[.,;:!?]$/.test(text);
