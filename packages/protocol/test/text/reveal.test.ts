// What a text hides is shown, in approvals to the last sign, in running text apart from what belongs to the writing.

import { describe, expect, it } from "vitest";
import { createProseRevealer, reveal, revealProse } from "@hawser/protocol/internal";

const attacks: readonly [string, string, string][] = [
  ["escape sequences", "\u001b[31mred", "⟨U+001B⟩[31mred"],
  ["OSC 52, which writes to the clipboard", "\u001b]52;c;cm0=\u0007", "⟨U+001B⟩]52;c;cm0=⟨U+0007⟩"],
  ["one-byte controls", "\u009b2J\u0090\u007f\u0008", "⟨U+009B⟩2J⟨U+0090⟩⟨U+007F⟩⟨U+0008⟩"],
  ["a return that writes over the line", "safe\revil", "safe⟨U+000D⟩evil"],
  ["marks that turn the direction", "\u202egpj.\u2066a\u2069\u200f\u061c", "⟨U+202E⟩gpj.⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"],
  ["zero width", "a\u200bb\u200cc\u200dd\u2060e\ufeff", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+200D⟩d⟨U+2060⟩e⟨U+FEFF⟩"],
  ["marks without a picture", "a\u00ad\u034f\u180b\ufe0f", "a⟨U+00AD⟩⟨U+034F⟩⟨U+180B⟩⟨U+FE0F⟩"],
  ["blank letters", "\u3164\u2800\u115f", "⟨U+3164⟩⟨U+2800⟩⟨U+115F⟩"],
  ["tags and private signs", "\u{e0041}\ue000\u{e0100}", "⟨U+E0041⟩⟨U+E000⟩⟨U+E0100⟩"],
  ["separators of lines", "a\u2028b\u2029c\u0085", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩"],
  ["half a pair", "a\ud800b", "a⟨U+D800⟩b"],
];

describe.each([
  ["approvals", reveal],
  ["running text", (text: string) => revealProse(text)],
])("in %s", (_, show) => {
  it.each(attacks)("%s are shown", (_name, text, shown) => expect(show(text)).toBe(shown));

  it("plain text stays as it is, with its ends of lines and tabs", () => {
    const text = "plain: é 漢字 💥 ✓ שלום\tand\r\nlines\n";
    expect(show(text)).toBe(text);
  });
});

describe("what belongs to the writing", () => {
  const words = ["👩‍💻", "❤️", "🏳️‍🌈", "1️⃣", "می‌خواهم", "क्‍ष", "Bonjour\u00a0!", "漢\u3000字"];

  it("stays in running text", () => expect(words.map((word) => revealProse(word))).toEqual(words));

  it("is shown in an approval", () => {
    expect(words.map(reveal).every((shown) => shown.includes("⟨U+"))).toBe(true);
  });

  it("stays once: a row of such marks is shown", () => {
    expect(revealProse("👩\u200d\u200dx❤\ufe0f\ufe0f")).toBe("👩\u200d⟨U+200D⟩x❤\ufe0f⟨U+FE0F⟩");
  });
});

describe("running text in pieces", () => {
  const inPieces = (pieces: readonly string[]): string => {
    const revealer = createProseRevealer();
    return pieces.map((piece) => revealer.push(piece)).join("") + revealer.end();
  };

  it("is the same wherever it is cut", () => {
    const text = "a\r\nb\u001b]52;c;x\u0007👩‍💻 ❤️ می‌خ\u202e 🚢\r\r\nend\r";
    for (let at = 0; at <= text.length; at++) expect(inPieces([text.slice(0, at), text.slice(at)])).toBe(revealProse(text));
    expect(inPieces(text.split(""))).toBe(revealProse(text));
  });

  it("is shown at once, but for half a character", () => {
    const revealer = createProseRevealer();
    expect(["a", "b\ud83d", "\udea2", ""].map((piece) => revealer.push(piece))).toEqual(["a", "b", "🚢", ""]);
  });
});
