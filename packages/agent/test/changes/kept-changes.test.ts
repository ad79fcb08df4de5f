// What undo keeps: over processes, conversations and forks, within its bounds, and when something is wrong with it.

import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHolderName } from "@hawser/wire/internal/node";
import { expect, test } from "vitest";
import type { Contents } from "../../src/changes/thread/contents.ts";
import { bytesForEntry } from "../../src/changes/thread/effort.ts";
import type { Entry } from "../../src/changes/thread/entry.ts";
import { listChanges } from "../../src/changes/thread/list-changes.ts";
import type { TurnChanges } from "../../src/changes/thread/turn-changes.ts";
import { createWorkspaceChanges } from "../../src/changes/workspace-changes.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { newFolder, openUndoStage, treeOf } from "./undo-stage.ts";

test("a later process knows what an earlier one did; what is kept is for its owner alone", async () => {
  const first = await openUndoStage({ "a.txt": "a" });
  await first.turn(() => writeFileSync(first.path("a.txt"), "b"), "r1");
  const second = await openUndoStage({}, { root: first.root, data: first.data });
  writeFileSync(second.path("new.txt"), "by the user");
  await second.turn(() => writeFileSync(second.path("a.txt"), "c"), "r2");
  expect((await second.list()).changes.map(({ requestId, path }) => [requestId, path])).toEqual([
    ["r1", "a.txt"],
    ["r2", "a.txt"],
  ]);
  await second.revert();
  expect(second.read("a.txt")).toBe("a");
  const modes = Object.entries(treeOf(first.data)).map(([name, state]) => [name.endsWith("/"), state.split(" ")[0]]);
  expect(new Set(modes.map(String))).toEqual(new Set(["true,700", "false,600"]));
});

test("two processes in one root see each other's turns", async () => {
  const one = await openUndoStage({ "a.txt": "0" });
  const other = await openUndoStage({}, { root: one.root, data: one.data });
  await one.turn(() => writeFileSync(one.path("a.txt"), "1"), "r1", "one");
  await other.turn(() => writeFileSync(one.path("a.txt"), "2"), "r2", "other");
  await one.turn(() => writeFileSync(one.path("b.txt"), "b"), "r3", "one");
  expect((await one.list({ conversationId: "other" })).changes.map(({ path }) => path)).toEqual(["a.txt"]);
  expect((await other.list({ conversationId: "one" })).changes.map(({ requestId }) => requestId)).toEqual(["r1", "r3"]);
  expect((await other.revert({ conversationId: "other" })).reverted).toEqual(["a.txt"]);
  expect((await one.revert({ conversationId: "one" })).reverted.toSorted()).toEqual(["a.txt", "b.txt"]);
  expect(treeOf(one.root)).toEqual({ "a.txt": "644 0" });
});

test("where no other process knows the folder, no lock file is made or waited for, and turns at once do not disturb each other", async () => {
  const stage = await openUndoStage({ "a.txt": "a", "b.txt": "b" }, { isPassing: true });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "1"), "r1");
  const [store = ""] = readdirSync(stage.data);
  writeFileSync(join(stage.data, `${store}.lock`), createHolderName());
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "2"), "r2");
  const edits = ["a.txt", "b.txt", "c.txt"].map((name) => stage.edit(name, () => writeFileSync(stage.path(name), "3"), name));
  await Promise.all([...edits, stage.list()]);
  expect(stage.problems).toEqual([]);
  const { changes } = await stage.list();
  expect(changes.map(({ requestId }) => requestId).toSorted()).toEqual(["a.txt", "b.txt", "c.txt", "r1", "r2"]);
  await stage.revert();
  expect(treeOf(stage.root)).toEqual({ "a.txt": "644 a", "b.txt": "644 b" });
});

test("the turns of several roots are listed in the order in which they began", async () => {
  const stage = await openUndoStage({ "a.txt": "0" });
  const second = newFolder();
  const changes = createWorkspaceChanges(stage.log, await createRoots([stage.root, second], { settings: [] }));
  const turn = async (requestId: string, ...files: readonly string[]): Promise<void> => {
    const begun = Date.now();
    const watch = changes.openTurn({ conversationId: "c", requestId, tell: () => {}, onProblem: expect.fail });
    const after = await watch.before("anything", stage.signal);
    for (const file of files) writeFileSync(file, requestId);
    await after();
    await watch.end();
    while (Date.now() === begun) await new Promise((resolve) => setImmediate(resolve));
  };
  await turn("r1", join(second, "b.txt"));
  await turn("r2", stage.path("a.txt"));
  await turn("r3", join(second, "b.txt"), stage.path("z.txt"));
  await turn("r4", stage.path("a.txt"));
  const { changes: listed } = await changes.list({ conversationId: "c" });
  expect(listed.map(({ requestId }) => requestId)).toEqual(["r1", "r2", "r3", "r3", "r4"]);
});

test("what does not fit into a list is the earliest of it", () => {
  const entry = (id: string): Entry => ({ kind: "file", mode: 0o644, id, size: 1, mtimeMs: 0, ctimeMs: 0, ino: 0, isFresh: false });
  const path = (key: string) => ({ key, before: undefined, after: entry(key), isBroken: false, isReverted: false });
  const made = (turn: string, at: number, ...keys: string[]): TurnChanges => ({
    turn,
    requestId: turn,
    isRevert: false,
    at,
    paths: new Map(keys.map((key) => [key, path(key)])),
  });
  const contents = { get: (id: string) => Buffer.from(id) } as unknown as Contents;
  const limits = { maxChanges: 3, maxDiffChars: 1_000, maxFileBytes: 9 };
  // The clock was set back between them.
  const { changes, leftOut } = listChanges([made("r1", 5, "a", "b"), made("r2", 3, "c", "d")], contents, false, limits);
  expect(changes.map(({ requestId, key, at }) => [requestId, key, at])).toEqual([
    ["r1", "b", 5],
    ["r2", "c", 5],
    ["r2", "d", 5],
  ]);
  expect(leftOut).toBe(1);
});

test("of two turns at once, one with a file of its own and one with anything, each has its own changes", async () => {
  const stage = await openUndoStage({ "a.txt": "a", "b.txt": "b" });
  const wide = stage.open("wide", "w");
  const endWide = await wide.before("anything", stage.signal);
  writeFileSync(stage.path("b.txt"), "by wide");
  const narrow = stage.open("narrow", "n");
  const endNarrow = await narrow.before({ path: "a.txt" }, stage.signal);
  writeFileSync(stage.path("a.txt"), "by narrow");
  // It ends while the other one's call is under way.
  await endWide();
  await wide.end();
  await endNarrow();
  await narrow.end();
  expect((await stage.list({ conversationId: "wide" })).changes.map(({ path }) => path)).toEqual(["b.txt"]);
  expect((await stage.list({ conversationId: "narrow" })).changes.map(({ path }) => path)).toEqual(["a.txt"]);
});

test("a forked conversation has the changes that it goes on from, and a deleted one takes its own along", async () => {
  const stage = await openUndoStage({ "a.txt": "a" });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "b"), "r1");
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "c"), "r2");
  await stage.log.fork("c", "fork", async () => ["r1"]);
  expect((await stage.list({ conversationId: "fork" })).changes.map(({ requestId }) => requestId)).toEqual(["r1"]);
  await stage.revert({ target: "r2" });
  await stage.log.forget("c");
  expect((await stage.list()).changes).toEqual([]);
  expect((await stage.revert({ conversationId: "fork" })).reverted).toEqual(["a.txt"]);
  expect(stage.read("a.txt")).toBe("a");
  await stage.log.forget("fork");
  expect(readdirSync(stage.data)).toEqual([]);
});

test("where the room for contents runs out, the oldest turns go first", async () => {
  const stage = await openUndoStage({ "a.txt": "0".repeat(1_000) }, { limits: { undoRootBytes: 20_000 } });
  for (let at = 1; at <= 40; at++) await stage.turn(() => writeFileSync(stage.path("a.txt"), String(at % 10).repeat(1_000 + at)), `r${at}`);
  const { changes, untracked } = await stage.list();
  expect(changes.length).toBeGreaterThan(5);
  expect(changes.length).toBeLessThan(25);
  expect(changes.at(-1)?.requestId).toBe("r40");
  expect(untracked.some(({ reason }) => /older turns/.test(reason))).toBe(true);
  expect((await stage.revert({ target: "r40" })).reverted).toEqual(["a.txt"]);
  expect(stage.read("a.txt")).toBe("9".repeat(1_039));
  const kept = Object.entries(treeOf(stage.data)).filter(([name]) => name.endsWith(".pack"));
  expect(kept.reduce((sum, [, state]) => sum + state.length, 0)).toBeLessThan(25_000);
});

test("a folder that grows beyond what is looked at beside other work is the thread's from then on, and nothing of it is lost", async () => {
  const nearBytes = 4 * bytesForEntry;
  const grow: readonly ((stage: Awaited<ReturnType<typeof openUndoStage>>) => void)[] = [
    ({ path }) => ["b", "c", "d", "e"].forEach((name) => writeFileSync(path(name), name)),
    ({ path }) => writeFileSync(path("large.txt"), "x".repeat(nearBytes)),
  ];
  for (const act of grow) {
    const stage = await openUndoStage({ "a.txt": "a" }, { nearBytes });
    await stage.turn(() => writeFileSync(stage.path("a.txt"), "b"), "r1");
    const before = treeOf(stage.root);
    await stage.turn(() => {
      writeFileSync(stage.path("a.txt"), "c");
      act(stage);
    }, "r2");
    await stage.turn(() => rmSync(stage.path("a.txt")), "r3");
    expect((await stage.revert({ target: "r3" })).conflicts).toEqual([]);
    expect((await stage.revert({ target: "r2" })).conflicts).toEqual([]);
    expect(treeOf(stage.root)).toEqual(before);
    expect((await stage.revert()).reverted).toEqual(["a.txt"]);
    expect(stage.read("a.txt")).toBe("a");
  }
});

test("a log that has become long is the thread's to read", async () => {
  const first = await openUndoStage({ "a.txt": "0" }, { nearBytes: 3_000 });
  for (let at = 1; at <= 20; at++) await first.turn(() => writeFileSync(first.path("a.txt"), String(at)), `r${at}`);
  const second = await openUndoStage({}, { root: first.root, data: first.data, nearBytes: 3_000 });
  await second.turn(() => writeFileSync(second.path("a.txt"), "last"), "last");
  expect((await second.list()).changes).toHaveLength(21);
  expect((await second.revert()).reverted).toEqual(["a.txt"]);
  expect(second.read("a.txt")).toBe("0");
});

test("a log that is damaged is set aside, and a torn line costs nothing but itself", async () => {
  const first = await openUndoStage({ "a.txt": "a" });
  await first.turn(() => writeFileSync(first.path("a.txt"), "b"), "r1");
  const [store = ""] = readdirSync(first.data);
  const file = join(first.data, store, "log.jsonl");
  writeFileSync(file, '{"t":"seen","changes":[["a.t', { flag: "a" });
  const second = await openUndoStage({}, { root: first.root, data: first.data });
  expect((await second.list()).changes).toHaveLength(1);
  await second.turn(() => writeFileSync(second.path("a.txt"), "c"), "r2");
  expect((await second.revert()).reverted).toEqual(["a.txt"]);
  writeFileSync(file, "what is this?\n");
  const third = await openUndoStage({}, { root: first.root, data: first.data });
  expect((await third.list()).changes).toEqual([]);
  await third.turn(() => writeFileSync(third.path("a.txt"), "d"));
  expect((await third.revert()).reverted).toEqual(["a.txt"]);
  expect(existsSync(`${file}.damaged`)).toBe(true);
});

test("a turn is not failed by a folder that can't be written; it is told", async () => {
  const blocked = join(newFolder(), "file");
  writeFileSync(blocked, "");
  const stage = await openUndoStage({ "a.txt": "a" }, { data: join(blocked, "undo") });
  await stage.turn(() => writeFileSync(stage.path("a.txt"), "b"), "r1");
  expect(stage.problems).toEqual([expect.stringMatching(/^what request r1 changes can't be undone: /)]);
});

test.runIf(existsSync("/sys"))("where the folder can't be written, a list and a revert say so in one sentence", async () => {
  const stage = await openUndoStage({ "a.txt": "a" }, { data: "/sys/hawser-undo" });
  const sentence = expect.stringMatching(
    /^the folder \/sys\/hawser-undo, where changes are kept, can't be written \(E\w+\): they can neither be listed nor taken back\. Make it writable, or name another one with --data-dir$/,
  ) as string;
  await expect(stage.list()).rejects.toMatchObject({ code: "usage", message: sentence });
  await expect(stage.revert()).rejects.toMatchObject({ code: "usage", message: sentence });
});

test("a store whose name a power failure has emptied is named again, so that the deletion of its conversation finds it", async () => {
  const first = await openUndoStage({ "a.txt": "a" });
  await first.turn(() => writeFileSync(first.path("a.txt"), "b"), "r1");
  const [store = ""] = readdirSync(first.data);
  writeFileSync(join(first.data, store, "root.json"), "");
  await first.turn(() => writeFileSync(first.path("a.txt"), "c"), "r2");
  expect((await first.list()).changes).toHaveLength(2);
  await first.log.forget("c");
  expect(readdirSync(first.data)).toEqual([]);
});

test("files of our own are never looked at, also in a root whose store the end of another conversation or a fork has opened", async () => {
  for (const begin of ["forget", "fork"] as const) {
    const root = newFolder();
    const [data, settings] = [join(root, "data", "undo"), [join(root, "config")]];
    const first = await openUndoStage({ "a.txt": "a", "config/keys.json": "secret-1" }, { root, data, settings });
    for (const conversation of ["one", "two"]) await first.turn(() => writeFileSync(first.path("a.txt"), conversation), "r", conversation);
    const second = await openUndoStage({}, { root, data, settings });
    await (begin === "fork" ? second.log.fork("two", "three", async () => ["r"]) : second.log.forget("two"));
    const changes = createWorkspaceChanges(second.log, await createRoots([root], { settings }));
    const watch = changes.openTurn({ conversationId: "one", requestId: "r2", tell: () => {}, onProblem: expect.fail });
    const after = await watch.before("anything", second.signal);
    writeFileSync(first.path("config/keys.json"), "secret-2");
    writeFileSync(first.path("b.txt"), "b");
    await after();
    await watch.end();
    const { changes: listed } = await changes.list({ conversationId: "one", diff: true });
    expect(listed.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
    expect(JSON.stringify(treeOf(data))).not.toContain("secret");
  }
});

test("a root that lies in a folder of our own is not looked at, and what an earlier store has of our own is neither listed nor read again", async () => {
  const first = await openUndoStage({ "keys/keys.json": "secret-1" });
  await first.turn(() => writeFileSync(first.path("keys/keys.json"), "secret-2"), "r1");
  writeFileSync(first.path("keys/keys.json"), "secret-3");
  const second = await openUndoStage({}, { root: first.root, data: first.data, settings: [first.path("keys")] });
  expect((await second.list({ diff: true })).changes).toEqual([]);
  expect((await second.revert()).reverted).toEqual([]);
  const inside = await openUndoStage({}, { root: first.path("keys"), data: first.data, settings: [first.path("keys")] });
  await inside.turn(() => writeFileSync(first.path("keys/keys.json"), "secret-4"), "r2");
  const { changes, untracked } = await inside.list({ diff: true });
  expect([changes, untracked]).toEqual([[], [{ path: ".", reason: "it holds files of Hawser itself" }]]);
  expect(JSON.stringify(treeOf(first.data))).not.toMatch(/secret-[34]/);
});
