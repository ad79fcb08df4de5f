// What a review makes of the runtime's list of changes and of its diffs.

import type { FileChange } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import { bringBack, groupChanges, newReverts, takeBack } from "../../src/page/tools/review-changes.ts";
import { parseUnified, toSides } from "../../src/page/tools/unified-lines.ts";

const diff = `--- a/notes.txt
+++ b/notes.txt
@@ -3,3 +3,4 @@
 three
-four
+4
+four and a half
 five
@@ -20,1 +21,0 @@
-twenty
\\ No newline at end of file
`;

describe("a unified diff", () => {
  it("has the numbers of its lines in both files, and counts what it leaves out", () => {
    expect(parseUnified(diff)).toEqual([
      { kind: "gap", lines: 2 },
      { kind: "same", text: "three", old: 3, new: 3 },
      { kind: "removed", text: "four", old: 4, new: 3 },
      { kind: "added", text: "4", old: 4, new: 4 },
      { kind: "added", text: "four and a half", old: 4, new: 5 },
      { kind: "same", text: "five", old: 5, new: 6 },
      { kind: "gap", lines: 14 },
      { kind: "removed", text: "twenty", old: 20, new: 20 },
      { kind: "end" },
    ]);
    expect(parseUnified("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+--- a\n+\n")).toEqual([
      { kind: "added", text: "--- a", old: 0, new: 1 },
      { kind: "added", text: "", old: 0, new: 2 },
    ]);
    expect(parseUnified("")).toEqual([]);
  });

  it("puts what went beside what came in its place", () => {
    const texts = toSides(parseUnified(diff)).map((row) => (row.kind === "sides" ? [row.left?.text, row.right?.text] : row.kind));
    expect(texts).toEqual([
      "gap",
      ["three", "three"],
      ["four", "4"],
      [undefined, "four and a half"],
      ["five", "five"],
      "gap",
      ["twenty", undefined],
      "end",
    ]);
  });
});

const change = (requestId: string, path: string, more: Partial<FileChange> = {}): FileChange => ({
  requestId,
  path,
  change: "modified",
  additions: 1,
  deletions: 1,
  ...more,
});

describe("a review", () => {
  const undone = [
    change("t1", "a", { reverted: true }),
    change("t1", "b"),
    change("t2", "a", { reverted: true }),
    change("r1", "a", { revert: true, undoes: ["t2"] }),
    change("r2", "a", { revert: true, undoes: ["t1"] }),
  ];

  it("lists turns, the latest first, or files in order; reverts are no changes of their own", () => {
    expect(groupChanges(undone, "turn").map(({ key, changes }) => [key, changes.length])).toEqual([
      ["t2", 1],
      ["t1", 2],
    ]);
    expect(groupChanges(undone, "file").map(({ key, changes }) => [key, changes.length])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("takes back what is in force, the latest turn first", () => {
    expect(takeBack([change("t1", "a"), change("t1", "b", { reverted: true }), change("t2", "a")])).toEqual([
      { requestId: "t2", paths: ["a"] },
      { requestId: "t1", paths: ["a"] },
    ]);
  });

  it("brings a change back by the revert that took it, also after undo, undo, redo", () => {
    expect(bringBack(undone, undone.slice(0, 1))).toEqual([{ requestId: "r2", paths: ["a"] }]);
    const redone = [
      change("t1", "a"),
      change("t2", "a", { reverted: true }),
      change("r1", "a", { revert: true, undoes: ["t2"] }),
      change("r2", "a", { revert: true, reverted: true, undoes: ["t1"] }),
      change("r3", "a", { revert: true, undoes: ["r2"] }),
    ];
    expect(bringBack(redone, redone)).toEqual([{ requestId: "r1", paths: ["a"] }]);
    expect(newReverts(undone, redone)).toEqual([{ requestId: "r3" }]);
  });
});
