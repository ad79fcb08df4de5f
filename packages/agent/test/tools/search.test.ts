// Searching: what is found, what is passed over, and that no pattern stalls the process.

import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "@hawser/wire";
import { occurrencesOf, separateOccurrences } from "../../src/tools/files/occurrences.ts";
import { processorMs } from "../processor-time.ts";
import { createToolStage, type ToolStage } from "./tool-stage.ts";

let stage: ToolStage;
beforeEach(async () => {
  stage = await createToolStage();
});
afterEach(() => stage.remove());

const put = (name: string, content: string | Buffer): void => writeFileSync(join(stage.root, name), content);

describe("search_files", () => {
  it("finds lines by a literal text, each once, in the order of paths", async () => {
    put("src/b.ts", "x\nfoo(1) foo(1)\r\n\n  foo(1)");
    put("src/a.ts", "foo(1)");
    put("src.ts", "foo(2)\nFOO(1)");
    expect(await stage.run("search_files", { pattern: "foo(1)" })).toEqual({
      matches: [
        { path: "src/a.ts", line: 1, text: "foo(1)" },
        { path: "src/b.ts", line: 2, text: "foo(1) foo(1)" },
        { path: "src/b.ts", line: 4, text: "  foo(1)" },
      ],
      searchedFiles: 4,
    });
  });

  it("takes a regular expression line by line, and ignores case when asked", async () => {
    put("src/a.ts", "const one = 1;\r\nlet two = 2;\nCONST three");
    const run = async (args: Record<string, unknown>): Promise<unknown> =>
      ((await stage.run("search_files", args))["matches"] as { line: number }[]).map(({ line }) => line);
    expect(await run({ pattern: "^(const|let) \\w+ = \\d;$", regex: true })).toEqual([1, 2]);
    expect(await run({ pattern: "const", ignoreCase: true })).toEqual([1, 3]);
    expect(await run({ pattern: "t.o", ignoreCase: true })).toEqual([]);
    expect(await stage.fails("search_files", { pattern: "(", regex: true })).toContain("no regular expression");
  });

  it("searches one folder, one file, or the files of a pattern", async () => {
    put("src/a.ts", "word");
    put("src/a.md", "word");
    put("word.txt", "word");
    const paths = async (args: Record<string, unknown>): Promise<string[]> =>
      ((await stage.run("search_files", { pattern: "word", ...args }))["matches"] as { path: string }[]).map(({ path }) => path);
    expect(await paths({ path: "src" })).toEqual(["src/a.md", "src/a.ts"]);
    expect(await paths({ path: "src/a.md" })).toEqual(["src/a.md"]);
    expect(await paths({ glob: "**/*.ts" })).toEqual(["src/a.ts"]);
    expect(await paths({ glob: "*.txt" })).toEqual(["word.txt"]);
    expect(await stage.fails("search_files", { pattern: "x", path: "nowhere" })).toContain("does not exist");
  });

  it("passes over .git, node_modules, binary, large and special files, and counts what it can't show", async () => {
    for (const folder of [".git", "node_modules"]) {
      mkdirSync(join(stage.root, folder));
      put(`${folder}/a`, "word");
    }
    put("binary", Buffer.from([0, ...Buffer.from("word")]));
    put("latin1", Buffer.from([0xe4, ...Buffer.from("word")]));
    put("large", "word");
    truncateSync(join(stage.root, "large"), limits.searchedFileBytes + 1);
    execFileSync("mkfifo", [join(stage.root, "pipe")]);
    expect(await stage.run("search_files", { pattern: "word" })).toEqual({ matches: [], searchedFiles: 1, passedOver: 3 });
  });

  it("bounds the matches and the length of a line, and says so", async () => {
    put("many.txt", "word\n".repeat(limits.foundEntries + 10));
    const many = await stage.run("search_files", { pattern: "word" });
    expect(many["matches"]).toHaveLength(limits.foundEntries);
    expect(many["truncated"]).toBe(true);
    put("many.txt", `${"x".repeat(100_000)}word${"y".repeat(100_000)}`);
    const [long] = (await stage.run("search_files", { pattern: "word" }))["matches"] as [{ text: string }];
    expect(long.text).toHaveLength(limits.foundLineChars);
    expect(long.text).toContain("word");
  });

  it("SEC-05: a regular expression that never ends is ended, while everything else goes on", async () => {
    put("a.txt", `${"a".repeat(60)}!`);
    let longestGap = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestGap = Math.max(longestGap, performance.now() - last);
      last = performance.now();
    }, 20);
    const text = await stage.fails("search_files", { pattern: "^(a+)+$", regex: true, path: "a.txt" });
    clearInterval(timer);
    expect(text).toContain("takes too long");
    // It would have stood still for as long as the pattern may take.
    expect(longestGap).toBeLessThan(limits.searchPatternMs - 1_000);
  });

  it("ends at once when it is cancelled, also within a pattern", async () => {
    put("a.txt", `${"a".repeat(60)}!`);
    const cancel = new AbortController();
    const search = stage.run("search_files", { pattern: "^(a+)+$", regex: true }, cancel.signal);
    setTimeout(() => cancel.abort(new Error("cancelled by the user")), 200);
    await expect(search).rejects.toThrow("cancelled by the user");
  });
});

describe("occurrences", () => {
  it("are the same for short and long texts as the built-in search finds", () => {
    for (const unit of ["ab", "aab", "aaaa"]) {
      const wanted = unit.repeat(40);
      const text = `${unit.repeat(100)}x${unit.repeat(45)}`;
      const expected = Array.from(text, (_, at) => at).filter((at) => text.startsWith(wanted, at));
      expect([...occurrencesOf(wanted, text)]).toEqual(expected);
      expect(text.replaceAll(wanted, "")).toHaveLength(text.length - separateOccurrences(wanted, text).length * wanted.length);
    }
    expect([...occurrencesOf("aa", "aaa")]).toEqual([0, 1]);
    expect(separateOccurrences("aa", "aaaa")).toEqual([0, 2]);
  });

  it("SEC-05: are found in time that grows with the lengths only", async () => {
    const search = (): number[] => [...occurrencesOf(`ab${"a".repeat(10_000)}`, "a".repeat(4_000_000))];
    // The built-in search takes ten times this bound on a fast machine.
    expect(await processorMs(() => expect(search()).toEqual([]))).toBeLessThan(3_000);
  });
});
