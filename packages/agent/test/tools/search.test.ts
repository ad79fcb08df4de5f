// Searching: what is found, what is passed over, and that no pattern stalls the process.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { occurrencesOf, separateOccurrences } from "../../src/tools/files/occurrences.ts";
import { processorMs } from "../processor-time.ts";
import { createToolStage, type ToolStage } from "./tool-stage.ts";

let stage: ToolStage;
beforeEach(async () => {
  stage = await createToolStage();
});
afterEach(() => stage.remove());

const openDescriptors = (): number => readdirSync("/proc/self/fd").length;
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
    expect(await stage.fails("search_files", { pattern: "(", regex: true })).toContain("not a regular expression");
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

  it("passes over .git, node_modules, binary, large and special files, and says how many of each", async () => {
    for (const folder of [".git", "node_modules"]) {
      mkdirSync(join(stage.root, folder));
      put(`${folder}/a`, "word");
    }
    put("binary", Buffer.from([0, ...Buffer.from("word")]));
    put("latin1", Buffer.from([0xe4, ...Buffer.from("word")]));
    put("large", "word");
    truncateSync(join(stage.root, "large"), agentLimits.searchedFileBytes + 1);
    execFileSync("mkfifo", [join(stage.root, "pipe")]);
    expect(await stage.run("search_files", { pattern: "word" })).toEqual({
      matches: [],
      searchedFiles: 1,
      leftOut: { tooLarge: 1, notText: 2, notRegular: 1, ignoredFolders: [".git/", "node_modules/"] },
    });
  });

  it("bounds the matches and the length of a line, and says so", async () => {
    put("many.txt", "word\n".repeat(agentLimits.foundEntries + 10));
    const many = await stage.run("search_files", { pattern: "word" });
    expect(many["matches"]).toHaveLength(agentLimits.foundEntries);
    expect(many["truncated"]).toBe(true);
    put("many.txt", `${"x".repeat(100_000)}word${"y".repeat(100_000)}`);
    const [long] = (await stage.run("search_files", { pattern: "word" }))["matches"] as [{ text: string }];
    expect(long.text).toHaveLength(agentLimits.foundLineChars);
    expect(long.text).toContain("word");
  });

  it("says why it stopped, after which file, and what it did not reach", async () => {
    put("b.txt", "word\n".repeat(agentLimits.foundEntries + 1));
    for (const name of ["a.txt", "d.md"]) put(name, "word");
    // More than are read ahead.
    for (let count = 10; count < 30; count++) put(`c${count}.txt`, "word");
    for (let count = 0; count < agentLimits.leftOutEntries + 3; count++) mkdirSync(join(stage.root, `z${String(count).padStart(2, "0")}`));
    const { stopped, notReached, truncated } = await stage.run("search_files", { pattern: "word", glob: "*.txt" });
    expect(truncated).toBe(true);
    expect(stopped).toBe(`there are more than ${agentLimits.foundEntries} matching lines`);
    expect(notReached).toMatchObject({ after: "b.txt", files: 21 });
    const { folders } = notReached as { folders: string[] };
    expect(folders).toHaveLength(agentLimits.leftOutEntries + 1);
    expect(folders.slice(0, 2)).toEqual(["src/", "z00/"]);
    expect(folders.at(-1)).toBe("and 4 more");
  });

  it("is bounded in time and in bytes, and says which of them ended it", async () => {
    const { searchMs, searchedBytes } = agentLimits;
    onTestFinished(() => void Object.assign(agentLimits, { searchMs, searchedBytes }));
    // More than are read ahead.
    for (let count = 10; count < 40; count++) put(`c${count}.txt`, "word");
    Object.assign(agentLimits, { searchMs: -1 });
    const hurried = await stage.run("search_files", { pattern: "word" });
    expect(hurried).toMatchObject({ matches: [], searchedFiles: 0, truncated: true });
    expect(hurried["stopped"]).toMatch(/seconds are over$/);
    expect(hurried["notReached"]).toEqual({ files: 31, folders: ["src/"] });
    for (const folder of ["aa", "bb"]) mkdirSync(join(stage.root, folder));
    expect((await stage.run("search_files", { pattern: "word" }))["notReached"]).toEqual({ files: 31, folders: ["aa/", "bb/", "src/"] });
    Object.assign(agentLimits, { searchMs, searchedBytes: 3 });
    const short = await stage.run("search_files", { pattern: "word" });
    expect(short).toMatchObject({ matches: [{ path: "c10.txt" }], searchedFiles: 1, truncated: true, stopped: "3 bytes were read" });
  });

  it("names folders that may not be read, and those that are too deep", async () => {
    let path = stage.root;
    for (let depth = 0; depth < agentLimits.walkedDepth; depth++) mkdirSync((path = join(path, "d")));
    writeFileSync(join(path, "deep.txt"), "word");
    const result = await stage.run("search_files", { pattern: "word" });
    const way = "d/".repeat(agentLimits.walkedDepth);
    expect(result).toEqual({ matches: [], searchedFiles: 1, leftOut: { tooDeepFolders: [way] }, truncated: true });
  });

  it("takes the files in the order of their names, small and large ones, however many are read at once", async () => {
    const large = `${"x".repeat(200_000)}\nword`;
    const names = Array.from({ length: 90 }, (_, index) => `src/f${String(index).padStart(2, "0")}.txt`);
    names.forEach((name, index) => put(name, index % 7 === 3 ? large : "word"));
    for (const regex of [false, true]) {
      const { matches } = await stage.run("search_files", { pattern: "word", regex });
      expect((matches as { path: string }[]).map(({ path }) => path)).toEqual(names);
    }
  });

  it("leaves no descriptor open when it ends early, with large files read ahead", async () => {
    const before = openDescriptors();
    const large = "word\n".repeat(20_000);
    for (let index = 0; index < 30; index++) put(`src/f${index}.txt`, large);
    expect(await stage.run("search_files", { pattern: "word" })).toMatchObject({ truncated: true });
    expect(openDescriptors()).toBe(before);
  });

  it("costs little more than reading the files", async () => {
    for (let folder = 0; folder < 12; folder++) {
      mkdirSync(join(stage.root, `d${folder}`));
      for (let file = 0; file < 75; file++) put(`d${folder}/f${file}.txt`, "an ordinary line of text\n".repeat(20));
    }
    const plain = async (): Promise<void> => {
      for (let folder = 0; folder < 12; folder++)
        for (let file = 0; file < 75; file++) await readFile(join(stage.root, `d${folder}/f${file}.txt`), "utf8");
    };
    const search = async (): Promise<void> =>
      expect(await stage.run("search_files", { pattern: "needle" })).toEqual({ matches: [], searchedFiles: 901 });
    await plain();
    await search();
    // The least of several: what the compiler and the collector of garbage take falls into any of them.
    const rounds: { readonly searching: number; readonly reading: number }[] = [];
    for (let round = 0; round < 4; round++) rounds.push({ searching: await processorMs(search), reading: await processorMs(plain) });
    const [searching, reading] = [Math.min(...rounds.map((round) => round.searching)), Math.min(...rounds.map((round) => round.reading))];
    expect(searching).toBeLessThan(reading * 1.8);
  });

  it("SEC-05: a regular expression that never ends is ended, while everything else goes on", async () => {
    put("a.txt", `${"a".repeat(60)}!`);
    const { searchPatternMs } = agentLimits;
    agentLimits.searchPatternMs = 1_000;
    onTestFinished(() => void (agentLimits.searchPatternMs = searchPatternMs));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const text = await stage.fails("search_files", { pattern: "^(a+)+$", regex: true, path: "a.txt" });
    clearInterval(timer);
    expect(text).toContain("takes too long");
    // It would have stood still for as long as the pattern may take.
    expect(turns).toBeGreaterThan(3);
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
