// Folders for configuration and cache: made private with all that lead to them, and where none can be made
// that is said, at once and by name.

import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeConfig, saveConfig } from "../../src/config/config-file.ts";
import { makeFolder } from "../../src/config/make-folder.ts";
import { loadIndexFile } from "../../src/openapi/load-file.ts";
import { freshHome } from "../core-fixture.ts";
import { documentOf } from "../openapi/documents.ts";

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
});

describe.runIf(existsSync("/proc/self"))("a home below /proc", () => {
  const env = { HOME: "/proc/self" };

  it("is refused as a place of the configuration, and does not hang", { timeout: 10_000 }, async () => {
    const refusal = "folder of the configuration file /proc/self/.config/igw/config.json can't be made (ENOENT)";
    await expect(changeConfig((config) => config, env)).rejects.toMatchObject({ message: refusal, facts: { kind: "config" } });
    await expect(saveConfig({}, env)).rejects.toMatchObject({ message: refusal });
  });

  it("is no place for a cache, and the document is read without one", { timeout: 10_000 }, async () => {
    const path = join(freshHome(), "api.json");
    writeFileSync(path, documentOf({ "/a": { get: { operationId: "a" } } }));
    expect((await loadIndexFile(path, env))?.operations).toHaveLength(1);
  });
});
