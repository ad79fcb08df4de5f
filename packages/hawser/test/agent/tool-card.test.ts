// How a tool's use, its result and a question about it look on a terminal.

import { describe, expect, it } from "vitest";
import { showQuestion } from "../../src/chat/question.ts";
import { showResult, showUse } from "../../src/chat/tool-card.ts";

const style = { paint: (_format: unknown, text: string): string => text, width: 60 };

describe("cards", () => {
  it("a use is one line, whatever its input", () => {
    expect(showUse({ toolName: "read_file", input: { path: "a.txt", lines: [1, 2] } }, style)).toBe(
      "● read_file path: a.txt  lines: [1,2]\n",
    );
    const long = showUse({ toolName: "write_file", input: { content: "x\n".repeat(10_000) } }, style);
    expect([long.length <= 61, long.split("\n").length]).toEqual([true, 2]);
  });

  it("a result is a few lines with the time, and says how many more there are", () => {
    expect(showResult({ toolName: "list_files", result: { files: ["a", "b"] }, durationMs: 12 }, style)).toBe(
      "  ✓ list_files 12 ms\n    files: a  b\n",
    );
    const many = showResult(
      { toolName: "read_file", result: Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n"), durationMs: 2_345 },
      style,
    );
    expect(many).toBe(`  ✓ read_file 2.3 s\n${[0, 1, 2, 3, 4, 5].map((at) => `    line ${at}\n`).join("")}    … 44 more lines\n`);
    expect(showResult({ toolName: "write_file", result: null, durationMs: 1 }, style)).toBe("  ✓ write_file 1 ms\n");
  });

  it("a failure says why; what never ran has no time", () => {
    const failed = { toolName: "write_file", result: null, isError: true };
    expect(showResult({ ...failed, error: "disk full", durationMs: 3 }, style)).toBe("  ✗ write_file 3 ms  disk full\n");
    expect(showResult({ ...failed, error: "denied: no" }, style)).toBe("  ✗ write_file  denied: no\n");
  });

  it("a question shows every argument; what is long is said to be longer, and can be seen whole", () => {
    const question = {
      toolName: "write_file",
      input: { path: "a.txt", content: `one\n${"x".repeat(1_000)}END` },
      reason: "it changes a file",
    };
    const short = showQuestion(question, style);
    expect(short).toMatch(
      /^\? write_file\n {4}path: a\.txt\n {4}content:\n {6}one\n {6}x{596}\n {4}… 407 more characters; v and Enter shows them\n {4}it changes a file\n$/,
    );
    expect(showQuestion(question, style, true)).toContain("xEND");
  });

  it("a question says that a file of that name is replaced only where there is one", () => {
    const shownWith = (replaces: boolean | undefined): string =>
      showQuestion({ toolName: "write_file", input: { path: "a" }, reason: "why", ...(replaces !== undefined && { replaces }) }, style);
    expect(shownWith(true)).toBe("? write_file\n    path: a\n    The file of that name is replaced.\n    why\n");
    expect([shownWith(false), shownWith(undefined)]).toEqual(Array.from({ length: 2 }, () => "? write_file\n    path: a\n    why\n"));
  });

  it("a text that a folder brings keeps its lines, and no line of it stands where another thing would", () => {
    const padded = `    |${" ".repeat(52)}• the tools of x`;
    const input = { folder: "/x", brings: [`instructions in AGENTS.md:\n    # Rules\n${padded}`, "1 rule"] };
    expect(showQuestion({ toolName: "trust_folder", input, reason: "why" }, style).split("\n").slice(2)).toEqual([
      "      • instructions in AGENTS.md:",
      "            # Rules",
      `            |${" ".repeat(47)}`,
      "             • the tools of x",
      "      • 1 rule",
      "    why",
      "",
    ]);
  });

  it("nothing in them reaches the terminal as a command", () => {
    const evil = "\u001b[2J\u0007\u202e";
    const shown = [
      showUse({ toolName: evil, input: { [evil]: evil } }, style),
      showResult({ toolName: evil, result: { [evil]: evil } }, style),
      showResult({ toolName: evil, result: null, isError: true, error: evil }, style),
      showQuestion({ toolName: evil, input: { [evil]: evil }, reason: evil }, style, true),
    ].join("");
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
