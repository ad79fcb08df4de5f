// What both histories do alike, in a folder and in memory.

import { describe, expect, it, onTestFinished } from "vitest";
import type { ConversationStore } from "../../src/history/conversation-store.ts";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import type { StoreLimits } from "../../src/history/conversation-store.ts";
import { addTurn, answer, freshStore, lostResult, messagesOf, text, toolResult, toolUse, user } from "./stores.ts";

function memoryStore(limits?: Partial<StoreLimits>): ConversationStore {
  const store = createMemoryStore(limits);
  onTestFinished(() => store.close());
  return store;
}

describe.each([
  { name: "in a folder", create: (limits?: Partial<StoreLimits>) => freshStore(limits).store },
  { name: "in memory", create: memoryStore },
])("a history $name", ({ create }) => {
  it("G12 gives back what was added, with parts in their order and the reason of an early end", async () => {
    const store = create();
    const conversation = await store.open("one");
    await conversation.add(user("q"));
    await conversation.add(answer("a", [text("first")]));
    await conversation.addParts("a", [toolUse("t1"), toolUse("t2")]);
    await conversation.addParts("a", [toolResult("t2")]);
    await conversation.addParts("a", [toolResult("t1"), text("last")]);
    await conversation.finish("a", "cancelled");
    const parts = [text("first"), toolUse("t1"), toolUse("t2"), toolResult("t2"), toolResult("t1"), text("last")];
    const expected = [user("q"), { ...answer("a", parts), interrupted: "cancelled" }];
    expect(conversation.messages).toEqual(expected);
    await conversation.close();
    expect(await messagesOf(store, "one")).toEqual(expected);
  });

  it("R115 H32 keeps conversations apart, and lists them with title, time and length, the latest first", async () => {
    const store = create();
    const before = Date.now();
    await addTurn(store, "one", "x");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await addTurn(store, "two", "y");
    const other = await store.open("two");
    await other.add(user("more"));
    await other.rename("  My\n title\u202e ");
    const list = await store.list();
    expect(list).toEqual([
      { conversationId: "two", title: "My title", messages: 3, updatedAt: expect.any(Number) as number },
      { conversationId: "one", title: "question x-q", messages: 2, updatedAt: expect.any(Number) as number },
    ]);
    expect(list.every(({ updatedAt }) => updatedAt >= before && updatedAt <= Date.now())).toBe(true);
    expect(other.title).toBe("My title");
  });

  it("what was steered and waits is counted until it is seen, withdrawn or cleared, and is still there when it is opened again", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const conversation = await store.open("one");
    const before = conversation.bytes;
    for (const steerId of ["s1", "s2", "s3"]) await conversation.addSteer({ steerId, target: "r", message: "x".repeat(2_000) });
    expect(conversation.bytes).toBeGreaterThan(before + 6_000);
    await conversation.changeSteer("s1", "short");
    expect([await conversation.withdrawSteer("s2"), await conversation.withdrawSteer("s2")]).toEqual([true, false]);
    await conversation.close();
    const again = await store.open("one");
    expect(again.steers.map(({ steerId, message }) => [steerId, message.length])).toEqual([
      ["s1", 5],
      ["s3", 2_000],
    ]);
    await again.withdrawSteer("s3");
    await again.withdrawSteer("s1");
    expect(again.bytes).toBe(before);
    await again.addSteer({ steerId: "s4", target: "r", message: "gone" });
    await again.clear();
    expect([again.bytes, again.steers]).toEqual([0, []]);
    await again.close();
  });

  it("R116 clearing leaves no message and keeps the title that was given; the conversation goes on", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const conversation = await store.open("one");
    await conversation.rename("named");
    await conversation.clear();
    expect(conversation.messages.length).toBe(0);
    expect((await store.list()).map(({ messages, title }) => ({ messages, title }))).toEqual([{ messages: 0, title: "named" }]);
    await conversation.add(user("again"));
    await conversation.close();
    expect(await messagesOf(store, "one")).toEqual([user("again")]);
  });

  it("truncating keeps the messages up to the given one, or none; an unknown one is refused and nothing is removed", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    await addTurn(store, "one", "y");
    const conversation = await store.open("one");
    await expect(conversation.truncate("z")).rejects.toMatchObject({ code: "usage" });
    expect(conversation.messages.length).toBe(4);
    await conversation.truncate("x-q");
    expect(conversation.messages).toEqual([user("x-q")]);
    await conversation.truncate(null);
    await conversation.close();
    expect(await messagesOf(store, "one")).toEqual([]);
  });

  it("refuses parts and an end for what is not an answer in the making, and a messageId twice; nothing changes", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const conversation = await store.open("one");
    await conversation.add(user("q"));
    const before = conversation.messages;
    for (const messageId of ["q", "x-a", "nobody"]) {
      await expect(conversation.addParts(messageId, [text("late")])).rejects.toMatchObject({ code: "usage" });
      await expect(conversation.finish(messageId)).rejects.toMatchObject({ code: "usage" });
    }
    await expect(conversation.add(user("q"))).rejects.toMatchObject({ code: "duplicate_id" });
    await expect(conversation.add({ ...user("r"), role: "system" as "user" })).rejects.toMatchObject({ code: "usage" });
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    await conversation.add(answer("b"));
    const use = { type: "tool_use" as const, toolId: "t", toolName: "n", input: circular };
    await expect(conversation.addParts("b", [use])).rejects.toMatchObject({ code: "not_serializable" });
    await expect(conversation.addParts("b", [])).resolves.toBeUndefined();
    expect(conversation.messages).toEqual([...before, answer("b")]);
    // What is gone may be said again.
    await conversation.truncate("q");
    await conversation.add(answer("b"));
    await expect(conversation.add(answer("b"))).rejects.toMatchObject({ code: "duplicate_id" });
  });

  it("closes what was left open when it is opened again: a tool without result, an answer without end", async () => {
    const store = create();
    const conversation = await store.open("one");
    await conversation.add(user("q"));
    await conversation.add(answer("a"));
    await conversation.addParts("a", [toolUse("t1"), toolUse("t2"), toolResult("t1")]);
    await conversation.close();
    const parts = [toolUse("t1"), toolUse("t2"), toolResult("t1"), lostResult("t2")];
    const interrupted = "the process ended before the answer did";
    expect(await messagesOf(store, "one")).toEqual([user("q"), { ...answer("a", parts), interrupted }]);
    expect(await messagesOf(store, "one")).toEqual([user("q"), { ...answer("a", parts), interrupted }]);
  });

  it("changes that are asked for at once are done one after the other, in order", async () => {
    const store = create();
    const conversation = await store.open("one");
    const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => conversation.add(user(id))));
    await conversation.close();
    expect((await messagesOf(store, "one")).map(({ messageId }) => messageId)).toEqual(ids);
  });

  it("a list that was handed out does not change, and the caller's own objects are not kept", async () => {
    const conversation = await create().open("one");
    const mine = user("q");
    await conversation.add(mine);
    mine.parts.push(text("changed later"));
    const { messages } = conversation;
    await conversation.add(answer("a"));
    expect(messages).toEqual([user("q")]);
  });

  it("whoever opens an open one shares it; it is let go with the last, and a closed one refuses everything", async () => {
    const store = create();
    const [one, other] = await Promise.all([store.open("one"), store.open("one")]);
    await one.add(user("q"));
    expect(other.messages).toEqual([user("q")]);
    await one.close();
    await one.close();
    await expect(one.add(user("r"))).rejects.toMatchObject({ code: "closed" });
    await other.add(user("s"));
    await store.close();
    await expect(other.add(user("t"))).rejects.toMatchObject({ code: "closed" });
    await expect(store.open("one")).rejects.toMatchObject({ code: "closed" });
  });

  it("deleting removes it from the list and begins anew, also for those who had it open", async () => {
    const store = create();
    await addTurn(store, "one", "x");
    const open = await store.open("one");
    await store.delete("one");
    await store.delete("never there");
    expect(await store.list()).toEqual([]);
    await expect(open.add(user("q"))).rejects.toMatchObject({ code: "closed" });
    await open.close();
    expect(await messagesOf(store, "one")).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it("G10 a conversation that would hold too much refuses the message and says to start a new one; it can still be finished", async () => {
    const store = create({ maxConversationBytes: 20_000 });
    const conversation = await store.open("one");
    await conversation.add(user("q"));
    await conversation.add(answer("a"));
    await conversation.addParts("a", [text("x".repeat(10_000))]);
    const refused = { code: "too_large", message: expect.stringMatching(/limit is 20000\. Start a new one$/) as string };
    await expect(conversation.addParts("a", [text("é".repeat(5_000))])).rejects.toMatchObject(refused);
    // Small as text, large as a value.
    const result = Array.from({ length: 200 }, () => ({}));
    const part = { type: "tool_result" as const, toolId: "t", toolName: "n", result };
    await expect(conversation.addParts("a", [part])).rejects.toMatchObject(refused);
    await conversation.finish("a", "too large");
    await conversation.close();
    expect((await messagesOf(store, "one")).map(({ interrupted }) => interrupted)).toEqual([undefined, "too large"]);
  });

  it("G10 all open conversations together are bounded too; closing or deleting one makes room", async () => {
    const store = create({ maxOpenConversationBytes: 30_000 });
    const one = await store.open("one");
    await one.add(user("q", "x".repeat(20_000)));
    const two = await store.open("two");
    const refused = { code: "overloaded", message: expect.stringContaining("the limit is 30000") as string };
    await expect(two.add(user("q", "x".repeat(20_000)))).rejects.toMatchObject(refused);
    await store.delete("one");
    await two.add(user("q", "x".repeat(20_000)));
  });
});
