// Which parts of an excerpt are marked as found.

import { describe, expect, it } from "vitest";
import { hasWords, markWords } from "../../src/page/search/mark-words.ts";

const show = (text: string, query: string): string =>
  markWords(text, query)
    .map(({ text: piece, isMarked }) => (isMarked ? `[${piece}]` : piece))
    .join("");

describe("the words of a search", () => {
  it.each([
    ["The harbours of Ada", "harb ADA", "The [harb]ours of [Ada]"],
    ["Überfahrt zum Café", "uber cafe", "[Über]fahrt zum [Café]"],
    ["cafe\u0301s", "café", "[cafe\u0301]s"],
    ["schooner, moon", "oon", "schooner, moon"],
    ["a-b_c", "b c", "a-[b]_[c]"],
    ["מפרש לבן", "מפר", "[מפר]ש לבן"],
    ["anything", "...", "anything"],
    ["", "x", ""],
  ])("in %j, searched for by %j, are marked as beginnings of words", (text, query, marked) => {
    expect(show(text, query)).toBe(marked);
    expect(
      markWords(text, query)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
  });

  it("are needed: signs alone search for nothing", () => {
    expect(["", "  ", "?!", "a?"].map(hasWords)).toEqual([false, false, false, true]);
  });
});
