// Which folders are roots, and what a path means in them.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkDefaultRoot, createRoots } from "../../src/tools/files/roots.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-roots-")));
  for (const name of ["one", "two", "home"]) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("createRoots", () => {
  it("takes a path relative to the first root, or absolute in any of them", async () => {
    const roots = await createRoots([join(base, "one"), join(base, "two")]);
    expect(roots.locate("a/../b.txt")).toBe(join(base, "one/b.txt"));
    expect(roots.locate(join(base, "two/c.txt"))).toBe(join(base, "two/c.txt"));
    expect(roots.show(join(base, "one/a/b"))).toBe("a/b");
    expect(roots.show(join(base, "two/c"))).toBe(join(base, "two/c"));
    // The last one begins as a root does.
    for (const path of ["../three/x", join(base, "three"), join(base, "one-evil/x")]) {
      expect(() => roots.locate(path)).toThrow("outside of the allowed folders");
    }
  });

  it("FSX-03: a root may be a link; paths through the link and real ones mean the same", async () => {
    symlinkSync(join(base, "one"), join(base, "link"));
    const roots = await createRoots([join(base, "link")]);
    expect(roots.paths).toEqual([join(base, "one")]);
    expect(roots.locate(join(base, "link/a.txt"))).toBe(join(base, "one/a.txt"));
    expect(roots.locate(join(base, "one/a.txt"))).toBe(join(base, "one/a.txt"));
  });

  it("refuses a root that does not exist, is a file, or none at all", async () => {
    writeFileSync(join(base, "file"), "");
    await expect(createRoots([join(base, "missing")])).rejects.toMatchObject({ code: "usage" });
    await expect(createRoots([join(base, "file")])).rejects.toThrow("is not a folder");
    await expect(createRoots([])).rejects.toThrow("--root");
  });

  it("refuses text that is no path", async () => {
    const roots = await createRoots([base]);
    for (const path of ["", "a\0b", "\ud800", "x".repeat(4_097)]) expect(() => roots.locate(path)).toThrow("this path");
  });
});

describe("checkDefaultRoot", () => {
  it("refuses the top of the file system, the home folder, what holds it, and a link to it", () => {
    const home = join(base, "home");
    symlinkSync(home, join(base, "shortcut"));
    for (const path of ["/", home, base, join(base, "shortcut")]) expect(() => checkDefaultRoot(path, home)).toThrow("--root");
  });

  it("takes a folder in the home folder or beside it", () => {
    const home = join(base, "home");
    mkdirSync(join(home, "project"));
    for (const path of [join(home, "project"), join(base, "one")]) expect(() => checkDefaultRoot(path, home)).not.toThrow();
  });
});
