// Texts that are too long end at a whole character.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, splitText } from "@hawser/protocol/internal";

describe("a text that is too long", () => {
  it.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["ab🚢cd", 4, "ab…"],
    ["ab🚢cd", 5, "ab🚢…"],
    ["ab👩‍💻cd", 7, "ab…"],
    ["ab👩‍💻cd", 8, "ab👩‍💻…"],
    ["cafe\u0301 au lait", 5, "caf…"],
    ["line\r\nline", 6, "line…"],
    ["🚢🚢", 2, "…"],
    ["abc", 0, ""],
  ])("%j is cut to %i as %j", (text, maxChars, shown) => expect(cutText(text, maxChars)).toBe(shown));

  it("may end otherwise, within the same length", () => {
    expect(cutText("abcdefghij", 8, " [10]")).toBe("abc [10]");
    expect(cutText("ab🚢", 3, "")).toBe("ab");
    expect(cutText("abcdef", 3, "… (6)")).toBe("abc");
  });

  it("is well-formed and within its length, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, maxChars) => {
        const cut = cutText(text, maxChars);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(maxChars);
        if (text.length <= maxChars) expect(cut).toBe(text);
      }),
    );
  });

  it("is not lost in marks that have no end", () => {
    expect(cutText(`a${"\u0301".repeat(10_000)}`, 100)).toHaveLength(100);
  });
});

describe("pieces of a text", () => {
  it("are all of it, and none ends within a pair", () => {
    expect([...splitText("a🚢bc🚢", 2)]).toEqual(["a", "🚢", "bc", "🚢"]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 9 }), (text, maxChars) => {
        const pieces = [...splitText(text, maxChars)];
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) expect([piece.isWellFormed(), piece.length <= maxChars]).toEqual([true, true]);
      }),
    );
  });
});
