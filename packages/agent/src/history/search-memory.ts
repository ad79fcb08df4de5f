// The same search over conversations that live in memory only: all words of the query, each as the beginning of a word.

import { cutText, type SearchMatch } from "@hawser/protocol/internal";
import { textOfMessage, toWords } from "./search-words.ts";
import { summaryOf, type Transcript } from "./transcript.ts";

const beforeChars = 60;
const excerptChars = 160;

export interface HeldConversation {
  readonly conversationId: string;
  readonly transcript: Transcript;
}

/** The latest first. */
export function searchMemory(held: readonly HeldConversation[], query: string, limit: number): SearchMatch[] {
  const words = toWords(query).map(fold);
  if (words.length === 0) return [];
  const matches = held.flatMap(({ conversationId, transcript }) => {
    const { title } = summaryOf(transcript);
    return transcript.entries.flatMap(({ message }): SearchMatch[] => {
      const text = textOfMessage(message);
      const at = findAll(fold(text), words);
      if (at === undefined) return [];
      const { messageId, role, timestamp } = message;
      return [{ conversationId, title, messageId, role, timestamp, excerpt: toExcerpt(text, at) }];
    });
  });
  // Of two of the same millisecond the later one stands behind the other.
  return matches
    .toReversed()
    .sort((one, other) => other.timestamp - one.timestamp)
    .slice(0, limit);
}

const fold = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase();

/** Where the first of them stands, about; undefined unless all are there. */
function findAll(text: string, words: readonly string[]): number | undefined {
  const places = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "u").exec(text)?.index);
  return places.includes(undefined) ? undefined : places[0];
}

function toExcerpt(text: string, at: number): string {
  const from = Math.max(0, at - beforeChars);
  return `${from > 0 ? "…" : ""}${cutText(text.slice(from), excerptChars)}`.toWellFormed();
}
