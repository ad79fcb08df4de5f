// What a model writes is drawn as Markdown and can do nothing: no script, no address but http, https and
// mailto, no image from elsewhere.

import { shellLimits } from "../../src/limits.ts";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "../../src/page/markdown/markdown.tsx";
import { isTooHeavy, codeOf, splitBlocks } from "../../src/page/markdown/split-blocks.ts";
import { toPieces } from "../../src/page/markdown/plain-text.tsx";

import fc from "fast-check";

const draw = (text: string, isGrowing = false): string => renderToStaticMarkup(createElement(Markdown, { text, isGrowing }));

describe("Markdown", () => {
  it.each([
    ["<script>alert(1)</script>", "script"],
    ["<img src=x onerror=alert(1)>", "img"],
    ["<svg onload=alert(1)></svg>", "circle"],
    ['<iframe src="javascript:alert(1)"></iframe>', "iframe"],
    ["![spy](https://evil.example/pixel.png)", "img"],
    ["![spy](data:image/svg+xml;base64,PHN2Zz4=)", "img"],
    ['<style>@import "https://evil.example"</style>', "style"],
  ])("WEB-04: %s makes no such element", (text, element) => {
    for (const isGrowing of [true, false]) expect(draw(text, isGrowing)).not.toMatch(new RegExp(`<${element}[\\s>]`, "i"));
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<b>x</b>",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example",
    "/files/1",
    "blob:x",
  ])("WEB-04: a link to %s leads nowhere", (address) => {
    expect(draw(`[click](<${address}>)`)).not.toContain("href");
    expect(draw(`[click][1]\n\n[1]: <${address}>`)).not.toContain("href");
  });

  it.each(["https://example.org/a", "http://example.org", "mailto:a@example.org"])(
    "a link to %s opens elsewhere and tells nothing",
    (address) => {
      expect(draw(`[click](${address})`)).toContain(
        `<a href="${address}" title="${address}" target="_blank" rel="noopener noreferrer">click</a>`,
      );
    },
  );

  it("shows an image as a link to it", () => {
    expect(draw("![a boat](https://example.org/boat.png)")).toContain(
      '<a href="https://example.org/boat.png" title="https://example.org/boat.png" target="_blank" rel="noopener noreferrer">image: a boat</a>',
    );
  });

  it("shows code as it is, with its language", () => {
    const html = draw("```ts\nconst a = `<b>`;\n```");
    expect(html).toContain("<span>ts</span>");
    expect(html).toContain("<code>const a = `&lt;b&gt;`;\n</code>");
  });

  it("draws tables that scroll, and lists of tasks without a form", () => {
    expect(draw("| a | b |\n| - | - |\n| 1 | 2 |")).toMatch(/overflow-x-auto.*<table dir="auto">/);
    expect(draw("- [x] done")).not.toContain("<input");
  });

  it("draws what is too long as plain text", () => {
    const long = `**bold** ${"word ".repeat(shellLimits.shellMarkdownChars / 5)}`;
    expect(draw(long)).not.toContain("<strong>");
    expect(draw("**bold**")).toContain("<strong>");
  });

  it("makes the same elements of a growing text and of a finished one", () => {
    const text = "# Title\n\nSome *words*.\n\n- a\n- b\n\n  more of b\n\n```js\nlet a\n\nlet b\n```\n\nEnd";
    const bare = (html: string): string => html.replaceAll('</div><div class="answer-block">', "\n");
    expect(bare(draw(text, true)).replaceAll(/\s+/g, "")).toBe(bare(draw(text)).replaceAll(/\s+/g, ""));
  });
});

describe("a text that would take the parser for ever", () => {
  const many = (unit: string, chars = 99_000): string => unit.repeat(Math.floor(chars / unit.length));
  const columns = many("a|", 2_000);

  it.each([
    ["quotes in quotes", many(">")],
    ["quotes in quotes, with spaces", many("> ")],
    ["lists in lists", many("1. ")],
    ["short, but nested without end", many("1. ", 9_000)],
    ["short, but with many columns", `|${many("a|", 400)}\n|${many("-|", 400)}\n${many("|a|b|\n", 3_000)}`],
    ["brackets", many("[")],
    ["links that never close", many("[a](")],
    ["emphasis that never ends", many("_a__b*")],
    ["backticks of every length", Array.from({ length: 400 }, (_, at) => "`".repeat(at)).join(" x ")],
    ["a wide table with short rows", `|${columns}\n|${columns.replaceAll("a", "-")}\n${many("|a|b|\n", 20_000)}`],
    ["headings", many("# x\n")],
    ["what looks like code before it", `\`\`\`a\`\n\n${many(">", 5_000)}`],
  ])("is shown as it is: %s", (_, text) => {
    expect(isTooHeavy(text)).toBe(true);
    for (const isGrowing of [true, false]) expect(draw(text, isGrowing)).not.toMatch(/<(?:blockquote|ol|h1|table|em)>/);
  });

  it("does not keep the rest from being drawn", () => {
    const html = draw(`# Title\n\n${"[".repeat(5_000)}\n\n\`\`\`ts\n${"let a;\n".repeat(5_000)}\`\`\`\n\n**End**`);
    expect(html).toMatch(/<h1>Title<\/h1>.*\[\[\[.*<span>ts<\/span>.*<strong>End<\/strong>/s);
  });

  it("is none that people write: a long answer with tables, lists and code is drawn as Markdown", () => {
    const row = `| ${Array.from({ length: 12 }, () => "`cell`").join(" | ")} |\n`;
    const text = `${row}${row.replaceAll(/[^|\n]+/g, "---")}${row.repeat(40)}\n\n- **a** and *b*\n  - c\n    > d\n\n${"Some words. ".repeat(500)}`;
    expect(isTooHeavy(text)).toBe(false);
    expect(draw(text)).toMatch(/<table dir="auto">.*<strong>a<\/strong>.*<blockquote dir="auto">/s);
  });

  it("as plain text is cut into pieces that are the text, and those before the last stay", () => {
    const text = fc
      .array(fc.constantFrom("word ".repeat(3_000), "line\n", "\n", "x".repeat(20_000)), { maxLength: 8 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (before, more) => {
        expect(toPieces(before).join("")).toBe(before);
        const early = toPieces(before).slice(0, -1);
        expect(toPieces(before + more).slice(0, early.length)).toEqual(early);
      }),
    );
  });
});

const line = fc.constantFrom(
  "",
  "",
  "text",
  "```",
  "```js",
  "~~~~",
  "- item",
  "  more",
  "1. one",
  "> quote",
  "| a |",
  "# Head",
  "**bold**",
  "    code",
);

describe("blocks of a growing text", () => {
  it("are the text, character for character, and never end inside a fence", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join("\n");
        const blocks = splitBlocks(text);
        expect(blocks.join("")).toBe(text);
        for (const block of blocks.slice(0, -1)) expect(splitBlocks(`${block}\n\nnext`).length, block).toBeGreaterThan(1);
      }),
    );
  });

  it("before the last never change when more comes", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.array(line, { minLength: 1, maxLength: 5 }), (before, more) => {
        const grown = splitBlocks([...before, ...more].join("\n"));
        const early = splitBlocks(before.join("\n")).slice(0, -1);
        expect(grown.slice(0, early.length)).toEqual(early);
      }),
    );
  });

  it("that are nothing but code are known as such, also while the fence is still open", () => {
    expect(codeOf("```ts title\nlet a\n\nlet b")).toEqual({ language: "ts", code: "let a\n\nlet b" });
    expect(codeOf("~~~\nlet a\n~~~\n\n")).toEqual({ language: "", code: "let a\n" });
    for (const text of ["```ts\nlet a\n```\nmore", "text", "```a`\nno fence", "text\n```\n"]) expect(codeOf(text), text).toBeUndefined();
  });
});
