// Names of files for any id.

import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { isJournalName, toFileName } from "../../src/history/conversation-files.ts";
import { addTurn, messagesOf, temporaryFolder, storeIn } from "./stores.ts";

const hostileIds = [
  "",
  ".",
  "..",
  "../../etc/passwd",
  "..\\..\\windows",
  "/etc/passwd",
  "C:\\x",
  "a\0b",
  "a",
  "a ",
  "A",
  "CON",
  "con",
  "nul.txt",
  "LPT1",
  "caf\u00e9",
  "cafe\u0301",
  "\ufb01",
  "fi",
  "x".repeat(5_000),
  `${"x".repeat(4_999)}y`,
  "\ud800",
  "\udfff",
  "\ufffd",
  "💥",
  "\u202e evil",
  "a\nb",
  ".jsonl",
  "x.jsonl.lock",
  "%2e%2e%2f",
  "__proto__",
];

it("RUN-08 R115: hostile ids each have a file of their own inside the folder, and their own history", async () => {
  const parent = temporaryFolder();
  const folder = `${parent}/store`;
  const { store, fileOf } = storeIn(folder);
  for (const [index, id] of hostileIds.entries()) await addTurn(store, id, `t${index}`);
  const names = readdirSync(folder);
  expect(names).toHaveLength(hostileIds.length);
  expect(names.every(isJournalName)).toBe(true);
  expect(new Set(names.map((name) => name.toLowerCase().normalize("NFKC"))).size).toBe(hostileIds.length);
  expect(readdirSync(parent)).toEqual(["store"]);
  for (const [index, id] of hostileIds.entries()) {
    expect(dirname(fileOf(id))).toBe(folder);
    expect((await messagesOf(store, id)).map(({ messageId }) => messageId)).toEqual([`t${index}-q`, `t${index}-a`]);
  }
  const listed = (await store.list()).map(({ conversationId }) => conversationId);
  expect(listed.toSorted()).toEqual(hostileIds.toSorted());
});

it("RUN-08 a name is short, of plain characters, and no device of Windows", () => {
  for (const id of hostileIds) {
    // Before the first dot: that is what Windows compares with the names of its devices.
    expect(toFileName(id)).toMatch(/^c-[a-z0-9-]{0,40}\.[0-9a-f]{32}\.jsonl$/);
  }
});

it("RUN-08 an id of more than 8,192 characters is refused, and leaves nothing behind", async () => {
  const { store, folder } = storeIn(`${temporaryFolder()}/store`);
  await expect(store.open("x".repeat(8_193))).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("8193") as string });
  await expect(store.list()).resolves.toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
