// Text that comes in pieces: characters stay whole wherever it is cut, and what a tool interrupts is parted by a blank line.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextGap, createWholeCharacters, joinTexts } from "@hawser/protocol/internal";

function passOn(pieces: readonly string[]): string[] {
  const characters = createWholeCharacters();
  return [...pieces.map((piece) => characters.push(piece)), characters.end()];
}

describe("G5 whole characters", () => {
  it.each([
    ["a pair that is cut", ["a\ud83d", "\ude00b"], ["a", "😀b", ""]],
    ["a half that waits over an empty piece", ["\ud83d", "", "\ude00"], ["", "", "😀", ""]],
    ["a half that nothing follows", ["a\ud83d"], ["a", "\ufffd"]],
    ["a half that something else follows", ["\ud83d", "b"], ["", "\ufffdb", ""]],
    ["two first halves", ["\ud83d", "\ud83d", "\ude00"], ["", "\ufffd", "😀", ""]],
    ["a second half alone", ["\ude00", "b"], ["\ufffd", "b", ""]],
  ])("%s", (_, pieces, passed) => {
    expect(passOn(pieces)).toEqual(passed);
  });

  it("are whole in every piece, and together the text, whatever it is and wherever it is cut", () => {
    const units = fc.array(fc.constantFrom("a", "\n", "é", "\ud83d", "\ude00", "😀"), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(units, { maxLength: 8 }), (pieces) => {
        const passed = passOn(pieces.map((piece) => piece.join("")));
        expect(passed.every((piece) => piece.isWellFormed())).toBe(true);
        expect(passed.join("")).toBe(pieces.flat().join("").toWellFormed());
      }),
    );
  });
});

describe("a gap", () => {
  it.each([
    ["first.", "## Then", "\n\n"],
    ["first.\n", "Then", ""],
    ["first.", "\n\nThen", ""],
    ["first.", "\r\nThen", ""],
  ])("between %j and %j is %j", (first, then, gap) => {
    const texts = createTextGap();
    expect(texts.before(first)).toBe("");
    texts.interrupt();
    texts.interrupt();
    expect(texts.before(then)).toBe(gap);
    expect(texts.before("goes on")).toBe("");
  });

  it("is neither at the beginning nor at the end of what is joined", () => {
    expect(joinTexts([undefined, "", "one", undefined, "", "two", " and three", undefined, undefined])).toBe("one\n\ntwo and three");
  });
});
