// RUN-07: files that are not as they were written. Recovered or set aside with a notice, never silently emptied.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addTurn, answer, freshStore, messagesOf, storeIn, text, user, type StoreInFolder } from "./stores.ts";

const asideOf = ({ folder }: StoreInFolder): string[] => readdirSync(folder).filter((name) => name.includes(".damaged-"));
const idsOf = async ({ store }: StoreInFolder): Promise<string[]> => (await messagesOf(store, "one")).map(({ messageId }) => messageId);

async function storeWithTwoTurns(): Promise<StoreInFolder & { readonly file: string }> {
  const stage = freshStore();
  await addTurn(stage.store, "one", "x");
  await addTurn(stage.store, "one", "y");
  return { ...stage, file: stage.fileOf("one") };
}

/** The file is as it should be: what follows is read by another store as well, without a word. */
async function expectWhole(stage: StoreInFolder, ids: readonly string[]): Promise<void> {
  await addTurn(stage.store, "one", "after");
  const again = storeIn(stage.folder);
  expect(await idsOf(again)).toEqual([...ids, "after-q", "after-a"]);
  expect(again.notices).toEqual([]);
}

describe("a torn tail", () => {
  it("RUN-07 G12 half a record at the end is cut off with a notice, and what follows is whole", async () => {
    const stage = await storeWithTwoTurns();
    const whole = readFileSync(stage.file);
    appendFileSync(stage.file, '{"type":"message","message":{"messageId":"torn","ro');
    expect(await idsOf(stage)).toEqual(["x-q", "x-a", "y-q", "y-a"]);
    expect(stage.notices).toEqual([expect.stringMatching(/^conversation "one": its last record was not written to its end.*51 bytes/)]);
    expect(readFileSync(stage.file)).toEqual(whole);
    expect(asideOf(stage)).toEqual([]);
    await expectWhole(stage, ["x-q", "x-a", "y-q", "y-a"]);
  });

  it("RUN-07 a cut through a character of two bytes is a torn tail too", async () => {
    const stage = freshStore();
    const conversation = await stage.store.open("one");
    await conversation.add(user("q"));
    await conversation.add(user("r", "é"));
    await conversation.close();
    truncateSync(stage.fileOf("one"), readFileSync(stage.fileOf("one")).indexOf("é") + 1);
    expect(await idsOf(stage)).toEqual(["q"]);
    expect(asideOf(stage)).toEqual([]);
  });

  it("RUN-07 a whole last record of which only the line's end is missing is kept", async () => {
    const stage = await storeWithTwoTurns();
    truncateSync(stage.file, statSync(stage.file).size - 1);
    expect(await idsOf(stage)).toEqual(["x-q", "x-a", "y-q", "y-a"]);
    expect(stage.notices).toEqual([]);
    await expectWhole(stage, ["x-q", "x-a", "y-q", "y-a"]);
  });

  it("RUN-07 a file that was cut in its first line, or is empty, is an empty conversation", async () => {
    const stage = await storeWithTwoTurns();
    for (const bytes of [20, 0]) {
      truncateSync(stage.file, bytes);
      expect(await idsOf(stage)).toEqual([]);
    }
    expect(asideOf(stage)).toEqual([]);
    await expectWhole(stage, []);
  });
});

describe("damage", () => {
  it("RUN-07 an invalid record in the middle: the rest is recovered, the file as it was is kept, and a notice says so", async () => {
    const stage = await storeWithTwoTurns();
    const lines = readFileSync(stage.file, "utf8").split("\n");
    const damaged = lines.with(3, "\u0000\u0000garbage").join("\n");
    writeFileSync(stage.file, damaged);
    const messages = await messagesOf(stage.store, "one");
    expect(messages.map(({ messageId, parts }) => [messageId, parts.length])).toEqual([
      ["x-q", 1],
      ["x-a", 0],
      ["y-q", 1],
      ["y-a", 1],
    ]);
    const [aside] = asideOf(stage);
    expect(readFileSync(join(stage.folder, aside!), "utf8")).toBe(damaged);
    expect(stage.notices).toEqual([
      `conversation "one": 1 of its records could not be read; 4 messages are there, and the file as it was is kept as ${aside}`,
    ]);
    await expectWhole(stage, ["x-q", "x-a", "y-q", "y-a"]);
  });

  it.each([
    ["text that is no JSON", "hello\nworld\n"],
    ["JSON that is no journal", '{"name":"package"}\n'],
    ["binary without a line end", Buffer.from([0, 255, 254, 1, 2, 3])],
    ["zeros, as a power failure leaves them", Buffer.alloc(4_096)],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a])],
  ])("RUN-07 %s is set aside as it is, with a notice", async (_name, content) => {
    const stage = freshStore();
    writeFileSync(stage.fileOf("one"), content);
    expect(await idsOf(stage)).toEqual([]);
    const [aside] = asideOf(stage);
    expect(readFileSync(join(stage.folder, aside!))).toEqual(Buffer.from(content as string));
    expect(stage.notices).toEqual([expect.stringContaining(`kept as ${aside}`)]);
    await expectWhole(stage, []);
  });

  it("RUN-07 empty lines, as an editor leaves them, are no damage", async () => {
    const stage = await storeWithTwoTurns();
    writeFileSync(stage.file, `${readFileSync(stage.file, "utf8").replaceAll("\n", "\r\n")}\n\n`);
    expect(await idsOf(stage)).toEqual(["x-q", "x-a", "y-q", "y-a"]);
    expect(stage.notices).toEqual([]);
    await expectWhole(stage, ["x-q", "x-a", "y-q", "y-a"]);
  });

  it("RUN-07 zeros after whole records are set aside, and the records kept", async () => {
    const stage = await storeWithTwoTurns();
    appendFileSync(stage.file, Buffer.alloc(1_000));
    expect(await idsOf(stage)).toEqual(["x-q", "x-a", "y-q", "y-a"]);
    expect(asideOf(stage)).toHaveLength(1);
    await expectWhole(stage, ["x-q", "x-a", "y-q", "y-a"]);
  });

  it("RUN-07 a deleted conversation takes what was set aside of it along", async () => {
    const stage = await storeWithTwoTurns();
    appendFileSync(stage.file, "garbage\n");
    await idsOf(stage);
    expect(asideOf(stage)).toHaveLength(1);
    await stage.store.delete("one");
    expect(readdirSync(stage.folder)).toEqual([]);
  });
});

describe("a file that must not be touched", () => {
  const expectRefused = async (stage: StoreInFolder, reason: RegExp): Promise<void> => {
    await expect(stage.store.open("one")).rejects.toMatchObject({ code: "internal", message: expect.stringMatching(reason) as string });
    // The lock is free again: the same error the second time.
    await expect(stage.store.open("one")).rejects.toMatchObject({ message: expect.stringMatching(reason) as string });
    await expect(stage.store.list()).resolves.toEqual([]);
    await expect(stage.store.list()).resolves.toEqual([]);
    expect(stage.notices).toEqual([expect.stringMatching(/^a conversation was left out of the list/)]);
  };

  it("RUN-07 SEC a symbolic link is refused, and what it leads to is unchanged", async () => {
    const stage = freshStore();
    const victim = join(stage.folder, "victim");
    writeFileSync(victim, "");
    symlinkSync(victim, stage.fileOf("one"));
    await expectRefused(stage, /symbolic link.*left as it is/);
    expect(readFileSync(victim, "utf8")).toBe("");
    expect(lstatSync(stage.fileOf("one")).isSymbolicLink()).toBe(true);
  });

  it("RUN-07 a pipe that nobody writes to is refused at once", async () => {
    const stage = freshStore();
    execFileSync("mkfifo", [stage.fileOf("one")]);
    await expectRefused(stage, /not a regular file/);
    expect(lstatSync(stage.fileOf("one")).isFIFO()).toBe(true);
  });

  it("RUN-07 a folder is refused", async () => {
    const stage = freshStore();
    mkdirSync(stage.fileOf("one"));
    await expectRefused(stage, /can't be used/);
    expect(lstatSync(stage.fileOf("one")).isDirectory()).toBe(true);
  });

  it("RUN-07 a file of another user, or without permission, is refused and unchanged", async () => {
    const stage = await storeWithTwoTurns();
    const before = readFileSync(stage.file);
    // Root may read everything, and only root can give a file away.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(stage.file, 54_321, 54_321);
    else chmodSync(stage.file, 0o000);
    await expectRefused(stage, isRoot ? /belongs to another user/ : /EACCES/);
    if (isRoot) chownSync(stage.file, 0, 0);
    else chmodSync(stage.file, 0o600);
    expect(readFileSync(stage.file)).toEqual(before);
  });

  it("RUN-07 the file of another conversation under this one's name is refused and unchanged", async () => {
    const stage = await storeWithTwoTurns();
    await addTurn(stage.store, "two", "z");
    renameSync(stage.fileOf("two"), stage.file);
    const before = readFileSync(stage.file);
    await expectRefused(stage, /belongs to another conversation/);
    expect(readFileSync(stage.file)).toEqual(before);
  });

  it("RUN-07 a file of a newer version is refused and unchanged", async () => {
    const stage = await storeWithTwoTurns();
    const newer = readFileSync(stage.file, "utf8").replace('"version":3', '"version":4');
    writeFileSync(stage.file, newer);
    await expectRefused(stage, /newer version/);
    expect(readFileSync(stage.file, "utf8")).toBe(newer);
  });
});

describe("a file that is too large", () => {
  it("RUN-07 G10 of 1 GB is set aside in bounded memory, with its newest messages kept", async () => {
    const stage = await storeWithTwoTurns();
    const newest = readFileSync(stage.file, "utf8").split("\n").slice(4);
    // A hole of zeros with an end of real records: nothing is written that need not be.
    truncateSync(stage.file, 1_073_741_824);
    appendFileSync(stage.file, `\n${newest.join("\n")}`);
    const rssBefore = process.memoryUsage().rss;
    expect(await idsOf(stage)).toEqual(["y-q", "y-a"]);
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(200_000_000);
    const [aside] = asideOf(stage);
    expect(statSync(join(stage.folder, aside!)).size).toBeGreaterThan(1_073_741_824);
    expect(stage.notices).toEqual([expect.stringContaining(`kept as ${aside}`)]);
    await expectWhole(stage, ["y-q", "y-a"]);
  });

  it("RUN-07 G10 whole records beyond the limits: the newest messages are kept, beginning with a user's", async () => {
    const writer = freshStore();
    for (let turn = 0; turn < 40; turn++) await addTurn(writer.store, "one", `t${turn}`);
    await writer.store.close();
    const byContent = storeIn(writer.folder, { maxConversationBytes: 6_000 });
    const kept = await messagesOf(byContent.store, "one");
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(40);
    expect(kept[0]?.role).toBe("user");
    expect(kept.at(-1)).toEqual(answer("t39-a", [text("answer t39")]));
    expect(byContent.notices).toEqual([expect.stringMatching(/too large to be held whole, the newest messages were kept.*damaged-/)]);
    await byContent.store.close();
    const byFile = storeIn(writer.folder, { maxJournalBytes: 1_500 });
    expect((await messagesOf(byFile.store, "one")).at(-1)?.messageId).toBe("t39-a");
    expect(byFile.notices).toHaveLength(1);
    await expectWhole(byFile, await idsOf(byFile));
  });

  it("RUN-07 what was truncated does not come back because the message before it was left out", async () => {
    const writer = freshStore();
    for (let turn = 0; turn < 40; turn++) await addTurn(writer.store, "one", `t${turn}`);
    await writer.store.close();
    appendFileSync(writer.fileOf("one"), '{"type":"truncate","after":"t0-q"}\n');
    expect(await messagesOf(storeIn(writer.folder, { maxConversationBytes: 6_000 }).store, "one")).toEqual([]);
  });

  it("RUN-07 G10 a line of many brackets is not parsed, and set aside", async () => {
    const stage = await storeWithTwoTurns();
    const file = openSync(stage.file, "a");
    writeSync(
      file,
      `{"type":"parts","messageId":"y-a","parts":[{"type":"tool_result","toolId":"t","toolName":"n","result":[${"{},".repeat(7_000_000)}{}]}]}\n`,
    );
    closeSync(file);
    const peakBefore = process.resourceUsage().maxRSS;
    expect(await idsOf(stage)).toEqual(["x-q", "x-a", "y-q", "y-a"]);
    // In KiB. Its values would take three times as much.
    expect(process.resourceUsage().maxRSS - peakBefore).toBeLessThan(150_000);
    expect(asideOf(stage)).toHaveLength(1);
  });
});
