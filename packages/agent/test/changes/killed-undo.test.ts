// kill -9 in the middle of reverts and turns: every file is whole, and the next start knows what happened.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { exitOf, startNode } from "../../../../test/kit/node-programs.ts";
import { openUndoStage, treeOf, writeFiles } from "./undo-stage.ts";

const kills = process.env["HAWSER_LONG"] ? 200 : 2;
const program = fileURLToPath(new URL("../fixtures/undo-reverter.ts", import.meta.url));
const names = Array.from({ length: 30 }, (_, at) => `f${at}.txt`);
const all = (state: string): Record<string, string> => Object.fromEntries(names.map((name) => [name, `${state} ${name}\n`.repeat(50)]));

/** Runs it, and kills it a random while after the first line that says so. */
async function killDuring(root: string, data: string, what: string, count: number): Promise<string[]> {
  const child = startNode(["--conditions=hawser-source", program, root, data, what]);
  let said = "";
  const begun = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
    if (said.includes("begin")) begun.resolve();
  });
  await Promise.race([begun.promise, exitOf(child).then(({ code }) => Promise.reject(new Error(`it ended with ${code}`)))]);
  // From the first file on to several rounds later.
  await sleep((count * 37) % 120);
  child.kill("SIGKILL");
  await exitOf(child);
  return said.split("\n");
}

test("killed in a revert, every file is whole, and the next start says which were reverted", async () => {
  const first = await openUndoStage(all("old"));
  const { root, data } = first;
  for (let count = 0; count < kills; count++) {
    const made = await first.turn(() => writeFiles(root, all("new")), `r${count}`);
    await killDuring(root, data, made, count);
    const stage = await openUndoStage({}, { root, data });
    const { changes } = await stage.list();
    const states = new Map(names.map((name) => [name, stage.read(name)]));
    const { old, fresh } = { old: all("old"), fresh: all("new") };
    for (const name of names) expect([old[name], fresh[name]]).toContain(states.get(name));
    const reverted = changes.filter(({ requestId, reverted: isReverted }) => requestId === made && isReverted).map(({ path }) => path);
    expect(reverted.toSorted()).toEqual(names.filter((name) => states.get(name) === old[name]).toSorted());
    expect(Object.keys(treeOf(root)).toSorted()).toEqual(names.toSorted());
    // To the same beginning again: what is reverted is done again.
    expect((await stage.revert()).conflicts).toEqual([]);
    expect(treeOf(root)).toEqual(Object.fromEntries(names.map((name) => [name, `644 ${old[name]}`])));
  }
}, 7_200_000);

test("killed in a turn, what it had changed until then belongs to it, and can be reverted", async () => {
  const first = await openUndoStage(all("old"));
  const { root, data } = first;
  const before = treeOf(root);
  for (let count = 0; count < kills; count++) {
    const said = await killDuring(root, data, "turns", count);
    const ids = said.flatMap((line) => (line.startsWith("begin ") ? [line.slice(6)] : []));
    const stage = await openUndoStage({}, { root, data });
    const { changes } = await stage.list();
    // Nothing was changed by anything but these turns, so each file is what the last of its changes left.
    for (const name of names) {
      const now = stage.read(name);
      const last = changes.findLast(({ path, reverted, revert }) => path === name && !reverted && !revert);
      if (last) expect(now === "" || now.startsWith(last.requestId)).toBe(true);
      else expect(now).toBe(all("old")[name]);
    }
    expect(changes.filter(({ revert }) => !revert).every(({ requestId, reverted }) => reverted || ids.includes(requestId))).toBe(true);
    expect((await stage.revert()).conflicts).toEqual([]);
    expect(treeOf(root)).toEqual(before);
    expect(readdirSync(data).filter((name) => name.endsWith(".lock"))).toEqual([]);
  }
}, 7_200_000);
