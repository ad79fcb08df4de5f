// Random edits by tools and commands, in turns, and everything taken back: the tree is the same byte for byte. Also with a user who
// changes files between and after the turns: what the user did stays.

import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesForEntry } from "../../src/changes/thread/effort.ts";
import { inThread, openUndoStage, treeOf, writeFiles } from "./undo-stage.ts";

const isLongRun = Boolean(process.env["HAWSER_LONG"]);

/** Few names, so that edits meet: files become folders and folders files. */
const name = fc.constantFrom("a", "b", "c", "d e", "ü", "\u{1F426}");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc.oneof(
  fc.string({ maxLength: 200 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom("1\n2\n3\n", "", "x".repeat(5_000)).map((text) => Buffer.from(text)),
);

/** All looks where they are asked, none of them, or only the first few. */
const nearness = fc.constantFrom(undefined, inThread, 9 * bytesForEntry);

type Edit = { readonly verb: string; readonly path: string; readonly other: string; readonly content: Buffer; readonly mode: number };

const edit: fc.Arbitrary<Edit> = fc.record({
  verb: fc.constantFrom("write", "write", "write", "tool", "tool", "remove", "move", "link", "mode", "folder", "shell"),
  path,
  other: path,
  content,
  mode: fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o440),
});

/** What an edit can't do in this tree, it leaves. */
function attempt(action: () => unknown): void {
  try {
    action();
  } catch {
    // A folder in the way, or nothing there.
  }
}

function apply(root: string, { verb, path: at, other, content: bytes, mode }: Edit): void {
  const [one, two] = [join(root, at), join(root, other)];
  const parent = (file: string): void => attempt(() => mkdirSync(join(file, ".."), { recursive: true }));
  attempt(() => {
    parent(one);
    if (verb === "write" || verb === "tool") writeFileSync(one, bytes);
    if (verb === "remove") rmSync(one, { recursive: true });
    if (verb === "move") renameSync(one, two);
    if (verb === "link") symlinkSync(other, one);
    if (verb === "mode" && !lstatSync(one).isSymbolicLink()) chmodSync(one, lstatSync(one).isDirectory() ? mode | 0o700 : mode);
    if (verb === "folder") mkdirSync(one, { recursive: true });
    if (verb === "shell") execFileSync("sh", ["-c", 'printf more >> "$1"', "sh", one], { stdio: "ignore" });
  });
}

const start = { "a/b": "first\nsecond\n", b: "b", "c/d e/ü": "deep", "d e": "\0\u0001" };

test("undo of many random edits by tools and commands restores the tree byte for byte", async () => {
  const turn = fc.array(edit, { minLength: 1, maxLength: isLongRun ? 100 : 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: isLongRun ? 10 : 4 }), nearness, async (turns, nearBytes) => {
      const stage = await openUndoStage(start, { nearBytes });
      const before = treeOf(stage.root);
      for (const [at, edits] of turns.entries()) {
        const [first] = edits;
        if (first?.verb === "tool") await stage.edit(first.path, () => apply(stage.root, { ...first, verb: "write" }), `t${at}`);
        await stage.turn(() => edits.forEach((one) => apply(stage.root, one)), `r${at}`);
      }
      const after = treeOf(stage.root);
      expect((await stage.revert({ requestId: "undo" })).conflicts).toEqual([]);
      expect(treeOf(stage.root)).toEqual(before);
      // And there again.
      expect((await stage.revert({ target: "undo" })).conflicts).toEqual([]);
      expect(treeOf(stage.root)).toEqual(after);
    }),
    { numRuns: isLongRun ? 300 : 8 },
  );
}, 7_200_000);

test("a thousand edits in one conversation are taken back at once", async () => {
  const [edits] = fc.sample(fc.array(edit, { minLength: 1_000, maxLength: 1_000 }), { numRuns: 1, seed: 20_261_118 });
  const stage = await openUndoStage(start);
  const before = treeOf(stage.root);
  const perTurn = isLongRun ? 20 : 100;
  for (let at = 0; at < 1_000; at += perTurn)
    await stage.turn(() => edits?.slice(at, at + perTurn).forEach((one) => apply(stage.root, one)), `r${at}`);
  expect((await stage.revert()).conflicts).toEqual([]);
  expect(treeOf(stage.root)).toEqual(before);
}, 7_200_000);

test("whatever a user changes between and after the turns is never overwritten", async () => {
  const steps = fc.array(fc.record({ isUser: fc.boolean(), edits: fc.array(edit, { minLength: 1, maxLength: 4 }) }), {
    minLength: 2,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const stage = await openUndoStage(start);
      /** What the user has left there, as far as no turn has changed it since. */
      let own: Record<string, string | undefined> = {};
      for (const { isUser, edits } of list) {
        const before = treeOf(stage.root);
        if (isUser) edits.forEach((one) => apply(stage.root, one));
        else await stage.turn(() => edits.forEach((one) => apply(stage.root, one)));
        const after = treeOf(stage.root);
        const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]);
        own = { ...own, ...Object.fromEntries(changed.map((key) => [key, isUser ? after[key] : undefined])) };
      }
      await stage.revert();
      const now = treeOf(stage.root);
      for (const [key, state] of Object.entries(own)) if (state !== undefined) expect([key, now[key]]).toEqual([key, state]);
      expect(readdirSync(stage.root).filter((file) => file.startsWith(".hawser"))).toEqual([]);
    }),
    { numRuns: isLongRun ? 300 : 8 },
  );
}, 7_200_000);

test("files that change while a revert runs are whole, and a user's content is never lost", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `f${at}.txt`);
  const stage = await openUndoStage(Object.fromEntries(names.map((file) => [file, `old ${file}`])));
  await stage.turn(() => writeFiles(stage.root, Object.fromEntries(names.map((file) => [file, `new ${file}`]))));
  const reverting = stage.revert();
  const mine = new Set<string>();
  // A user who saves files while it runs, as an editor does: beside the file, then renamed.
  for (const [at, file] of names.entries()) {
    if (at % 2 === 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    const draft = stage.path(`.${file}.swp`);
    writeFileSync(draft, `mine ${file}`);
    renameSync(draft, stage.path(file));
    mine.add(file);
  }
  const { conflicts } = await reverting;
  for (const file of names) {
    const now = stage.read(file);
    if (mine.has(file)) expect(now).toBe(`mine ${file}`);
    else expect(now).toBe(`old ${file}`);
  }
  expect(conflicts.every(({ path: file }) => mine.has(file))).toBe(true);
});
