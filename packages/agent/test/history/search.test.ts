// A search over all conversations, the same in a folder and in memory; and its index on disk, which is brought up, made anew, and
// keeps nothing that was removed.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConversationStore } from "../../src/history/conversation-store.ts";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { hasFullTextIndex } from "../../src/history/search-database.ts";
import { addTurn, answer, freshStore, storeIn, text, user } from "./stores.ts";

function memoryStore(): ConversationStore {
  const store = createMemoryStore();
  onTestFinished(() => store.close());
  return store;
}

async function add(store: ConversationStore, conversationId: string, messageId: string, words: string): Promise<void> {
  const conversation = await store.open(conversationId);
  await conversation.add({ ...user(messageId, words), timestamp: 1_700_000_000_000 + (counter += 1_000) });
  await conversation.close();
}
let counter = 0;

const idsOf = async (store: ConversationStore, query: string, limit = 50): Promise<string[]> =>
  (await store.search(query, limit)).matches.map(({ messageId }) => messageId);

describe.each([
  { name: "in a folder", create: () => freshStore().store },
  { name: "in memory", create: memoryStore },
])("a search $name", ({ create }) => {
  it("finds messages of all conversations with all words, in any order, case and accent, by their beginnings, the latest first", async () => {
    const store = create();
    await add(store, "one", "m1", "The ships are in the harbour.");
    await add(store, "two", "m2", 'A Harbor, "quoted" AND a café NEAR(x) * ^ — ÄRGER');
    await add(store, "one", "m3", "In Harbours there are SHIPS");
    expect(await idsOf(store, "harbour ships")).toEqual(["m3", "m1"]);
    expect(await idsOf(store, "SHIP harb")).toEqual(["m3", "m1"]);
    expect(await idsOf(store, "cafe arger")).toEqual(["m2"]);
    expect(await idsOf(store, '"quoted" AND')).toEqual(["m2"]);
    expect(await idsOf(store, "arbour")).toEqual([]);
    expect(await idsOf(store, "harbour", 1)).toEqual(["m3"]);
    for (const nothing of ["", "  ", '"', "***", "\u0000"]) expect(await idsOf(store, nothing)).toEqual([]);
    expect((await store.search("ships", 1)).matches[0]).toMatchObject({
      conversationId: "one",
      title: "The ships are in the harbour.",
      role: "user",
      excerpt: expect.stringContaining("SHIPS") as string,
    });
  });

  it("follows what is said, grows, is removed and is deleted", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const conversation = await store.open("one");
    await conversation.add(user("q"));
    await conversation.add(answer("a"));
    await conversation.addParts("a", [text("first words")]);
    expect(await idsOf(store, "first")).toEqual(["a"]);
    await conversation.addParts("a", [text(", later ones"), { type: "steer", steerId: "s", message: "steered" }]);
    await conversation.finish("a");
    expect([await idsOf(store, "later"), await idsOf(store, "first"), await idsOf(store, "steered")]).toEqual([["a"], ["a"], ["a"]]);
    await conversation.truncate("x-a");
    expect([await idsOf(store, "later"), await idsOf(store, "answer")]).toEqual([[], ["x-a"]]);
    await conversation.clear();
    expect(await idsOf(store, "answer")).toEqual([]);
    await conversation.close();
    await addTurn(store, "two", "y");
    expect(await idsOf(store, "answer")).toEqual(["y-a"]);
    await store.delete("two");
    expect(await idsOf(store, "answer")).toEqual([]);
  });
});

const indexFiles = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith("search-index"));
const bytesOf = (folder: string): string =>
  indexFiles(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");

it("the index is for its owner alone, keeps nothing of what was removed, and sees what another process writes", async () => {
  const { store, folder } = freshStore();
  const other = storeIn(folder).store;
  await add(store, "one", "m1", "confidentialword");
  expect(await idsOf(store, "confidentialword")).toEqual(["m1"]);
  expect(bytesOf(folder)).toContain("confidentialword");
  for (const name of indexFiles(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  await add(other, "two", "m2", "elsewhere");
  expect(await idsOf(store, "elsewhere")).toEqual(["m2"]);
  expect(await idsOf(other, "confidentialword")).toEqual(["m1"]);
  await store.delete("one");
  expect(bytesOf(folder)).not.toContain("confidentialword");
  const cleared = await store.open("two");
  await cleared.clear();
  expect(bytesOf(folder)).not.toContain("elsewhere");
  await cleared.close();
});

it.each(["not a database", ""])("an index that holds %j instead is made anew", async (content) => {
  const { store, folder } = freshStore();
  await add(store, "one", "m1", "ships");
  writeFileSync(join(folder, "search-index.sqlite"), content, { mode: 0o600 });
  expect(await idsOf(store, "ships")).toEqual(["m1"]);
  await store.close();
  expect(await idsOf(storeIn(folder).store, "ships")).toEqual(["m1"]);
});

it("a Node whose SQLite has no full-text index, as before 22.16, says so and which Node has one", async () => {
  const { exec } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql) {
    if (sql.includes("fts5")) throw new Error("no such module: fts5");
    exec.call(this, sql);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { store } = freshStore();
  await add(store, "one", "m1", "The ships are in the harbour.");
  await expect(store.search("ships", 1)).rejects.toMatchObject({
    code: "usage",
    message: `conversations can't be searched: the SQLite of Node ${process.versions.node} has no full-text index; Node 22.16 and newer have one`,
  });
});

describe("whether a folder can be searched", () => {
  it("depends on Node, whose SQLite has a full-text index from 22.16 on", () => {
    const versions = ["22.13.0", "22.15.1", "22.16.0", "23.0.0", "24.1.0"];
    expect(versions.map((version) => hasFullTextIndex(version))).toEqual([false, false, true, true, true]);
    expect(freshStore().store.canSearch).toBe(hasFullTextIndex());
  });
});
