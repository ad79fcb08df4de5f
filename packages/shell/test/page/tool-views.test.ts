// How a tool's call and its result are shown: in a line of words, as a difference, as a file, and as what
// they are; text of a tool stays text.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import fc from "fast-check";
import { shellLimits } from "../../src/limits.ts";
import { reveal } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import type { ToolPart } from "../../src/page/state/page-state.ts";
import { unsaidInput } from "../../src/page/tools/call-input.tsx";
import { describeCall, formatDuration, summarizeInput } from "../../src/page/tools/describe-call.ts";
import { diffLines } from "../../src/page/tools/line-diff.ts";
import { countLines, endOfPart } from "../../src/page/tools/text-part.ts";
import { ChangePreview, ToolResult } from "../../src/page/tools/tool-result.tsx";

function draw(toolName: string, input: unknown, result: unknown, state: ToolPart["state"] = "done"): string {
  return renderToStaticMarkup(createElement(ToolResult, { tool: { kind: "tool", toolId: "t", toolName, input, result, state } }));
}

describe("a difference", () => {
  it("tells both texts, line by line, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const side = (kind: string) =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join("\n");
        expect([side("added"), side("removed")]).toEqual([before, after]);
      }),
    );
  });

  it("keeps what stays", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same a",
      "removed b",
      "added x",
      "same c",
    ]);
  });

  it("of very long texts is still made at once", () => {
    const many = (word: string): string => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join("\n");
    expect(diffLines(many("old"), many("new"))).toHaveLength(40_000);
  });
});

describe("a call", () => {
  it("is told in one line", () => {
    expect(summarizeInput({ command: "git", args: ["commit", "-m", "two words"] })).toBe('git commit -m "two words"');
    expect(summarizeInput({ pattern: "x y", path: "src" })).toBe('"x y" in src');
    expect(summarizeInput({ petId: 7, tags: ["a"] })).toBe('petId: 7, tags: ["a"]');
    expect(summarizeInput(null)).toBe("");
    expect(summarizeInput({ path: "a\n".repeat(500) }).length).toBeLessThan(130);
  });

  it("that is asked about says what exactly will happen", () => {
    expect(describeCall("edit_file", { input: { path: "a.txt", replaceAll: true } })).toBe("Change text in a.txt, everywhere it occurs");
    expect(describeCall("run_command", { input: { command: "rm", args: ["-rf", "a b"] } })).toBe('Run this program: rm -rf "a b"');
  });

  it("speaks of a file that is replaced only where there is one, or where nobody says", () => {
    const write = (replaces?: boolean): string => describeCall("write_file", { input: { path: "a.txt", content: "hello" }, replaces });
    expect(write(true)).toBe("Write 5 characters to a.txt; the file of that name is replaced");
    expect(write(false)).toBe("Write 5 characters to a.txt, a new file");
    expect(write()).toBe("Write 5 characters to a.txt; if there is a file of that name, it is replaced");
  });

  it("has a time that people can read", () => {
    expect([5.4, 999, 1_000, 61_000, 3_700_000].map(formatDuration)).toEqual(["5 ms", "999 ms", "1.0 s", "1 min 1 s", "1 h 1 min"]);
  });
});

describe("the input of a call", () => {
  const unsaid = (toolName: string, input: unknown, state: ToolPart["state"] = "done") => unsaidInput({ toolName, input, state });

  it("is shown only where the title and the result don't say it", () => {
    expect(unsaid("read_file", { path: "notes.txt" })).toBeUndefined();
    expect(unsaid("run_command", { command: "git", args: ["push"] })).toBeUndefined();
    expect(unsaid("edit_file", { path: "a", oldText: "x", newText: "y" })).toBeUndefined();
    expect(unsaid("getPet", { petId: 7 })).toBeUndefined();
    expect(unsaid("read_file", { path: "notes.txt", limit: 3 })).toEqual({ limit: 3 });
    expect(unsaid("edit_file", { path: "a", oldText: "x", newText: "y" }, "failed")).toEqual({ oldText: "x", newText: "y" });
  });

  it("is whole where the title is cut", () => {
    const input = { path: `${"deep/".repeat(60)}notes.txt` };
    expect(unsaid("read_file", input)).toEqual(input);
    expect(unsaid("getPet", { name: "x".repeat(500) })).toEqual({ name: "x".repeat(500) });
  });
});

describe("a text of megabytes", () => {
  it("is cut by lines and by characters, and never inside a character", () => {
    expect(endOfPart("a\nb\nc\n", 0, 2, 100)).toBe(4);
    expect(endOfPart("a\nb\nc", 0, 9, 100)).toBe(5);
    expect(endOfPart("x".repeat(50), 0, 9, 10)).toBe(10);
    expect(endOfPart("ab🚢cd", 0, 9, 3)).toBe(2);
    expect(["", "a", "a\n", "a\nb"].map(countLines)).toEqual([0, 1, 1, 2]);
  });

  it("is drawn in part, and the rest is one button", () => {
    const page = draw("read_file", {}, { path: "big.txt", content: "a line of text\n".repeat(600_000) });
    expect(page.length).toBeLessThan(30_000);
    expect(page).toContain("Show more (599,700 lines left)");
    const line = draw("read_file", {}, { path: "big.txt", content: "x".repeat(9_000_000) });
    expect(line.length).toBeLessThan(80_000);
    expect(line).toContain("Show more (8,940,000 characters left)");
  });
});

describe("what is asked about", () => {
  const ask = (toolName: string, input: unknown) =>
    `${describeCall(toolName, { input })} ${renderToStaticMarkup(createElement(ChangePreview, { toolName, input, openDepth: Infinity }))}`;

  it("shows signs that hide themselves or turn others around, in names, paths, texts and members", () => {
    expect(reveal("a\u202eb\u200bc\u00a0d\u3164e\ufefff\u{e0041}g\u0000h\ud800i\r")).toBe(
      "a⟨U+202E⟩b⟨U+200B⟩c⟨U+00A0⟩d⟨U+3164⟩e⟨U+FEFF⟩f⟨U+E0041⟩g⟨U+0000⟩h⟨U+D800⟩i⟨U+000D⟩",
    );
    expect(reveal("plain: é 漢字 💥 ✓\tand\r\nlines\n")).toBe("plain: é 漢字 💥 ✓\tand\r\nlines\n");
    const hidden = "txt.\u202egpj.sh";
    for (const [name, input] of [
      ["write_file", { path: hidden, content: "x" }],
      ["write_file", { path: "a", content: hidden }],
      ["edit_file", { path: "a", oldText: hidden, newText: "y" }],
      ["run_command", { command: hidden }],
      ["run_command", { command: "a", args: [hidden] }],
      ["other", { [hidden]: 1 }],
      [hidden, {}],
    ] as const) {
      expect(ask(name, input), name).toContain("⟨U+202E⟩");
      expect(ask(name, input), name).not.toContain("\u202e");
    }
  });

  it("shows everything that a tool is given, also what it would not expect, at any depth", () => {
    expect(ask("write_file", { path: "a", content: "b", mode: "0777" })).toContain("0777");
    expect(ask("edit_file", { path: "a", oldText: "b", newText: "c", after: { run: ["rm"] } })).toContain("rm");
    expect(ask("edit_file", { path: "a", oldText: "b", newText: "c", content: "evil" })).toContain("evil");
    expect(ask("other", { a: { b: { c: { d: { e: "deep" } } } } })).toContain("deep");
  });

  it("puts in quotes what could be taken for something else", () => {
    expect(describeCall("write_file", { input: { path: "a.txt; nothing else", content: "" } })).toContain('to "a.txt; nothing else";');
    expect(describeCall("run_command", { input: { command: "rm", args: ["-rf  /", ""] } })).toBe('Run this program: rm "-rf /" ""');
  });
});

describe("a result", () => {
  it("that is a file has the numbers of its lines, from where it was read", () => {
    expect(draw("read_file", {}, { path: "a", content: "x\ny\n", offset: 10 })).toMatch(/>10\n11<.*>x\ny</s);
  });

  it("of an edit is the difference, of a search its lines, of a list its names", () => {
    expect(draw("edit_file", { path: "a", oldText: "x", newText: "y" }, {})).toMatch(/removed: .*x.*added: .*y/s);
    expect(draw("search_files", {}, { matches: [{ path: "a.ts", line: 3, text: "boat" }] })).toContain("a.ts:3");
    expect(draw("list_files", {}, { files: ["a.ts", "src/"] })).toMatch(/<li[^>]*>a\.ts<\/li><li[^>]*>src\//);
    expect(draw("run_command", {}, { exitCode: 3, stdout: "out", stderr: "" })).toContain("Exit code 3");
  });

  it("that is an image is shown from what came with it; other content is not loaded", () => {
    const image = (mimeType: string, data = "AAAA") => draw("photo", {}, { content: [{ type: "image", data, mimeType }] });
    for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"])
      expect(image(type)).toContain(`src="data:${type};base64,AAAA"`);
    for (const type of ["image/svg+xml", "text/html", "image/png;x", "IMAGE/PNG", "\u202egnp/egami"])
      expect(image(type)).not.toContain("<img");
    expect(image("image/png", "A".repeat(shellLimits.shellImageChars + 4))).toContain(
      "An image that is not shown: image/png, 8000004 characters.",
    );
    for (const data of ["", "AA,<svg>", "AA AA", "https://evil.example/"]) expect(image("image/png", data)).not.toContain("<img");
  });

  it("of several kinds is shown one after the other: texts, images, and the rest as a tree", () => {
    const content = [
      { type: "text", text: "<b>caption</b>" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "https://evil.example/x.png" },
    ];
    expect(draw("photo", {}, { content })).toMatch(/&lt;b&gt;caption.*<img.*uri.*evil/s);
    expect(draw("photo", {}, { content }).match(/src="[^"]*"/g)).toEqual(['src="data:image/png;base64,AAAA"']);
    // What only looks like it is a value like any other.
    expect(draw("photo", {}, { content: [1, "two"] })).toMatch(/content.*two/s);
  });

  it("WEB-04: that holds HTML stays text", () => {
    for (const result of ["<script>x</script>", { a: "<script>x</script>" }, { files: ["<script>x</script>"] }])
      expect(draw("list_files", {}, result)).not.toContain("<script>");
  });

  it("that is not there yet, or has a shape that was not expected, breaks nothing", () => {
    expect(draw("read_file", {}, undefined, "running")).toBe("");
    fc.assert(
      fc.property(
        fc.constantFrom("read_file", "write_file", "edit_file", "list_files", "search_files", "run_command", "x"),
        fc.jsonValue(),
        fc.jsonValue(),
        (name, input, result) => {
          expect(() => draw(name, input, result)).not.toThrow();
        },
      ),
    );
  });
});
