// Files that are large, growing, empty, binary, forbidden or strangely named: a bounded answer or a clear error.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, openSync, truncateSync, writeFileSync, writeSync, closeSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createToolStage, type ToolStage } from "./tool-stage.ts";

let stage: ToolStage;
beforeEach(async () => {
  stage = await createToolStage();
});
afterEach(() => stage.remove());

const put = (name: string, content: string | Buffer): void => writeFileSync(join(stage.root, name), content);

describe("read_file", () => {
  it("gives the text, its size and how many lines it has", async () => {
    put("a.txt", "one\ntwo\nthree");
    expect(await stage.run("read_file", { path: "a.txt" })).toEqual({ path: "a.txt", content: "one\ntwo\nthree", size: 13, lines: 3 });
  });

  it("gives a range of lines, and where to go on", async () => {
    put("a.txt", "1\n2\n3\n4\n");
    const first = await stage.run("read_file", { path: "a.txt", offset: 2, limit: 2 });
    expect(first).toEqual({ path: "a.txt", content: "2\n3\n", size: 8, offset: 2, lines: 2, truncated: true, nextOffset: 4 });
    const rest = await stage.run("read_file", { path: "a.txt", offset: 4 });
    expect(rest).toEqual({ path: "a.txt", content: "4\n", size: 8, offset: 4, lines: 1 });
    expect(await stage.run("read_file", { path: "a.txt", offset: 9 })).toMatchObject({ content: "", lines: 0 });
  });

  it("G10: a large file comes in pieces that together are the file", async () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `line ${index} äöü €`).join("\n");
    put("large.txt", text);
    let read = "";
    let pieces = 0;
    for (let offset: number | undefined = 1; offset !== undefined; pieces++) {
      const part = await stage.run("read_file", { path: "large.txt", offset });
      expect(Buffer.byteLength(part["content"] as string)).toBeLessThanOrEqual(agentLimits.readFileBytes);
      read += part["content"] as string;
      offset = part["nextOffset"] as number | undefined;
    }
    expect(read).toBe(text);
    expect(pieces).toBeGreaterThan(2);
  });

  it("cuts a line that is longer than an answer, between two characters", async () => {
    put("long.txt", `x${"€".repeat(agentLimits.readFileBytes)}`);
    const part = await stage.run("read_file", { path: "long.txt" });
    expect(part).toMatchObject({ truncated: true, lines: 0 });
    expect(part["content"]).toMatch(/^x€+$/u);
  });

  it("FSX-05: reads a file of 0 bytes, and what names no file's size says", async () => {
    put("empty", "");
    expect(await stage.run("read_file", { path: "empty" })).toEqual({ path: "empty", content: "", size: 0, lines: 0 });
  });

  it("FSX-05: refuses binary files with their size and kind", async () => {
    put("picture.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    put("broken.txt", Buffer.from([0x61, 0xff, 0x62]));
    expect(await stage.fails("read_file", { path: "picture.png" })).toContain("a PNG image of 16 bytes");
    expect(await stage.fails("read_file", { path: "broken.txt" })).toContain("binary data of 3 bytes");
    expect(await stage.fails("edit_file", { path: "broken.txt", oldText: "a", newText: "b" })).toContain("not UTF-8 text");
  });

  it("FSX-05: a sparse terabyte ends at its first bytes", async () => {
    put("sparse", "");
    truncateSync(join(stage.root, "sparse"), 2 ** 40);
    expect(await stage.fails("read_file", { path: "sparse" })).toContain(`${2 ** 40} bytes`);
    expect(await stage.fails("edit_file", { path: "sparse", oldText: "a", newText: "b" })).toContain("not UTF-8 text");
    expect(await stage.run("search_files", { pattern: "a-text", path: "sparse" })).toEqual({
      matches: [],
      searchedFiles: 0,
      leftOut: { tooLarge: 1 },
    });
  });

  it("FSX-05: a file that grows while it is read ends at the bound", async () => {
    put("growing", "start\n");
    const grow = `const fs = require("node:fs"); const fd = fs.openSync(process.argv[1], "a"); const line = "x".repeat(9_999) + "\\n";
      process.stdout.write("ready"); for (let i = 0; i < 20_000; i++) fs.writeSync(fd, line);`;
    const child = spawn(process.execPath, ["-e", grow, join(stage.root, "growing")], { stdio: ["ignore", "pipe", "inherit"] });
    // It may be done before we are.
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    // It may not have had its turn yet, on a machine with one processor.
    const hasGrown = (): boolean => statSync(join(stage.root, "growing")).size > 6 || child.exitCode !== null;
    for (let round = 0; round < 20 || !hasGrown(); round++) {
      const part = await stage.run("read_file", { path: "growing" });
      expect((part["content"] as string).length).toBeLessThanOrEqual(agentLimits.readFileBytes);
    }
    child.kill("SIGKILL");
    await exited;
    expect(statSync(join(stage.root, "growing")).size).toBeGreaterThan(6);
  });

  it("FSX-05: says when there is no permission, also for a folder on the way", async () => {
    put("secret.txt", "secret");
    chmodSync(join(stage.root, "secret.txt"), 0);
    mkdirSync(join(stage.root, "closed"));
    chmodSync(join(stage.root, "closed"), 0);
    // The others are for everybody, whatever the umask is.
    for (const path of ["..", "."]) chmodSync(join(stage.root, path), 0o755);
    chmodSync(join(stage.root, "inside.txt"), 0o644);
    const [secret, closed, inside] = await readAsNobody(stage.root, ["secret.txt", "closed/x.txt", "inside.txt"]);
    expect(secret).toContain("no permission");
    expect(closed).toContain("no permission");
    expect(inside).toContain("inside\\n");
    chmodSync(join(stage.root, "closed"), 0o700);
  });

  it("FSX-05: a name of 255 bytes works, one of 256 is a clear error", async () => {
    const name = `${"ä".repeat(127)}x`;
    expect(await stage.run("write_file", { path: name, content: "x" })).toMatchObject({ created: true });
    expect(await stage.run("read_file", { path: name })).toMatchObject({ content: "x" });
    expect(await stage.fails("write_file", { path: `${name}y`, content: "x" })).toContain("too long");
    expect(await stage.fails("read_file", { path: `${name}y` })).toContain("too long");
  });

  it("says what to do when there is no such file", async () => {
    expect(await stage.fails("read_file", { path: "src/missing.ts" })).toBe(
      "src/missing.ts does not exist; use list_files to see what is there",
    );
    expect(await stage.fails("read_file", { path: "src" })).toBe("src is a folder; give a file");
    expect(await stage.fails("read_file", { path: "." })).toBe(". is a folder; give a file");
    expect(await stage.fails("read_file", { path: "inside.txt/x" })).toContain("a part that is not a folder");
  });
});

describe("list_files", () => {
  it("lists names sorted, folders with a slash, and goes down only when asked", async () => {
    put("src/b.ts", "");
    put("src/a.ts", "");
    put("src.txt", "");
    for (const folder of [".git", "node_modules"]) {
      mkdirSync(join(stage.root, folder));
      put(`${folder}/hidden`, "");
    }
    expect(await stage.run("list_files", {})).toEqual({
      path: ".",
      files: [".git/", "inside.txt", "node_modules/", "src.txt", "src/"],
    });
    const all = await stage.run("list_files", { recursive: true });
    expect(all["files"]).toEqual([".git/", "inside.txt", "node_modules/", "src.txt", "src/", "src/a.ts", "src/b.ts"]);
    expect(await stage.run("list_files", { path: "src" })).toEqual({ path: "src", files: ["a.ts", "b.ts"] });
  });

  it("FSX-05: leaves out names that are not UTF-8, and counts them", async () => {
    const bad = Buffer.concat([Buffer.from(`${stage.root}/bad-`), Buffer.from([0xff, 0xfe])]);
    const file = openSync(bad, "w");
    writeSync(file, "text");
    closeSync(file);
    const listed = await stage.run("list_files", {});
    expect(listed).toMatchObject({ files: ["inside.txt", "src/"], unnamed: 1 });
    expect(await stage.fails("read_file", { path: "bad-\ufffd\ufffd" })).toContain("does not exist");
  });

  it("says that there are more names than it lists", async () => {
    for (let index = 0; index < agentLimits.listedEntries + 5; index++) put(`src/${index}`, "");
    const listed = await stage.run("list_files", { path: "src" });
    expect(listed["files"]).toHaveLength(agentLimits.listedEntries);
    expect(listed["truncated"]).toBe(true);
  });

  it("refuses a file, and a folder that does not exist", async () => {
    expect(await stage.fails("list_files", { path: "inside.txt" })).toContain("not a folder");
    expect(await stage.fails("list_files", { path: "nowhere" })).toContain("does not exist");
  });
});

/** What read_file answers to a user who owns nothing; root may read everything. */
async function readAsNobody(root: string, paths: readonly string[]): Promise<string[]> {
  const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../../src/tools", name));
  const program = `
    const { createRoots } = await import(${source("files/roots.ts")});
    const { createBuiltinTools } = await import(${source("builtin-tools.ts")});
    const roots = await createRoots([${JSON.stringify(root)}]);
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
    const tool = createBuiltinTools({ roots }).find(({ name }) => name === "read_file");
    const signal = new AbortController().signal;
    for (const path of ${JSON.stringify(paths)})
      console.log(JSON.stringify(await tool.run({ path }, { signal }).catch((error) => error.message)));`;
  const child = spawn(process.execPath, ["--conditions=hawser-source", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "close");
  return text.trimEnd().split("\n");
}
