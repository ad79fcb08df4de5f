// By which signs a file counts as unchanged: size, times and inode number, unless it was changed shortly before it was looked at.

import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createContents } from "../../src/changes/thread/contents.ts";
import { lookAt } from "../../src/changes/thread/look.ts";
import { newFolder } from "./undo-stage.ts";

function openLook() {
  const folder = newFolder();
  const path = join(folder, "a.txt");
  writeFileSync(path, "aaaa");
  const contents = createContents(folder, 1_000_000);
  return { path, look: (known?: ReturnType<typeof lookAt>) => lookAt(path, known, { contents, maxFileBytes: 1_000 }) };
}

test("a file with the same signs is the one that is known, and is not read again", () => {
  const { look } = openLook();
  const known = { ...look()!, isFresh: false, id: "of another content" };
  expect(look(known)).toBe(known);
});

test("a file that was changed shortly before it was looked at is read again, whatever its signs say", () => {
  const { look } = openLook();
  const seen = look()!;
  expect(seen.isFresh).toBe(true);
  expect(look({ ...seen, id: "of another content" })?.id).toBe(seen.id);
});

test("a file that is read again once it is old enough is known by its signs from then on", () => {
  const { look } = openLook();
  const first = look()!;
  vi.setSystemTime(Date.now() + 3_600_000);
  const settled = look(first)!;
  vi.useRealTimers();
  expect(settled.isFresh).toBe(false);
  expect(look(settled)).toBe(settled);
});

test("a content of the same size under the same time is seen by the time of the change itself", () => {
  const { path, look } = openLook();
  const known = look()!;
  writeFileSync(path, "bbbb");
  const { mtimeMs, ctimeMs, ino } = statSync(path);
  const looksSame = { ...known, isFresh: false, mtimeMs, ino };
  expect(look({ ...looksSame, ctimeMs })?.id).toBe(known.id);
  expect(look({ ...looksSame, ctimeMs: ctimeMs - 1 })?.id).not.toBe(known.id);
});
