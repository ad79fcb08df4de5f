// Which parts of an excerpt are the words that were searched for. Words are parted and compared as the runtime does it: without case and
// accents, each as the beginning of a word.

export interface MarkedPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

const word = /[\p{L}\p{N}\p{M}]+/gu;

const fold = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

const foldedWords = (query: string): readonly string[] => (query.match(word) ?? []).map(fold).filter((each) => each !== "");

/** Whether there is something to search for. */
export const hasWords = (query: string): boolean => foldedWords(query).length > 0;

/** The pieces make up the whole text, in order. */
export function markWords(text: string, query: string): readonly MarkedPiece[] {
  const wanted = foldedWords(query);
  const pieces: MarkedPiece[] = [];
  let end = 0;
  const put = (to: number, isMarked: boolean): void => {
    if (to > end) pieces.push({ text: text.slice(end, to), isMarked });
    end = to;
  };
  for (const { 0: found, index } of text.matchAll(word)) {
    const folded = fold(found);
    const longest = Math.max(0, ...wanted.map((each) => (folded.startsWith(each) ? each.length : 0)));
    if (longest === 0) continue;
    put(index, false);
    put(index + lengthOfPrefix(found, longest), true);
  }
  put(text.length, false);
  return pieces;
}

/** How much of a word, as it is written, its first folded letters are. */
function lengthOfPrefix(found: string, foldedLength: number): number {
  let length = 0;
  for (const letter of found) {
    // An accent that follows belongs to the letter before it.
    if (fold(found.slice(0, length)).length >= foldedLength && !/\p{M}/u.test(letter)) break;
    length += letter.length;
  }
  return length;
}
