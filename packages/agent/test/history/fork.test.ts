// A fork: a conversation of its own that begins as another one does, the same in a folder and in memory.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConversationStore } from "../../src/history/conversation-store.ts";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { addTurn, answer, freshStore, messagesOf, text, user } from "./stores.ts";

function memoryStore(): ConversationStore {
  const store = createMemoryStore();
  onTestFinished(() => store.close());
  return store;
}

const titleOf = async (store: ConversationStore, conversationId: string): Promise<string | undefined> =>
  (await store.list()).find((each) => each.conversationId === conversationId)?.title;

describe.each([
  { name: "in a folder", create: () => freshStore().store },
  { name: "in memory", create: memoryStore },
])("a fork $name", ({ create }) => {
  it("holds the messages up to the last complete answer, the folders and a title with a hint; nothing that waits, and no session", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const original = await store.open("one");
    await original.setFolders(["/harbour"]);
    await original.keepAgentSession({ agent: "acp/codex", sessionId: "s", through: "x-a" });
    await original.addSteer({ steerId: "s1", target: "r", message: "waits" });
    await original.add(user("y-q"));
    await original.add(answer("y-a"));
    await original.addParts("y-a", [text("not yet")]);
    await store.fork("one", { conversationId: "two" });
    const fork = await store.open("two");
    expect(fork.messages.map(({ messageId }) => messageId)).toEqual(["x-q", "x-a"]);
    expect(fork.folders).toEqual(["/harbour"]);
    expect(fork.title).toBe("question x-q (fork)");
    expect([fork.agentSession, fork.steers]).toEqual([undefined, []]);
    expect(original.steers.length).toBe(1);
    expect(original.messages.length).toBe(4);
    await fork.close();
    await original.close();
  });

  it("ends with the message that is named; each goes on without the other", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    await addTurn(store, "one", "y");
    await store.fork("one", { conversationId: "two", after: "y-q" });
    await addTurn(store, "one", "z");
    await addTurn(store, "two", "other");
    const idsOf = async (id: string): Promise<string[]> => (await messagesOf(store, id)).map(({ messageId }) => messageId);
    expect(await idsOf("one")).toEqual(["x-q", "x-a", "y-q", "y-a", "z-q", "z-a"]);
    expect(await idsOf("two")).toEqual(["x-q", "x-a", "y-q", "other-q", "other-a"]);
    await store.delete("one");
    expect(await idsOf("two")).toHaveLength(5);
  });

  it("of a fork says which one it is, and a long title keeps the hint", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    await store.fork("one", { conversationId: "two" });
    await store.fork("two", { conversationId: "three" });
    await store.fork("three", { conversationId: "four" });
    expect(await titleOf(store, "three")).toBe("question x-q (fork 2)");
    expect(await titleOf(store, "four")).toBe("question x-q (fork 3)");
    const long = await store.open("four");
    await long.rename("🚢".repeat(200));
    await long.close();
    await store.fork("four", { conversationId: "five" });
    expect(await titleOf(store, "five")).toMatch(/^(?:🚢)+… \(fork\)$/u);
  });

  it("is refused where there is nothing complete, no such message, or one that is still being made", async () => {
    const store = create();
    await expect(store.fork("none", { conversationId: "f1" })).rejects.toMatchObject({ code: "invalid_message" });
    await addTurn(store, "one", "x");
    const original = await store.open("one");
    await original.add(user("y-q"));
    await original.add(answer("y-a"));
    await expect(store.fork("one", { conversationId: "f2", after: "y-a" })).rejects.toThrow("still being made");
    await expect(store.fork("one", { conversationId: "f3", after: "nobody" })).rejects.toMatchObject({ code: "invalid_message" });
    expect((await store.list()).map(({ conversationId }) => conversationId)).toEqual(["one"]);
    await original.close();
  });
});

it("a fork is a whole file for its owner alone, and no other stays beside it", async () => {
  const { store, folder, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  await store.fork("one", { conversationId: "two" });
  await store.close();
  expect(readdirSync(folder).filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
  const lines = readFileSync(fileOf("two"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type?: string }).type)).toEqual([undefined, "title", "message", "message"]);
  await expect(freshStore().store.fork("one", { conversationId: "one" })).rejects.toMatchObject({ code: "invalid_message" });
});

it("an id that is taken is refused, and what it names stays as it is", async () => {
  const { store, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  await addTurn(store, "two", "y");
  const before = readFileSync(fileOf("two"), "utf8");
  await expect(store.fork("one", { conversationId: "two" })).rejects.toMatchObject({ code: "duplicate_id" });
  expect(readFileSync(fileOf("two"), "utf8")).toBe(before);
});
