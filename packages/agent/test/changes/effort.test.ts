// What is too much for a look beside other work, and that nothing of such a look is written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { undoLimits } from "../../src/changes/limits.ts";
import { bytesForEntry, TooMuch } from "../../src/changes/thread/effort.ts";
import { createRootChanges } from "../../src/changes/thread/root-changes.ts";
import { newFolder, writeFiles } from "./undo-stage.ts";

const limits = {
  maxFileBytes: undoLimits.undoFileBytes,
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
  const open = (mostBytes?: number) => createRootChanges({ root, folder, limits, settings: [] }, mostBytes);
  return { root, folder, open };
}

test("more entries or contents than were agreed are refused, and nothing is kept of such a look", () => {
  const { folder, open } = openRoot({ a: "1", b: "22", "c/d": "333" });
  open(0).pending();
  const log = readFileSync(join(folder, "log.jsonl"), "utf8");
  const most = log.length + 4 * bytesForEntry + 6;
  for (const bytes of [log.length - 1, log.length + 4 * bytesForEntry - 1, most - 1])
    expect(() => open(bytes).begin(watch("w"))).toThrow(TooMuch);
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
  expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toBe(log);
  open(most).begin(watch("w"));
  expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toContain('"t":"watch"');
});

test("what is agreed counts for each look, and what goes through all that is kept is refused", () => {
  const { root, open } = openRoot({ a: "1" });
  const near = open(bytesForEntry + 1_000);
  for (let at = 0; at < 4; at++) {
    near.begin(watch(`w${at}`));
    writeFileSync(join(root, "a"), String(at).repeat(900));
    near.end(`w${at}`, []);
  }
  expect(() => near.begin(watch("full"))).toThrow(TooMuch);
  open().begin(watch("full"));
});
