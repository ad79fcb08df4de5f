// From a message to what it asks for: requests in the order in which they were made. A message may hold
// several, joined by "and", "then", ";" or the end of a sentence; a part that says nothing on its own
// belongs to the request before it, if that makes sense. The work grows with the number of words, no faster.

import { agentLimits } from "../limits.ts";
import { endsPart, matchPhrase, parsePhrase, splitWords, textOf, type Captures, type Phrase, type Stretch, type Word } from "./phrase.ts";
import { requestTable, type RequestKind, type RequestRow } from "./request-table.ts";

export interface OfflineRequest {
  readonly kind: RequestKind | "unknown";
  readonly captures: Captures;
  /** As it was said. */
  readonly said: string;
}

interface Rule {
  readonly kind: RequestKind;
  readonly phrase: Phrase;
  readonly accepts: RequestRow["accepts"];
}

const rules: readonly Rule[] = (Object.entries(requestTable) as [RequestKind, RequestRow][]).flatMap(([kind, { phrases, accepts }]) =>
  phrases.map((text) => ({ kind, phrase: parsePhrase(text), accepts })),
);

/** One more than is taken on, so that the caller sees that there are too many. */
const maxRequests = agentLimits.offlineRequestEntries + 1;

export function parseRequest(source: string): readonly OfflineRequest[] {
  const words = splitWords(source);
  const stretch = (from: number, to: number): Stretch => ({ source, words, from, to });
  const requests: OfflineRequest[] = [];
  let from = 0;
  for (const part of splitParts(words)) {
    const previous = requests.at(-1);
    const alone = recognize(stretch(part.from, part.to));
    const together = alone || !previous || previous.kind === "calculate" ? undefined : continuation(previous, stretch(from, part.to));
    if (together) {
      requests[requests.length - 1] = together;
      continue;
    }
    if (requests.length >= maxRequests) break;
    from = part.from;
    requests.push(alone ?? toUnknown(stretch(part.from, part.to)));
  }
  const wanted = requests.filter(({ kind }) => kind !== "greet" && kind !== "thank");
  // "Hello, list the files, thanks" asks for one thing.
  return wanted.length > 0 ? wanted : requests.slice(0, 1);
}

const toUnknown = (stretch: Stretch): OfflineRequest => ({
  kind: "unknown",
  captures: {},
  said: textOf(stretch, stretch.from, stretch.to),
});

/** The request with one more part. What is not understood is one thing, however many parts it has. */
const continuation = (previous: OfflineRequest, stretch: Stretch): OfflineRequest | undefined =>
  recognize(stretch) ?? (previous.kind === "unknown" ? toUnknown(stretch) : undefined);

function recognize(whole: Stretch): OfflineRequest | undefined {
  // Without "please" first: it should not end up in a file name. But "again" alone is a request.
  for (const stretch of [withoutCourtesy(whole), withoutLooseEnds(whole)]) {
    for (const { kind, phrase, accepts } of rules) {
      const captures = matchPhrase(phrase, stretch);
      if (captures && (accepts?.(captures) ?? true)) return { kind, captures, said: textOf(stretch, stretch.from, stretch.to) };
    }
  }
  return undefined;
}

const joiners = new Set(["and", "then", "&", "&&"]);

function splitParts(words: readonly Word[]): Pick<Stretch, "from" | "to">[] {
  const parts: Pick<Stretch, "from" | "to">[] = [];
  let from = 0;
  let depth = 0;
  const cut = (to: number, next: number): void => {
    if (to > from) parts.push({ from, to });
    from = next;
  };
  for (const [at, word] of words.entries()) {
    if (!word.isQuoted) depth = Math.max(0, depth + countBraces(word.text));
    // What stands between braces is JSON.
    if (depth > 0) continue;
    if (joiners.has(word.plain)) cut(at, at + 1);
    else if (endsPart(word)) cut(at + 1, at + 1);
  }
  cut(words.length, words.length);
  return parts;
}

const countBraces = (text: string): number => text.split("{").length - text.split("}").length;

const openings = toPhrases(
  "please|kindly|could you|can you|would you|will you|i want you to|i need you to|i would like you to|i'd like you to|i want to|" +
    "i would like to|i'd like to|let's|let us|go ahead and|hello|hi|hey|ok|okay|so|well|now|just|also|first|next|finally|afterwards|then|and",
);
const closings = toPhrases("please|thanks|thank you|for me|now|again|too|as well|first|afterwards");

function toPhrases(texts: string): readonly (readonly string[])[] {
  return texts.split("|").map((text) => text.split(" "));
}

/** Without words that are only polite, as long as something is left. */
function withoutCourtesy(whole: Stretch): Stretch {
  let { from, to } = withoutLooseEnds(whole);
  const { words } = whole;
  const isAt = (phrase: readonly string[], at: number): boolean => phrase.every((word, offset) => words[at + offset]?.plain === word);
  for (let opening = openings.find((phrase) => isAt(phrase, from)); opening && from + opening.length < to;) {
    from += opening.length;
    opening = openings.find((phrase) => isAt(phrase, from));
  }
  for (let closing = closings.find((phrase) => isAt(phrase, to - phrase.length)); closing && to - closing.length > from;) {
    to -= closing.length;
    closing = closings.find((phrase) => isAt(phrase, to - phrase.length));
  }
  return { ...whole, from, to };
}

/** Without words that are nothing but punctuation at its end: they follow something in quotes. */
function withoutLooseEnds(whole: Stretch): Stretch {
  let { to } = whole;
  while (to > whole.from + 1 && isLoose(whole.words[to - 1], whole.words[to - 2])) to -= 1;
  return { ...whole, to };
}

const isLoose = (word: Word | undefined, before: Word | undefined): boolean =>
  word?.isQuoted === false && /^[.,;:!?]{1,3}$/.test(word.text) && (word.plain === "" || word.start === before?.end);
