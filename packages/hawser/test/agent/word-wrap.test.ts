// Lines on a terminal are broken between words, whatever pieces a text comes in.

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { createWordWrap, wrapText } from "../../src/chat/word-wrap.ts";

const text = "The harbour master keeps a list of all the ships, and of the quays they lie at, for as long as they stay in the port.";
const width = 30;

function inPieces(whole: string, size: number): string {
  const wrap = createWordWrap(() => width);
  let shown = "";
  for (let at = 0; at < whole.length; at += size) shown += wrap.push(whole.slice(at, at + size));
  return shown + wrap.end();
}

describe("a line that is too long", () => {
  it.each([1, 2, 3, 7, 1_000])("is broken between words, in pieces of %i characters", (size) => {
    const lines = inPieces(text, size).split("\n");
    expect(lines.join(" ")).toBe(text);
    expect(lines.length).toBeGreaterThan(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  it("goes on below the text of its list or quotation", () => {
    expect(wrapText("• one two three four five\n  12. one two three four", 16)).toBe(
      "• one two three\n  four five\n  12. one two\n      three four",
    );
    expect(wrapText("one two three four five", 16, 4)).toBe("    one two\n    three four\n    five");
  });

  it("keeps its colours, which have no width", () => {
    const painted = "\u001b[1mone two\u001b[22m three \u001b[36mfour\u001b[39m five";
    expect(wrapText(painted, 14)).toBe("\u001b[1mone two\u001b[22m three\n\u001b[36mfour\u001b[39m five");
    expect(stripVTControlCharacters(wrapText(painted, 14))).toBe("one two three\nfour five");
  });

  it("counts wide signs twice, and may be broken between them", () => {
    expect(wrapText("船舶停泊在码头旁边", 8)).toBe("船舶停泊\n在码头旁\n边");
    expect(wrapText("ab 🚢🚢 cafe\u0301 x", 7)).toBe("ab 🚢🚢\ncafe\u0301 x");
  });
});

describe("what keeps its lines", () => {
  it.each([
    ["fenced code", "```ts\nconst answer = theFunction(withOne, argument, andAnother);\n```\n"],
    ["indented code", "    const answer = theFunction(withOne, argument, andAnother);\n"],
    ["a table", "| a column | another column | one more | the last |\n"],
    ["short lines", "one\n\n  two\nthree  \n"],
  ])("%s", (_, whole) => {
    for (const size of [1, 5, 1_000]) expect(inPieces(whole, size)).toBe(whole);
  });

  it("prose behind a fence is broken again", () => {
    expect(inPieces("```\nx\n```\none two three four five six seven", 1)).toBe("```\nx\n```\none two three four five six\nseven");
  });

  it("a word that is longer than the line, and every sign of any text", () => {
    const address = `https://example.test/${"a".repeat(80)}`;
    expect(inPieces(`see ${address} there`, 3).replaceAll(/\s/g, "")).toBe(`see${address}there`);
    expect(wrapText("\u0301 a\u0000b \ud800", 80)).toBe("\u0301 a\u0000b \ud800");
  });
});

it("a word is shown as it grows, but near the edge, where it may belong to the next line", () => {
  const wrap = createWordWrap(() => 60);
  expect([wrap.push("The harb"), wrap.push("our "), wrap.push("mas")]).toEqual(["The harb", "our", " mas"]);
  expect(wrap.push("ter keeps a list of all the ships, un")).toBe("ter keeps a list of all the ships,");
  expect(wrap.push("fortunately for the captains")).toBe("\nunfortunately for the captains");
  expect(wrap.end()).toBe("");
});
