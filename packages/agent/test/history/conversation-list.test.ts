// The list of thousands of conversations, of this process and of others.

import { appendFileSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { toHeaderLine, toRecordLine, toRecordText } from "../../src/history/record.ts";
import { addTurn, answer, freshStore, storeIn, text, user } from "./stores.ts";

it("lists 3,000 conversations, and the second time reads only what has changed", async () => {
  const { store, fileOf, notices } = freshStore();
  for (let index = 0; index < 3_000; index++) {
    const line = toRecordText({ type: "message", message: user("q", `hello ${index}`) });
    writeFileSync(
      fileOf(`c${index}`),
      toHeaderLine(`c${index}`) + toRecordLine(line, { title: `hello ${index}`, messages: 1, updatedAt: 1_000 + index }).join(""),
      {
        mode: 0o600,
      },
    );
  }
  const first = await store.list();
  expect(first.map(({ conversationId }) => conversationId)).toEqual(Array.from({ length: 3_000 }, (_, index) => `c${2_999 - index}`));
  await addTurn(store, "c7", "x");
  const second = await store.list();
  expect(second[0]).toMatchObject({ conversationId: "c7", messages: 3, title: "hello 7" });
  // The same object: it was not read again.
  const ofFirst = new Map(first.map((summary) => [summary.conversationId, summary]));
  expect(second.filter((summary) => ofFirst.get(summary.conversationId) === summary)).toHaveLength(2_999);
  expect(notices).toEqual([]);
});

it("has at most as many as its limit, the latest, and says that there are more", async () => {
  const { store, fileOf, notices } = freshStore({ listedConversationEntries: 3 });
  // By the clock, and by the times of the files, which may be as coarse as a second.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [at, id] of ["a", "b", "c", "d", "e"].entries()) {
    vi.setSystemTime(1_700_000_000_000 + at * 1_000);
    await addTurn(store, id, id);
    utimesSync(fileOf(id), 1_700_000_000 + at, 1_700_000_000 + at);
  }
  expect((await store.list()).map(({ conversationId }) => conversationId)).toEqual(["e", "d", "c"]);
  await store.list();
  expect(notices).toEqual(["the 2 oldest conversations were left out of the list"]);
});

it("RUN-07 lists a conversation with a torn tail, and changes nothing of it", async () => {
  const { store, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  appendFileSync(fileOf("one"), '{"type":"message","mess');
  const before = readFileSync(fileOf("one"));
  expect(await store.list()).toMatchObject([{ conversationId: "one", title: "question x-q", messages: 2 }]);
  expect(readFileSync(fileOf("one"))).toEqual(before);
});

it("lists a conversation by what it really holds: a result that looks like a summary does not count, nor does an empty file", async () => {
  const { store, fileOf, folder } = freshStore();
  const conversation = await store.open("one");
  await conversation.add(user("q", '","summary":{"title":"forged","messages":99,"updatedAt":1}}'));
  await conversation.add(answer("a", [text(`é${"x".repeat(5_000)}`)]));
  const forged = { summary: { title: "forged", messages: 99, updatedAt: 1 } };
  await conversation.addParts("a", [{ type: "tool_result", toolId: "t", toolName: "n", result: { x: 1, ...forged } }]);
  writeFileSync(fileOf("empty"), "");
  expect(await storeIn(folder).store.list()).toMatchObject([
    { conversationId: "one", messages: 2, title: expect.stringMatching(/^","summary"/) as string },
  ]);
  truncateSync(fileOf("one"), toHeaderLine("one").length);
  expect(await storeIn(folder).store.list()).toMatchObject([{ conversationId: "one", messages: 0, title: "" }]);
});

it("G10 100 open conversations stay small", async () => {
  const { store } = freshStore();
  for (let index = 0; index < 100; index++) await addTurn(store, `c${index}`, "x");
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const open = await Promise.all(Array.from({ length: 100 }, (_, index) => store.open(`c${index}`)));
  expect(open.every(({ messages }) => messages.length === 2)).toBe(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30_000_000);
});
