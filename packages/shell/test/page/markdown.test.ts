// What a model writes is drawn as Markdown and can do nothing: no script, no address but http, https and
// mailto, no image from elsewhere.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Markdown } from "../../src/page/markdown/markdown.tsx";
import { openCode, splitBlocks } from "../../src/page/markdown/split-blocks.ts";
import { markdownChars } from "../../src/page/state/bounds.ts";

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
      expect(draw(`[click](${address})`)).toContain(`<a href="${address}" target="_blank" rel="noopener noreferrer">click</a>`);
    },
  );

  it("shows an image as a link to it", () => {
    expect(draw("![a boat](https://example.org/boat.png)")).toContain(
      '<a href="https://example.org/boat.png" target="_blank" rel="noopener noreferrer">image: a boat</a>',
    );
  });

  it("shows code as it is, with its language", () => {
    const html = draw("```ts\nconst a = `<b>`;\n```");
    expect(html).toContain("<span>ts</span>");
    expect(html).toContain("<code>const a = `&lt;b&gt;`;\n</code>");
  });

  it("draws tables that scroll, and lists of tasks without a form", () => {
    expect(draw("| a | b |\n| - | - |\n| 1 | 2 |")).toMatch(/overflow-x-auto.*<table>/);
    expect(draw("- [x] done")).not.toContain("<input");
  });

  it("draws what is too long as plain text", () => {
    const long = `**bold** ${"word ".repeat(markdownChars / 5)}`;
    expect(draw(long)).not.toContain("<strong>");
    expect(draw("**bold**")).toContain("<strong>");
  });

  it("makes the same elements of a growing text and of a finished one", () => {
    const text = "# Title\n\nSome *words*.\n\n- a\n- b\n\n  more of b\n\n```js\nlet a\n\nlet b\n```\n\nEnd";
    const bare = (html: string): string => html.replaceAll('</div><div class="answer-block">', "\n");
    expect(bare(draw(text, true)).replaceAll(/\s+/g, "")).toBe(bare(draw(text)).replaceAll(/\s+/g, ""));
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
  "    code",
);

describe("blocks of a growing text", () => {
  it("are the text, character for character, and never end inside a fence", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join("\n");
        const blocks = splitBlocks(text);
        expect(blocks.join("")).toBe(text);
        for (const block of blocks.slice(0, -1)) expect(openCode(block)).toBeUndefined();
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

  it("show code while its fence is still open", () => {
    expect(openCode("```ts\nlet a\n\nlet b")).toEqual({ language: "ts", code: "let a\n\nlet b" });
    expect(openCode("```ts\nlet a\n```")).toBeUndefined();
    expect(openCode("text")).toBeUndefined();
  });
});
