// Changing files: whole or not at all, with mode and line ends kept.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, linkSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { wireLimits } from "@hawser/wire";
import { createEditFile } from "../../src/tools/edit-file.ts";
import { previewOf } from "../../src/tools/files/preview.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { replaceFile } from "../../src/tools/files/replace-file.ts";
import { processorMs } from "../processor-time.ts";
import { createToolStage, type ToolStage } from "./tool-stage.ts";

let stage: ToolStage;
beforeEach(async () => {
  stage = await createToolStage();
});
afterEach(() => stage.remove());

const at = (name: string): string => join(stage.root, name);
const put = (name: string, content: string): void => writeFileSync(at(name), content);
const get = (name: string): string => readFileSync(at(name), "utf8");
const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../../src/tools", name));

/** A program that writes `path` again and again with contents of one letter each, and says what failed. */
function startWriter(rounds: number, prefix: readonly string[] = []): ReturnType<typeof spawn> {
  const program = `
    const { createRoots } = await import(${source("files/roots.ts")});
    const { createBuiltinTools } = await import(${source("builtin-tools.ts")});
    const roots = await createRoots([${JSON.stringify(stage.root)}]);
    const tool = createBuiltinTools({ roots }).find(({ name }) => name === "write_file");
    const signal = new AbortController().signal;
    console.log("ready");
    for (let round = 0; round < ${rounds}; round++) {
      const content = (round % 2 ? "a" : "b").repeat(6_000_000);
      await tool.run({ path: "target.txt", content }, { signal }).catch((error) => console.log(error.message));
    }`;
  const node = [process.execPath, "--conditions=hawser-source", "--input-type=module", "-e", program];
  const [command, ...args] = [...prefix, ...node];
  return spawn(command as string, args, { stdio: ["ignore", "pipe", "inherit"] });
}

describe("write_file", () => {
  it("makes a file and the folders above it", async () => {
    expect(await stage.run("write_file", { path: "a/b/c.txt", content: "ä" })).toEqual({ path: "a/b/c.txt", bytes: 2, created: true });
    expect(get("a/b/c.txt")).toBe("ä");
  });

  it("FSX-06: keeps the mode of a file", async () => {
    put("run.sh", "old");
    chmodSync(at("run.sh"), 0o751);
    expect(await stage.run("write_file", { path: "run.sh", content: "new" })).toEqual({ path: "run.sh", bytes: 3, created: false });
    expect(statSync(at("run.sh")).mode & 0o7777).toBe(0o751);
  });

  it("FSX-06: a second name of the file keeps the old content, wherever it is", async () => {
    put("one.txt", "old");
    linkSync(at("one.txt"), join(stage.outside, "two.txt"));
    await stage.run("write_file", { path: "one.txt", content: "new" });
    expect(get("one.txt")).toBe("new");
    expect(readFileSync(join(stage.outside, "two.txt"), "utf8")).toBe("old");
  });

  it("FSX-06: refuses a folder, the root and a path below a file", async () => {
    expect(await stage.fails("write_file", { path: "src", content: "" })).toBe("src is a folder; give a file");
    expect(await stage.fails("write_file", { path: ".", content: "" })).toBe(". is a folder; give a file");
    expect(await stage.fails("write_file", { path: "inside.txt/x", content: "" })).toContain("not a folder");
  });

  it("G5: refuses text that can't be written as it is, and too much of it", async () => {
    expect(await stage.fails("write_file", { path: "a", content: "\ud800" })).toContain("well-formed");
    const tooMuch = "x".repeat(agentLimits.writtenFileBytes + 1);
    expect(await stage.fails("write_file", { path: "a", content: tooMuch })).toContain(String(agentLimits.writtenFileBytes));
  });

  it("FSX-06: with no room left the old content stays, and no draft", async () => {
    put("target.txt", "old");
    // Files of at most 64 blocks of 512 bytes: what a full disk does to a write.
    const child = startWriter(3, ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"]);
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(child, "close");
    expect(said).toContain("What was there before is unchanged");
    expect(get("target.txt")).toBe("old");
    expect(readdirSync(stage.root)).toEqual(["inside.txt", "src", "target.txt"]);
  });

  it("FSX-06: killed at any moment, the file has the old or the new content, never a mixture", async () => {
    put("target.txt", "b".repeat(6_000_000));
    for (let round = 0; round < 5; round++) {
      const child = startWriter(1_000);
      // It may be done before we are.
      const closed = once(child, "close");
      await once(child.stdout!, "data");
      await delay(5 + round * 15);
      child.kill("SIGKILL");
      await closed;
      expect(statSync(at("target.txt")).size).toBe(6_000_000);
      expect(get("target.txt")).toMatch(/^(?:a+|b+)$/);
    }
    const files = (await stage.run("list_files", {}))["files"];
    expect(files).toEqual(["inside.txt", "src/", "target.txt"]);
  });

  it("G9: removes drafts that a killed process left, once they are old, and nothing else", async () => {
    const draft = (letter: string): string => `.hawser-${letter.repeat(8)}-0000-4000-8000-000000000000.tmp`;
    const old = new Date(Date.now() - wireLimits.staleSchemaMs - 60_000);
    for (const name of [draft("a"), draft("b"), ".hawser-notes.tmp"]) put(name, "");
    for (const name of [draft("a"), ".hawser-notes.tmp"]) utimesSync(at(name), old, old);
    await stage.run("write_file", { path: "new.txt", content: "" });
    expect(readdirSync(stage.root)).toEqual([draft("b"), ".hawser-notes.tmp", "inside.txt", "new.txt", "src"].sort());
  });

  it("writes nothing when it was cancelled", async () => {
    const signal = AbortSignal.abort(new Error("cancelled by the user"));
    await expect(stage.run("write_file", { path: "new.txt", content: "" }, signal)).rejects.toThrow("cancelled by the user");
    expect(readdirSync(stage.root)).toEqual(["inside.txt", "src"]);
  });
});

describe("edit_file", () => {
  async function foresee(args: Readonly<Record<string, unknown>>) {
    const tool = createEditFile(await createRoots([stage.root]));
    return previewOf(tool, args, undefined, AbortSignal.timeout(60_000));
  }

  it("replaces the one place where the text occurs", async () => {
    put("a.ts", "const a = 1;\nconst b = 2;\n");
    chmodSync(at("a.ts"), 0o640);
    const result = await stage.run("edit_file", { path: "a.ts", oldText: "b = 2", newText: "b = $&" });
    expect(result).toEqual({ path: "a.ts", replacements: 1, bytes: 27, line: 2 });
    expect(get("a.ts")).toBe("const a = 1;\nconst b = $&;\n");
    expect(statSync(at("a.ts")).mode & 0o777).toBe(0o640);
  });

  it("says how often the text occurs when that is not once, and changes nothing", async () => {
    put("a.ts", "aaa b b\n");
    expect(await stage.fails("edit_file", { path: "a.ts", oldText: "c", newText: "d" })).toContain("does not occur in a.ts");
    expect(await stage.fails("edit_file", { path: "a.ts", oldText: "b", newText: "d" })).toContain("occurs 2 times in a.ts");
    // Overlapping: which of them is meant is just as unclear.
    expect(await stage.fails("edit_file", { path: "a.ts", oldText: "aa", newText: "d" })).toContain("occurs 2 times");
    expect(await stage.fails("edit_file", { path: "a.ts", oldText: "b", newText: "b" })).toContain("the same");
    expect(get("a.ts")).toBe("aaa b b\n");
  });

  it("replaces all of them when asked", async () => {
    put("a.ts", "aaa aa");
    expect(await stage.run("edit_file", { path: "a.ts", oldText: "aa", newText: "b", replaceAll: true })).toMatchObject({
      replacements: 2,
    });
    expect(get("a.ts")).toBe("ba b");
  });

  it("keeps line ends and a mark at the beginning", async () => {
    put("dos.txt", "\ufeffone\r\ntwo\r\nthree\r\n");
    await stage.run("edit_file", { path: "dos.txt", oldText: "one\ntwo", newText: "1\n2\n2b" });
    expect(get("dos.txt")).toBe("\ufeff1\r\n2\r\n2b\r\nthree\r\n");
    put("mixed.txt", "one\r\ntwo\n");
    await stage.run("edit_file", { path: "mixed.txt", oldText: "two\n", newText: "2\n" });
    expect(get("mixed.txt")).toBe("one\r\n2\n");
  });

  it.each([
    ["in the middle of a line", "4", "four", 1, "1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nfour\n5\n6\n7\n"],
    ["at the beginning", "1\n", "", 1, "1\n2\n3\n4\n", "2\n3\n4\n"],
    ["at the end, without a line feed", "9", "nine\n", 6, "6\n7\n8\n9", "6\n7\n8\nnine\n"],
    ["of whole lines", "5\n6\n", "x\n", 2, "2\n3\n4\n5\n6\n7\n8\n9", "2\n3\n4\nx\n7\n8\n9"],
  ])("foresees what a change does with the lines around it: %s", async (...row) => {
    const [, oldText, newText, line, before, after] = row;
    put("nine.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9");
    expect(await foresee({ path: "nine.txt", oldText, newText })).toEqual([{ path: "nine.txt", line, oldText: before, newText: after }]);
  });

  it("foresees all places together, and nothing where it would fail or be too much to show", async () => {
    put("many.txt", "\nx\n2\n3\n4\n5\nx\n7\n8\n9\n10");
    const all = { path: "many.txt", oldText: "x", newText: "y", replaceAll: true };
    const part = "\nx\n2\n3\n4\n5\nx\n7\n8\n9\n";
    const [whole] = await foresee(all);
    expect(whole).toEqual({ path: "many.txt", line: 1, oldText: part, newText: part.replaceAll("x", "y") });
    expect(await foresee({ ...all, replaceAll: false })).toEqual([]);
    expect(await foresee({ ...all, path: "../outside.txt" })).toEqual([]);
    put("many.txt", "x".repeat(agentLimits.agentDiffChars));
    expect(await foresee(all)).toEqual([]);
    expect(get("many.txt")).toHaveLength(agentLimits.agentDiffChars);
  });

  it("does not let a text stall the process, nor grow a file without bound", async () => {
    put("letters.txt", "a".repeat(4_000_000));
    const oldText = `ab${"a".repeat(100_000)}`;
    const took = await processorMs(async () =>
      expect(await stage.fails("edit_file", { path: "letters.txt", oldText, newText: "" })).toContain("does not occur"),
    );
    // The built-in search takes minutes for this.
    expect(took).toBeLessThan(20_000);
    const newText = "b".repeat(1_000);
    expect(await stage.fails("edit_file", { path: "letters.txt", oldText: "a", newText, replaceAll: true })).toContain(
      "would become larger",
    );
  });

  it("loses none of many edits at the same time", async () => {
    put("busy.txt", "old");
    const edits = Array.from({ length: 20 }, () => stage.run("edit_file", { path: "busy.txt", oldText: "old", newText: "old +" }));
    await Promise.all(edits);
    expect(get("busy.txt")).toBe(`old${" +".repeat(20)}`);
  });

  it("refuses to write over what somebody else has changed since it was read", async () => {
    put("a.txt", "old");
    const madeFrom = statSync(at("a.txt"));
    put("a.txt", "somebody else's");
    const replacement = { text: "new", signal: new AbortController().signal, madeFrom };
    await expect(replaceFile(stage.roots, "a.txt", replacement)).rejects.toThrow("changed by another program");
    expect(get("a.txt")).toBe("somebody else's");
    expect(readdirSync(stage.root)).toEqual(["a.txt", "inside.txt", "src"]);
  });

  it("refuses to write over what somebody else has changed, made or removed while the new content was written", async () => {
    // The tool asks for the last time whether it was cancelled when the new content is there under another name.
    const writeWhile = (path: string, change: () => void): Promise<unknown> =>
      replaceFile(stage.roots, path, { text: "new", signal: { aborted: false, throwIfAborted: change } as AbortSignal });
    put("a.txt", "old");
    const refused = "changed by another program";
    await expect(writeWhile("a.txt", () => put("a.txt", "somebody else's"))).rejects.toThrow(refused);
    expect(get("a.txt")).toBe("somebody else's");
    await expect(writeWhile("b.txt", () => put("b.txt", "somebody else's"))).rejects.toThrow(refused);
    expect(get("b.txt")).toBe("somebody else's");
    await expect(writeWhile("b.txt", () => rmSync(at("b.txt")))).rejects.toThrow(refused);
    expect(readdirSync(stage.root)).toEqual(["a.txt", "inside.txt", "src"]);
  });
});
