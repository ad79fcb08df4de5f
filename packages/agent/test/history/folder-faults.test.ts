// The folder of the conversations when it can't be written, and when somebody removes it while it is in use.

import { execFile, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { addTurn, freshStore, messagesOf, storeIn, temporaryFolder, user } from "./stores.ts";

const program = fileURLToPath(new URL("../fixtures/history-reader.ts", import.meta.url));

/** Root may write anywhere but on what is mounted read-only; for others the mode is enough. */
const isRoot = process.getuid?.() === 0;
const stranger = 54_321;
const mountReadOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';

const readerOf = (what: "folder" | "file"): string[] => [process.execPath, "--conditions=hawser-source", program, what];

async function readOnly(folder: string): Promise<unknown> {
  const reader = [...readerOf("folder"), "", folder];
  if (!isRoot) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
  }
  const command = isRoot
    ? ["unshare", "--mount", "sh", "-c", mountReadOnly, folder, ...reader, "mount", "-o", "remount,bind,rw", folder]
    : [...reader, "chmod", "700", folder];
  const { stdout } = await promisify(execFile)(command[0]!, command.slice(1));
  return JSON.parse(stdout);
}

it("RUN-07 a folder that can't be written is listed and read without a lock, refuses what is new in one sentence, and goes on once it can", async (context) => {
  if (isRoot && spawnSync("unshare", ["--mount", "true"]).status !== 0) context.skip("root, and nothing can be mounted here");
  const { store, folder } = freshStore();
  await addTurn(store, "one", "x");
  const outcome = await readOnly(folder);
  const refusal = expect.stringMatching(
    /^refused: the folder of the conversations, \S+, can't be written \((EROFS|EACCES)\): they can be read, but nothing can be added or changed\. Make it writable, or name another one with --data-dir/,
  ) as string;
  expect(outcome).toEqual({
    listed: ["one"],
    length: 2,
    loaded: ["x-q", "x-a"],
    found: ["x-a"],
    refused: [refusal, refusal, refusal],
    added: ["added", "added"],
    again: ["x-q", "x-a", "later"],
    notices: [],
  });
});

it("RUN-07 a conversation whose file can't be written is read, refuses what is new in one sentence, and goes on once it can", async () => {
  const { store, folder, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  const path = fileOf("one");
  chmodSync(path, 0o400);
  for (const owned of isRoot ? [folder, path] : []) chownSync(owned, stranger, stranger);
  const [command, ...args] = [...readerOf("file"), isRoot ? String(stranger) : "", folder, "chmod", "600", path];
  const { stdout } = await promisify(execFile)(command, args);
  const refusal =
    /^refused: the conversation's file \S+ can't be written \(EACCES\): it can be read, but nothing can be added or changed\. Make it writable, or use another conversation$/;
  expect(JSON.parse(stdout)).toEqual({
    listed: ["one"],
    length: 2,
    loaded: ["x-q", "x-a"],
    found: ["x-a"],
    refused: [expect.stringMatching(refusal)],
    added: ["added", "added"],
    again: ["x-q", "x-a", "later"],
    notices: [],
  });
});

it("RUN-07 a folder that its owner has made read-only stays so, and only others lose their access", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o555);
  const { store, notices } = storeIn(folder);
  await store.list();
  expect(statSync(folder).mode & 0o777).toBe(0o500);
  expect(notices).toEqual([expect.stringContaining("was open to others; it holds conversations and is now for its owner alone")]);
  chmodSync(folder, 0o700);
});

it("RUN-07 a folder that is removed while it is in use is made again (0700) at the next write, also by a conversation that was open", async () => {
  const folder = join(temporaryFolder(), "data");
  const { store, notices } = storeIn(folder);
  await addTurn(store, "closed", "x");
  const open = await store.open("open");
  await open.add(user("q"));
  rmSync(folder, { recursive: true });
  await addTurn(store, "new", "y");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
  await open.add(user("r"));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(notices).toEqual(['conversation "open": its file was removed while it was open, and was written again']);
  // It is locked again too.
  await expect(storeIn(folder).store.open("open")).rejects.toMatchObject({ code: "overloaded" });
  await open.close();
  expect((await messagesOf(store, "open")).map(({ messageId }) => messageId)).toEqual(["q", "r"]);
  expect(readdirSync(folder)).toHaveLength(1);
  rmSync(folder, { recursive: true });
  expect(await store.list()).toEqual([]);
});
