// How a tool's call and its result are shown: in a line of words, as a difference, as a file, and as what
// they are; text of a tool stays text.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolPart } from "../../src/page/state/page-state.ts";
import { describeCall, formatDuration, summarizeInput } from "../../src/page/tools/describe-call.ts";
import { diffLines } from "../../src/page/tools/line-diff.ts";
import { ToolResult } from "../../src/page/tools/tool-result.tsx";

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
    expect(describeCall("write_file", { path: "a.txt", content: "hello" })).toBe(
      "Write 5 characters to a.txt; a file of that name is replaced",
    );
    expect(describeCall("edit_file", { path: "a.txt", replaceAll: true })).toBe("Change text in a.txt, everywhere it occurs");
    expect(describeCall("run_command", { command: "rm", args: ["-rf", "a b"] })).toBe('Run this program: rm -rf "a b"');
  });

  it("has a time that people can read", () => {
    expect([5.4, 999, 1_000, 61_000, 3_700_000].map(formatDuration)).toEqual(["5 ms", "999 ms", "1.0 s", "1 min 1 s", "1 h 1 min"]);
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
    const image = (mimeType: string) => draw("photo", {}, { content: [{ type: "image", data: "AAAA", mimeType }] });
    expect(image("image/png")).toContain('src="data:image/png;base64,AAAA"');
    expect(image("image/svg+xml")).not.toContain("<img");
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
