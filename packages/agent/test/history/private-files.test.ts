// The folder of the conversations: where it is, and which one is not taken.

import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { defaultDataFolder } from "../../src/history/conversation-files.ts";
import { addTurn, storeIn, temporaryFolder } from "./stores.ts";

it("is below XDG_DATA_HOME, or else ~/.local/share; a relative one is ignored", () => {
  expect(defaultDataFolder({ XDG_DATA_HOME: "/data", HOME: "/home/me" })).toBe("/data/hawser/conversations");
  expect(defaultDataFolder({ HOME: "/home/me" })).toBe("/home/me/.local/share/hawser/conversations");
  expect(defaultDataFolder({ XDG_DATA_HOME: "data", HOME: "/home/me" })).toBe("/home/me/.local/share/hawser/conversations");
  expect(defaultDataFolder({})).toBe(join(homedir(), ".local/share/hawser/conversations"));
});

it("a folder that is open to others is closed to them, with a notice", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const { store, notices } = storeIn(folder);
  await store.list();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(notices).toEqual([expect.stringContaining(folder)]);
});

it("SEC a link in place of the folder is refused, and nothing is written where it leads", async () => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, "elsewhere"));
  symlinkSync(join(parent, "elsewhere"), join(parent, "store"));
  const { store } = storeIn(join(parent, "store"));
  await expect(addTurn(store, "one", "x")).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("link") as string });
  expect(readdirSync(join(parent, "elsewhere"))).toEqual([]);
});

it("SEC a folder of another user is refused", async () => {
  // Only root can give one away; for everybody else the system's own folders are another user's.
  const isRoot = process.getuid?.() === 0;
  const folder = isRoot ? temporaryFolder() : "/usr";
  if (isRoot) chownSync(folder, 54_321, 54_321);
  await expect(storeIn(folder).store.list()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("another user") as string,
  });
});

it("RUN-07 a folder that can't be made is an error that says so, soon, and not for ever", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  for (const folder of ["/proc/self/nothing/below", join(file, "below"), file]) {
    await expect(storeIn(folder).store.open("one")).rejects.toMatchObject({ message: expect.stringContaining(folder) as string });
  }
});

it("a folder that could not be made is tried again by the next one who needs it", async () => {
  const parent = temporaryFolder();
  writeFileSync(join(parent, "a"), "");
  const { store } = storeIn(join(parent, "b", "c"));
  symlinkSync(join(parent, "nowhere"), join(parent, "b"));
  await expect(store.list()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/; name another one with --data-dir, or go without a history with --no-history$/) as string,
  });
  mkdirSync(join(parent, "nowhere"));
  await expect(store.list()).resolves.toEqual([]);
});
