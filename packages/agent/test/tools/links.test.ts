// Links, special files and folders that are swapped while tools run: what is opened lies inside, or nothing is.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isDraft } from "../../src/tools/files/draft-name.ts";
import { openEntry, openFolder, openSubfolder } from "../../src/tools/files/open-inside.ts";
import { replaceFile } from "../../src/tools/files/replace-file.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { watchOpens } from "./opened-places.ts";
import { canary, createToolStage, type ToolStage } from "./tool-stage.ts";

const elsewhere = /outside of the allowed folders|moved just now|does not exist/;

let stage: ToolStage;
afterEach(() => stage.remove());

describe.each([true, false])("links (paths of descriptors: %s)", (hasDescriptorPaths) => {
  beforeEach(async () => {
    stage = await createToolStage({ hasDescriptorPaths });
  });

  it("FSX-03: nothing is read, listed, searched, edited or made through a link that leads out", async () => {
    symlinkSync(stage.outside, join(stage.root, "out"));
    symlinkSync(join(stage.outside, "canary.txt"), join(stage.root, "canary-link"));
    const before = stage.outsideNow();
    for (const [tool, args] of [
      ["read_file", { path: "out/canary.txt" }],
      ["read_file", { path: "canary-link" }],
      ["list_files", { path: "out" }],
      ["search_files", { path: "out", pattern: "canary" }],
      ["write_file", { path: "out/new.txt", content: "x" }],
      ["write_file", { path: "out/deeper/new.txt", content: "x" }],
      ["write_file", { path: "canary-link", content: "x" }],
      ["edit_file", { path: "canary-link", oldText: "canary", newText: "x" }],
    ] as const) {
      expect(await stage.fails(tool, args)).toContain("outside of the allowed folders");
    }
    expect(stage.outsideNow()).toEqual(before);
    const listed = await stage.run("list_files", { recursive: true });
    expect(listed["files"]).toEqual(["canary-link", "inside.txt", "out", "src/"]);
    expect(await stage.run("search_files", { pattern: "canary-7d1f" })).toEqual({
      matches: [],
      searchedFiles: 1,
      leftOut: { notRegular: 2 },
    });
  });

  it("FSX-03: a link that leads nowhere is refused, and its target is not made", async () => {
    symlinkSync(join(stage.outside, "made.txt"), join(stage.root, "dangling"));
    symlinkSync(join(stage.outside, "made"), join(stage.root, "dangling-folder"));
    expect(await stage.fails("write_file", { path: "dangling", content: "x" })).toContain("leads nowhere");
    expect(await stage.fails("write_file", { path: "dangling-folder/x", content: "x" })).toContain("leads nowhere");
    expect(existsSync(join(stage.outside, "made.txt"))).toBe(false);
    expect(existsSync(join(stage.outside, "made"))).toBe(false);
  });

  it("FSX-03: a link inside is followed to the file that it stands for, and stays a link", async () => {
    symlinkSync("../inside.txt", join(stage.root, "src/link.txt"));
    expect(await stage.run("write_file", { path: "src/link.txt", content: "new" })).toMatchObject({ path: "inside.txt", created: false });
    expect(readFileSync(join(stage.root, "inside.txt"), "utf8")).toBe("new");
    expect(await stage.run("read_file", { path: "src/link.txt" })).toMatchObject({ path: "inside.txt", content: "new" });
  });

  it("FSX-03: pipes, sockets and devices are left alone, and nobody waits for them", async () => {
    execFileSync("mkfifo", [join(stage.root, "pipe")]);
    symlinkSync("/dev/zero", join(stage.root, "zero"));
    symlinkSync("/dev/fd/0", join(stage.root, "stdin"));
    const server = createServer().listen(join(stage.root, "socket"));
    await once(server, "listening");
    for (const path of ["pipe", "socket"]) {
      expect(await stage.fails("read_file", { path })).toContain("not a regular file");
      expect(await stage.fails("write_file", { path, content: "x" })).toContain("not a regular file");
    }
    for (const path of ["zero", "stdin", "/proc/self/root/etc/passwd", "/dev/fd/0"]) {
      expect(await stage.fails("read_file", { path })).toMatch(/outside|leads nowhere/);
    }
    server.close();
  });

  it("FSX-03: a root that is gone, or replaced by a link, is no root any more", async () => {
    renameSync(stage.root, `${stage.root}-moved`);
    expect(await stage.fails("read_file", { path: "inside.txt" })).toContain("root folder, and is gone");
    symlinkSync(stage.outside, stage.root);
    expect(await stage.fails("read_file", { path: "canary.txt" })).toContain("outside of the allowed folders");
    expect(await stage.fails("write_file", { path: "new.txt", content: "x" })).toContain("outside of the allowed folders");
  });

  it("FSX-03: a name that became a link after its folder was listed is not opened, wherever the link leads", async () => {
    symlinkSync(join(stage.outside, "canary.txt"), join(stage.root, "out"));
    symlinkSync("inside.txt", join(stage.root, "in"));
    await using folder = await openFolder(stage.roots, stage.root);
    const opened = watchOpens(stage.root);
    try {
      for (const name of ["out", "in"]) {
        const opening = openEntry(stage.roots, folder, name, { flags: constants.O_RDONLY, isListed: true });
        await expect(opening).rejects.toThrow("is a link");
      }
      expect([opened.count(), opened.foreign]).toEqual([0, []]);
    } finally {
      opened.release();
    }
  });

  it("FSX-03: a folder that is moved away while it is open leads to nothing, and nothing is put there", async () => {
    const [inside, outside] = [join(stage.root, "src"), join(stage.outside, "src")];
    mkdirSync(join(inside, "deep"));
    writeFileSync(join(inside, "a.txt"), canary);
    await using folder = await openFolder(stage.roots, inside);
    // The tool asks for the last time whether it was cancelled when the new content is there under another name.
    const moving = { aborted: false, throwIfAborted: () => renameSync(inside, outside) } as AbortSignal;
    await expect(replaceFile(stage.roots, "src/new.txt", { text: "x", signal: moving })).rejects.toThrow(elsewhere);
    expect(readdirSync(outside).filter((name) => !isDraft(name))).toEqual(["a.txt", "deep"]);
    const open = () => openEntry(stage.roots, folder, "a.txt", { flags: constants.O_RDONLY, isListed: true });
    await expect(open()).rejects.toThrow(elsewhere);
    symlinkSync(outside, inside);
    await expect(open()).rejects.toThrow(elsewhere);
    await expect(openSubfolder(stage.roots, folder, "deep", "keep")).rejects.toThrow(elsewhere);
  });

  it("FSX-03: a link above the root, put there just now, leads to no other root", async () => {
    const above = join(stage.root, "src");
    mkdirSync(join(above, "own"));
    const roots = await createRoots([join(above, "own")], { hasDescriptorPaths });
    renameSync(above, join(stage.root, "moved"));
    mkdirSync(join(stage.outside, "own"));
    symlinkSync(stage.outside, above);
    await expect(openFolder(roots, join(above, "own"))).rejects.toThrow(elsewhere);
  });
});

// Swaps a folder of the root with a link to the outside, as fast as it can, until it is killed.
const swapper = `
const fs = require("node:fs");
const [root, outside] = process.argv.slice(1);
process.stdout.write("ready\\n");
// A tool may make a folder of that name, or a file in it, at any moment.
const clear = () => { for (;;) try { return fs.rmSync(root + "/swapped", { recursive: true, force: true }); } catch {} };
for (;;) {
  try {
    fs.renameSync(root + "/swapped", root + "/kept");
    fs.symlinkSync(outside, root + "/swapped");
  } catch {}
  clear();
  try {
    fs.renameSync(root + "/kept", root + "/swapped");
  } catch {}
  fs.mkdirSync(root + "/swapped", { recursive: true });
}`;

describe("a folder that is swapped for a link while tools run", () => {
  it("FSX-03: is never a way out for reading, writing, listing or searching", async () => {
    stage = await createToolStage();
    mkdirSync(join(stage.root, "swapped"));
    writeFileSync(join(stage.root, "swapped/canary.txt"), "inside");
    const before = stage.outsideNow();
    const child = spawn(process.execPath, ["-e", swapper, stage.root, stage.outside], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    const opens = watchOpens(stage.root);
    const counts = { done: 0, refused: 0 };
    try {
      for (let round = 0; round < 400; round++) {
        const results = await Promise.allSettled([
          stage.run("read_file", { path: "swapped/canary.txt" }),
          stage.run("write_file", { path: "swapped/canary.txt", content: "inside" }),
          stage.run("write_file", { path: `swapped/deep/new-${round % 5}.txt`, content: "inside" }),
          stage.run("list_files", { path: "swapped", recursive: true }),
          stage.run("search_files", { path: "swapped", pattern: "canary-7d1f" }),
        ]);
        expect(JSON.stringify(results)).not.toContain(canary);
        for (const { status } of results) counts[status === "fulfilled" ? "done" : "refused"]++;
      }
    } finally {
      opens.release();
      child.kill("SIGKILL");
      await exited;
    }
    expect(child.signalCode).toBe("SIGKILL");
    rmSync(join(stage.root, "swapped"), { recursive: true, force: true });
    expect(opens.foreign).toEqual([]);
    expect(stage.outsideNow()).toEqual(before);
    // Both happened, or the race was none.
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  });
});
