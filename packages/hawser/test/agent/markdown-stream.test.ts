// Markdown as it is shown on a terminal, whole and piece by piece.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownStream } from "../../src/chat/markdown-stream.ts";

// Looks as tags, so that they can be read.
const paint = (format: string | readonly string[], text: string): string => `<${[format].flat().join("+")}>${text}</>`;

function render(...pieces: readonly string[]): string {
  const stream = createMarkdownStream(paint as Parameters<typeof createMarkdownStream>[0]);
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

/** Pieces that have the same look, as one: where a text was cut says nothing. */
const merged = (text: string): string =>
  text.replaceAll(/<\/><([^>/]+)>/g, (whole, format: string, at: number) => {
    const before = /<([^>/]+)>[^<]*$/.exec(text.slice(0, at))?.[1];
    return before === format ? "" : whole;
  });

describe("markdown for a terminal", () => {
  it.each([
    ["plain text\n", "plain text\n"],
    ["# Harbour\ntext", "<bold+underline>Harbour</>\ntext"],
    ["a **bold** word", "a <bold>bold</> word"],
    ["**bold** first", "<bold>bold</> first"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["run `npm test` now", "run <cyan>npm test</> now"],
    ["`a ** b`", "<cyan>a ** b</>"],
    ["- one\n* two\n  + three", "• one\n• two\n  • three"],
    ["1. one\n2. two", "1. one\n2. two"],
    ["-not a list\n#nor a heading", "-not a list\n#nor a heading"],
    ["> quoted\ntext", "<dim>│ </><dim>quoted</>\ntext"],
    [
      "```ts\nconst a = **1**;\n\n# no\n```\nafter **b**",
      "<dim>  ── ts</>\n    <cyan>const a = **1**;</>\n\n    <cyan># no</>\nafter <bold>b</>",
    ],
    ["~~~\n```\n~~~\nx", "<dim>  ── code</>\n    <cyan>```</>\nx"],
    ["**never closed\n\nnext", "<bold>never closed</>\n\nnext"],
    ["`never closed\nnext", "<cyan>never closed</>\nnext"],
    ["ends with *", "ends with *"],
    ["```\nopen at the end", "<dim>  ── code</>\n    <cyan>open at the end</>"],
    ["-", "-"],
    ["#", "#"],
  ])("%j", (markdown, shown) => {
    expect(render(markdown)).toBe(shown);
  });

  it("looks the same wherever the pieces are cut, and loses no letter", () => {
    const words = fc.constantFrom("a", "b ", " ", "\n", "\n\n", "**", "*", "`", "```\n", "# ", "- ", "> ", "1. ", "~~~", "word");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (pieces) => {
        const whole = pieces.join("");
        const letters = (text: string): string =>
          text
            .replaceAll(/<[^>]*>/g, "")
            .replaceAll(/── \w+/g, "")
            .replaceAll(/[^a-zA-Z]/g, "");
        expect(merged(render(...pieces))).toBe(merged(render(whole)));
        expect(merged(render(...whole.split("")))).toBe(merged(render(whole)));
        if (!/[`~]{3}/.test(whole)) expect(letters(render(whole))).toBe(letters(whole));
      }),
    );
  });

  it("shows text at once: only marks are held back", () => {
    const stream = createMarkdownStream(paint as Parameters<typeof createMarkdownStream>[0]);
    expect(["H", "ello", " *", "*w", "**"].map((piece) => stream.push(piece))).toEqual(["H", "ello", " ", "<bold>w</>", ""]);
  });
});
