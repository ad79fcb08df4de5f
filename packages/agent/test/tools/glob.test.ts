// Patterns: what they match, and that none of them stalls.

import { describe, expect, it } from "vitest";
import { matchesGlob, toLiteralGlob } from "../../src/tools/files/glob.ts";
import { processorMs } from "../processor-time.ts";

describe("matchesGlob", () => {
  it.each([
    ["src/a.ts", "src/a.ts", true],
    ["src/a.ts", "src/b.ts", false],
    ["src/*", "src/a.ts", true],
    ["src/*", "src/deep/a.ts", false],
    ["src/*", "src/", true],
    ["src/**", "src/deep/a.ts", true],
    ["src/**", "src-evil/a.ts", false],
    ["src/**", "src", false],
    ["**/a.ts", "a.ts", true],
    ["**/a.ts", "x/y/a.ts", true],
    ["**/a.ts", "x/ya.ts", false],
    ["**/.env", "deep/.env", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["*.ts", "a.ts", true],
    ["*.ts", "a.tsx", false],
    ["*", "a/b", false],
    ["**", "a/b\nc", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "a😀c", true],
    ["a.c", "abc", false],
    ["[ab]", "a", false],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["github__*", "github__create_issue", true],
    ["", "", true],
    ["", "x", false],
  ])("%j on %j: %s", (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it("SEC-05: takes time that grows with the lengths only", async () => {
    const took = await processorMs(() => {
      expect(matchesGlob("*a".repeat(500), `${"a".repeat(4_000)}b`)).toBe(false);
      expect(matchesGlob(`${"**/".repeat(300)}b`, "a/".repeat(2_000))).toBe(false);
    });
    expect(took).toBeLessThan(5_000);
  });

  it("a literal pattern matches its text and nothing else", () => {
    for (const text of ["a*b", "a?b", "a\\b", "**", "plain"]) {
      expect(matchesGlob(toLiteralGlob(text), text)).toBe(true);
      expect(matchesGlob(toLiteralGlob(text), `${text}x`)).toBe(false);
    }
    expect(matchesGlob(toLiteralGlob("a*b"), "axb")).toBe(false);
  });
});
