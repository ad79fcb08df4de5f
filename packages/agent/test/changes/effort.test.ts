// What is too much for a look beside other work, and that nothing of such a look is written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { TooMuch } from "../../src/changes/thread/effort.ts";
import { createRootChanges } from "../../src/changes/thread/root-changes.ts";
import { newFolder, writeFiles } from "./undo-stage.ts";

const limits = {
  maxFileBytes: agentLimits.undoFileBytes,
  maxRootBytes: 4_000,
  maxEntries: 1_000,
  maxDepth: 9,
  maxChanges: 9,
  maxDiffChars: 999,
  maxUntracked: 9,
};
const watch = (id: string) => ({ id, turn: id, conversationId: "c", requestId: id, holder: "h", busy: [] });

function openRoot(files: Readonly<Record<string, string>>) {
  const [root, folder] = [newFolder(), newFolder()];
  writeFiles(root, files);
  const open = (most?: { readonly entries: number; readonly bytes: number }) =>
    createRootChanges({ root, folder, limits, settings: [] }, most);
  return { root, folder, open };
}

test("more entries or bytes than were agreed are refused, and nothing is kept of such a look", () => {
  const { folder, open } = openRoot({ a: "1", b: "22", "c/d": "333" });
  open({ entries: 4, bytes: 6 }).pending();
  const log = readFileSync(join(folder, "log.jsonl"), "utf8");
  const most = { entries: 4, bytes: log.length + 6 };
  expect(() => open({ ...most, entries: 3 }).begin(watch("w"))).toThrow(TooMuch);
  expect(() => open({ ...most, bytes: log.length + 5 }).begin(watch("w"))).toThrow(TooMuch);
  expect(() => open({ ...most, bytes: log.length - 1 }).begin(watch("w"))).toThrow(TooMuch);
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
  expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toBe(log);
  open(most).begin(watch("w"));
  expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toContain('"t":"watch"');
});

test("what is agreed counts for each look, and what goes through all that is kept is refused", () => {
  const { root, open } = openRoot({ a: "1" });
  const near = open({ entries: 1, bytes: 1_000 });
  for (let at = 0; at < 4; at++) {
    near.begin(watch(`w${at}`));
    writeFileSync(join(root, "a"), String(at).repeat(900));
    near.end(`w${at}`, []);
  }
  expect(() => near.begin(watch("full"))).toThrow(TooMuch);
  open().begin(watch("full"));
});
