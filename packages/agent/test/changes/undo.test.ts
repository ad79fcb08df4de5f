// Undo on a real folder with the real thread: what is listed, what is taken back, and what is left alone.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, openUndoStage, treeOf, writeFiles } from "./undo-stage.ts";

test("what a turn has created, changed and deleted is listed with its diff, and reverted", async () => {
  const stage = await openUndoStage({ "a.txt": "one\ntwo\nthree\n", "gone.txt": "bye\n", "same.txt": "same\n" });
  const before = treeOf(stage.root);
  await stage.turn(() => {
    writeFileSync(stage.path("a.txt"), "one\n2\nthree\n");
    rmSync(stage.path("gone.txt"));
    mkdirSync(stage.path("deep/er"), { recursive: true });
    writeFileSync(stage.path("deep/er/new.txt"), "hello");
    mkdirSync(stage.path("empty"));
  }, "r1");
  const { changes, untracked } = await stage.list({ diff: true });
  expect(changes).toEqual([
    {
      path: "a.txt",
      change: "modified",
      requestId: "r1",
      additions: 1,
      deletions: 1,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    },
    {
      path: "deep/er/new.txt",
      change: "created",
      requestId: "r1",
      additions: 1,
      deletions: 0,
      diff: "--- /dev/null\n+++ b/deep/er/new.txt\n@@ -0,0 +1,1 @@\n+hello\n\\ No newline at end of file\n",
    },
    { path: "empty/", change: "created", requestId: "r1", additions: 0, deletions: 0 },
    {
      path: "gone.txt",
      change: "deleted",
      requestId: "r1",
      additions: 0,
      deletions: 1,
      diff: "--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n",
    },
  ]);
  expect(untracked).toEqual([]);
  const outcome = await stage.revert({ target: "r1" });
  expect(outcome.conflicts).toEqual([]);
  expect(outcome.reverted.toSorted()).toEqual(["a.txt", "deep/er/new.txt", "empty/", "gone.txt"]);
  expect(treeOf(stage.root)).toEqual(before);
  expect((await stage.list()).changes.filter(({ requestId }) => requestId === "r1").every(({ reverted }) => reverted)).toBe(true);
});

test("a revert is a change of its own and can be reverted, again and again", async () => {
  const stage = await openUndoStage({ "a.txt": "old" });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "new"), "r1");
  await stage.revert({ target: "r1", requestId: "undo" });
  expect(stage.read("a.txt")).toBe("old");
  await stage.revert({ target: "undo", requestId: "redo" });
  expect(stage.read("a.txt")).toBe("new");
  expect((await stage.list()).changes.map(({ requestId, reverted = false, undoes }) => [requestId, reverted, undoes])).toEqual([
    ["r1", false, undefined],
    ["undo", true, ["r1"]],
    ["redo", false, ["undo"]],
  ]);
  await stage.revert({ target: "redo", requestId: "again" });
  expect(stage.read("a.txt")).toBe("old");
  // It is as it was before the first turn: there is nothing left to do.
  expect(await stage.revert()).toEqual({ reverted: [], conflicts: [] });
});

test("all turns are taken back together, through every state between", async () => {
  const stage = await openUndoStage({ "a.txt": "1", "b.txt": "b" });
  const before = treeOf(stage.root);
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "2"), "r1");
  await stage.edit("a.txt", () => writeFileSync(stage.path("a.txt"), "3"), "r2");
  await stage.turn(() => renameSync(stage.path("a.txt"), stage.path("c.txt")), "r3");
  await stage.edit("b.txt", () => writeFileSync(stage.path("b.txt"), "bb"), "r4");
  expect((await stage.revert()).conflicts).toEqual([]);
  expect(treeOf(stage.root)).toEqual(before);
});

test("a file that was changed again since is a conflict and stays; the others are reverted", async () => {
  const stage = await openUndoStage({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  await stage.turn(() => writeFiles(stage.root, { "a.txt": "a2", "b.txt": "b2", "new.txt": "n" }), "r1");
  rmSync(stage.path("c.txt"));
  writeFileSync(stage.path("a.txt"), "by the user");
  writeFileSync(stage.path("new.txt"), "N");
  const { reverted, conflicts } = await stage.revert({ target: "r1" });
  expect(reverted).toEqual(["b.txt"]);
  expect(conflicts).toEqual([
    { path: "a.txt", reason: "it was changed again since the request r1" },
    { path: "new.txt", reason: "it was changed again since the request r1" },
  ]);
  expect([stage.read("a.txt"), stage.read("new.txt"), existsSync(stage.path("c.txt"))]).toEqual(["by the user", "N", false]);
});

test("a change by the user between two turns keeps both of them from being taken back together", async () => {
  const stage = await openUndoStage({ "a.txt": "1" });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "2"), "r1");
  writeFileSync(stage.path("a.txt"), "by the user");
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "3"), "r2");
  expect(await stage.revert()).toEqual({
    reverted: [],
    conflicts: [{ path: "a.txt", reason: "something else changed it between the requests r1 and r2" }],
  });
  expect((await stage.revert({ target: "r2" })).reverted).toEqual(["a.txt"]);
  expect(stage.read("a.txt")).toBe("by the user");
});

test("a user's change of the same size and time is still seen", async () => {
  const stage = await openUndoStage({ "a.txt": "aaaa" });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "bbbb"), "r1");
  const { atime, mtime } = statSync(stage.path("a.txt"));
  writeFileSync(stage.path("a.txt"), "user");
  utimesSync(stage.path("a.txt"), atime, mtime);
  expect((await stage.revert()).conflicts).toHaveLength(1);
  expect(stage.read("a.txt")).toBe("user");
});

test("what the user changes before a turn, and beside a tool that changes one file, is not the turn's", async () => {
  const stage = await openUndoStage({ "a.txt": "a", "b.txt": "b" });
  await stage.turn(() => {});
  writeFileSync(stage.path("a.txt"), "by the user");
  await stage.turn(() => writeFileSync(stage.path("b.txt"), "b2"), "r1");
  await stage.edit("b.txt", () => {
    writeFileSync(stage.path("b.txt"), "b3");
    writeFileSync(stage.path("a.txt"), "by the user, too");
  });
  expect((await stage.list()).changes.map(({ path }) => path)).toEqual(["b.txt", "b.txt"]);
  await stage.revert();
  expect([stage.read("a.txt"), stage.read("b.txt")]).toEqual(["by the user, too", "b"]);
});

test("modes, links, kinds and names that are not UTF-8 come back", async () => {
  const stage = await openUndoStage({ "run.sh": "#!/bin/sh\n", "folder/x.txt": "x", file: "f", "target.txt": "t" });
  const raw = Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from("caf\xe9.txt", "latin1")]);
  const rawFolder = Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from("b\xfcro", "latin1")]);
  writeFileSync(raw, "coffee");
  symlinkSync("target.txt", stage.path("link"));
  const before = treeOf(stage.root);
  await stage.turn(() => {
    chmodSync(stage.path("run.sh"), 0o755);
    chmodSync(stage.path("folder"), 0o700);
    rmSync(stage.path("link"));
    symlinkSync("elsewhere", stage.path("link"));
    rmSync(stage.path("file"));
    mkdirSync(stage.path("file"));
    writeFileSync(stage.path("file/inner"), "i");
    rmSync(stage.path("target.txt"));
    symlinkSync("run.sh", stage.path("target.txt"));
    writeFileSync(raw, "tea");
    mkdirSync(rawFolder);
    writeFileSync(Buffer.concat([rawFolder, Buffer.from("/n")]), "n");
  }, "r1");
  const { changes } = await stage.list({ diff: true });
  expect(changes.map(({ path }) => path).toSorted()).toEqual(
    ['"b\\374ro/n"', '"caf\\351.txt"', "file/", "file/inner", "folder/", "link", "run.sh", "target.txt"].toSorted(),
  );
  expect(changes.find(({ path }) => path === "run.sh")?.diff).toContain("old mode 100644\nnew mode 100755\n");
  const one = await stage.revert({ paths: ['"caf\\351.txt"'] });
  expect(one).toEqual({ reverted: ['"caf\\351.txt"'], conflicts: [] });
  expect((await stage.revert()).conflicts).toEqual([]);
  expect(treeOf(stage.root)).toEqual(before);
  expect(readlinkSync(stage.path("link"))).toBe("target.txt");
});

test("binary files have no diff, and come back byte for byte", async () => {
  const bytes = Buffer.from([0, 255, 254, 1, 2, 3, 0]);
  const stage = await openUndoStage({ "image.png": bytes });
  await stage.turn(() => writeFileSync(stage.path("image.png"), Buffer.from([0, 1])));
  expect((await stage.list({ diff: true })).changes).toMatchObject([{ path: "image.png", binary: true, additions: 0, deletions: 0 }]);
  expect((await stage.list({ diff: true })).changes[0]).not.toHaveProperty("diff");
  await stage.revert();
  expect(Buffer.from(stage.read("image.png"), "latin1")).toEqual(Buffer.from(bytes.toString("utf8"), "latin1"));
  expect(treeOf(stage.root)["image.png"]).toContain(bytes.toString("latin1"));
});

test("files beyond the bound are said to be untracked; that they changed is listed, and their small past comes back", async () => {
  const stage = await openUndoStage({ "small.txt": "small", "large.txt": "x".repeat(3_000) }, { limits: { undoFileBytes: 1_000 } });
  await stage.turn(() => writeFiles(stage.root, { "small.txt": "y".repeat(2_000), "large.txt": "z".repeat(3_000) }), "r1");
  const { changes, untracked } = await stage.list({ diff: true });
  expect(untracked).toEqual([
    { path: "large.txt", reason: "it has more than 1000 bytes" },
    { path: "small.txt", reason: "it has more than 1000 bytes" },
  ]);
  expect(changes).toMatchObject([
    { path: "large.txt", change: "modified", note: "its earlier content was not kept (it has more than 1000 bytes); it can't be reverted" },
    { path: "small.txt", change: "modified", note: "its content now is not kept: it has more than 1000 bytes" },
  ]);
  expect(await stage.revert()).toEqual({
    reverted: ["small.txt"],
    conflicts: [{ path: "large.txt", reason: "its earlier content was not kept: it has more than 1000 bytes" }],
  });
  expect(stage.read("small.txt")).toBe("small");
  expect(stage.read("large.txt")).toBe("z".repeat(3_000));
});

test("what tools make for themselves and folders of a .gitignore are not looked into, and that is listed", async () => {
  const files = {
    ".gitignore": "dist/\n*.log\n/only\n!keep\n",
    "node_modules/x/index.js": "x",
    ".git/HEAD": "h",
    "dist/out.js": "o",
    "a.log": "l",
    "sub/dist/out.js": "o",
  };
  const stage = await openUndoStage(files);
  await stage.turn(() =>
    writeFiles(stage.root, { "node_modules/x/index.js": "y", "dist/out.js": "p", "a.log": "m", "sub/dist/out.js": "p" }),
  );
  const { changes, untracked } = await stage.list();
  expect(changes.map(({ path }) => path)).toEqual(["a.log"]);
  expect(untracked.map(({ path }) => path).toSorted()).toEqual([".git/", "dist/", "node_modules/", "sub/dist/"]);
  // One of our own tools says which file it changes, so that is known there too.
  await stage.edit("dist/out.js", () => writeFileSync(stage.path("dist/out.js"), "q"));
  await stage.revert();
  expect([stage.read("a.log"), stage.read("dist/out.js"), stage.read("sub/dist/out.js")]).toEqual(["l", "p", "p"]);
});

test("a new .gitignore does not hide what a turn does in a folder that was looked into before", async () => {
  const stage = await openUndoStage({ "src/a.txt": "a" });
  await stage.turn(() => {});
  await stage.turn(() => writeFiles(stage.root, { ".gitignore": "src\n", "src/a.txt": "changed", "src/b.txt": "b" }));
  expect((await stage.list()).changes.map(({ path }) => path)).toEqual([".gitignore", "src/a.txt", "src/b.txt"]);
});

test("only the named files, or what lies in the named folders, are reverted", async () => {
  const stage = await openUndoStage({ "a.txt": "a" });
  await stage.turn(() => writeFiles(stage.root, { "a.txt": "a2", "src/one.txt": "1", "src/in/two.txt": "2" }), "r1");
  const outcome = await stage.revert({ paths: ["src", "nothing.txt", "../outside.txt", "/etc/passwd"] });
  expect(outcome.reverted.toSorted()).toEqual(["src/in/two.txt", "src/one.txt"]);
  expect(outcome.conflicts.map(({ path }) => path)).toEqual(["nothing.txt", "../outside.txt", "/etc/passwd"]);
  expect([stage.read("a.txt"), existsSync(stage.path("src"))]).toEqual(["a2", false]);
  // One that is left in a folder keeps the folder.
  await stage.turn(() => writeFiles(stage.root, { "lib/one.txt": "1", "lib/two.txt": "2" }), "r2");
  expect(await stage.revert({ paths: [`${stage.root}/lib/one.txt`] })).toEqual({ reverted: ["lib/one.txt"], conflicts: [] });
  expect(readdirSync(stage.path("lib"))).toEqual(["two.txt"]);
});

test("a folder that the user has put something into stays", async () => {
  const stage = await openUndoStage();
  await stage.turn(() => mkdirSync(stage.path("made")), "r1");
  writeFileSync(stage.path("made/mine.txt"), "mine");
  expect(await stage.revert()).toEqual({ reverted: [], conflicts: [{ path: "made/", reason: "something else is there now" }] });
  expect(stage.read("made/mine.txt")).toBe("mine");
});

test("a folder that became a link leads no revert outside, nor does a root's own past", async () => {
  const stage = await openUndoStage({ "sub/a.txt": "a" });
  const outside = newFolder();
  writeFileSync(join(outside, "a.txt"), "b");
  await stage.turn(() => writeFileSync(stage.path("sub/a.txt"), "b"), "r1");
  rmSync(stage.path("sub"), { recursive: true });
  symlinkSync(outside, stage.path("sub"));
  const { reverted, conflicts } = await stage.revert();
  expect(reverted).toEqual([]);
  expect(conflicts.map(({ path }) => path)).toEqual(["sub/a.txt"]);
  expect(treeOf(outside)).toEqual({ "a.txt": "644 b" });
});

test("what has become a setting of the agent since a turn changed it stays as it is", async () => {
  const first = await openUndoStage({ "config.json": "{}" });
  await first.turn(() => writeFileSync(first.path("config.json"), "1"), "r1");
  const second = await openUndoStage({}, { root: first.root, data: first.data, settings: [first.path("config.json")] });
  const { reverted, conflicts } = await second.revert();
  expect([reverted, conflicts.map(({ path }) => path), second.read("config.json")]).toEqual([[], ["config.json"], "1"]);
});

test("settings of the agent are neither kept nor reverted", async () => {
  const root = newFolder();
  const stage = await openUndoStage(
    { ".hawser/agent.json": "{}", "config.json": "{}", "data/x": "x" },
    { root, settings: [join(root, "config.json"), join(root, "data")] },
  );
  await stage.turn(() => writeFiles(root, { ".hawser/agent.json": "1", "config.json": "1", "data/x": "y", "a.txt": "a" }));
  expect((await stage.list()).changes.map(({ path }) => path)).toEqual(["a.txt"]);
  await stage.revert();
  expect([stage.read(".hawser/agent.json"), stage.read("config.json"), stage.read("data/x")]).toEqual(["1", "1", "y"]);
});
