// What programs keep for a user: where it is, and how folders and files are made there.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeFolder, replacePrivateFile, userFolder } from "../../src/files/private-folder.ts";

function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), "hawser-user-files-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

describe("the folder of a user", () => {
  it("is the one that a variable names, where that is absolute, else the usual one below the home folder", () => {
    expect(userFolder("data", { XDG_DATA_HOME: "/x", HOME: "/h" })).toBe("/x");
    expect(userFolder("data", { XDG_DATA_HOME: "relative", HOME: "/h" })).toBe(join("/h", ".local", "share"));
    expect(userFolder("config", { HOME: "/h" })).toBe(join("/h", ".config"));
    expect(userFolder("cache", { HOME: "" })).toBe(join(homedir(), ".cache"));
  });
});

describe("a folder", () => {
  it("is made with those above it, for its owner alone, also by several at once", async () => {
    const home = freshHome();
    const path = join(home, "a", "b", "c");
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(home, "a", "b", "d"))]);
    await makeFolder(path);
    for (const folder of ["a", "a/b", "a/b/c", "a/b/d"]) expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700);
  });

  it("behind a link is made where the link leads", async () => {
    const home = freshHome();
    mkdirSync(join(home, "real"));
    symlinkSync(join(home, "real"), join(home, "link"));
    await makeFolder(join(home, "link", "x"));
    expect(statSync(join(home, "real", "x")).isDirectory()).toBe(true);
  });

  it("behind a file, or a link that leads nowhere, is refused", async () => {
    const home = freshHome();
    writeFileSync(join(home, "file"), "");
    symlinkSync(join(home, "nowhere"), join(home, "link"));
    await expect(makeFolder(join(home, "file", "x", "y"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolder(join(home, "link", "x", "y"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.runIf(existsSync("/proc/self"))("below /proc is refused, and does not hang", async () => {
    await expect(makeFolder("/proc/self/.config/hawser")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a file", () => {
  it("is replaced whole, for its owner alone, and a failure leaves nothing behind", async () => {
    const home = freshHome();
    const path = join(home, "a.json");
    writeFileSync(path, "old", { mode: 0o644 });
    await replacePrivateFile(path, "new");
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o600]);
    mkdirSync(join(home, "folder", "inner"), { recursive: true });
    await expect(replacePrivateFile(join(home, "folder"), "new")).rejects.toMatchObject({ code: "EISDIR" });
    expect(readdirSync(home).toSorted()).toEqual(["a.json", "folder"]);
  });
});
