// G12 when the disk or somebody else gets in the way: an error for the one who asked, and a journal that is whole.

import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { addTurn, answer, freshStore, messagesOf, storeIn, temporaryFolder, text, user } from "./stores.ts";

const writer = fileURLToPath(new URL("../fixtures/history-writer.ts", import.meta.url));

it("G12 a disk that is full refuses the change that does not fit, leaves no half line, and takes what fits afterwards", async () => {
  const folder = join(temporaryFolder(), "store");
  // No file may grow beyond 128 blocks of 512 bytes; a write that would is cut short, as on a full disk.
  const child = spawn(
    "sh",
    ["-c", 'ulimit -f 128; exec "$0" "$@"', process.execPath, "--conditions=hawser-source", writer, folder, "full"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = (await textOf(child.stdout)).trim().split("\n");
  expect(lines.filter((line) => line.startsWith("refused"))).toEqual([
    expect.stringMatching(/^refused internal the history can't be written: .*EFBIG/),
  ]);
  expect(lines.at(-1)).toBe("acknowledged small");
  const { store, notices } = storeIn(folder);
  const ids = (await messagesOf(store, "one")).map(({ messageId }) => messageId);
  expect(ids).toEqual(lines.filter((line) => line.startsWith("acknowledged")).map((line) => line.split(" ")[1]));
  expect(notices).toEqual([]);
});

it("G12 a journal that somebody removes while it is open is written again, with a notice", async () => {
  const { store, fileOf, folder, notices } = freshStore();
  const conversation = await store.open("one");
  await conversation.add(user("q"));
  rmSync(fileOf("one"));
  await conversation.add(user("r"));
  expect(notices).toEqual([expect.stringContaining("removed while it was open")]);
  await store.close();
  expect((await messagesOf(storeIn(folder).store, "one")).map(({ messageId }) => messageId)).toEqual(["q", "r"]);
});

it("G12 a journal that somebody changes or replaces while it is open is left to him, and nothing is acknowledged", async () => {
  const { store, fileOf } = freshStore();
  for (const change of [
    (file: string) => appendFileSync(file, "a note\n"),
    (file: string) => {
      const content = readFileSync(file);
      rmSync(file);
      writeFileSync(file, content, { mode: 0o600 });
    },
  ]) {
    const conversation = await store.open("one");
    await conversation.add(user(`q-${Math.random()}`));
    change(fileOf("one"));
    const before = readFileSync(fileOf("one"));
    await expect(conversation.add(user("r"))).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("opens it again") as string,
    });
    expect(readFileSync(fileOf("one"))).toEqual(before);
    await conversation.close();
  }
  expect((await messagesOf(store, "one")).length).toBe(2);
});

it("R116 what was cleared or truncated is gone from the disk", async () => {
  const { store, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  const conversation = await store.open("one");
  await conversation.add(user("secret", "correct horse battery staple"));
  await conversation.truncate("x-a");
  expect(readFileSync(fileOf("one"), "utf8")).not.toContain("horse");
  expect(conversation.messages.length).toBe(2);
  await conversation.clear();
  expect(readFileSync(fileOf("one"), "utf8").split("\n")).toHaveLength(2);
});

it("a journal much larger than its content is written again, at the end of a turn and when it is opened", async () => {
  const { store, fileOf, folder } = freshStore({ journalSlackBytes: 1_000 });
  await addTurn(store, "one", "x");
  const conversation = await store.open("one");
  for (let times = 0; times < 100; times++) await conversation.rename(`title ${times}`);
  const large = statSync(fileOf("one")).size;
  await conversation.add(answer("b", [text("b")]));
  await conversation.finish("b");
  const small = statSync(fileOf("one")).size;
  expect(small).toBeLessThan(large / 4);
  for (let times = 0; times < 100; times++) await conversation.rename(`title ${times}`);
  await store.close();
  const again = storeIn(folder, { journalSlackBytes: 1_000 });
  expect(await messagesOf(again.store, "one")).toHaveLength(3);
  expect(statSync(fileOf("one")).size).toBeLessThan(small * 1.2);
  expect((await again.store.list())[0]?.title).toBe("title 99");
});

it("SEC the folder is for its owner alone, and so is every file in it", async () => {
  const { store, folder, fileOf } = storeIn(join(temporaryFolder(), "a", "b"));
  await addTurn(store, "one", "x");
  appendFileSync(fileOf("one"), "damage\n");
  const conversation = await store.open("one");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "..")).mode & 0o777).toBe(0o700);
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes.map((mode) => mode.toString(8)).toSorted()).toEqual(["600", "600", "700"]);
  await conversation.close();
});
