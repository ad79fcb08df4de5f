// The folder of indexes and fetched documents: `${XDG_CACHE_HOME:-~/.cache}/hawser/openapi`, for its
// owner alone. Files appear whole or not at all, and old ones go. Where the folder can't be used
// there is no cache, and nobody is told: everything works without it, only slower.

import { chmod, lstat, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "@hawser/wire";
import { makeFolder, userFolder } from "@hawser/wire/node";
import type { Environment } from "../config/config-file.ts";
import { hashOf } from "./document-file.ts";

const staleTemporaryMs = 3_600_000;
const ownName = /^[0-9a-f]{32}\.(?:index|document)(?:\.\d+-[0-9a-z]+\.new)?$/;

const cacheFolderOf = (env: Environment): string => join(userFolder("cache", env), "hawser", "openapi");

export function cacheFileOf(env: Environment, kind: "index" | "document", key: string): string {
  return join(cacheFolderOf(env), `${hashOf(key).slice(0, 32)}.${kind}`);
}

/** Whether the file may be believed: it and its folder are ours, and nobody else can write to them. */
export async function isPrivate(path: string): Promise<boolean> {
  if (process.getuid === undefined) return true;
  const owner = process.getuid();
  try {
    const both = await Promise.all([lstat(path), lstat(join(path, ".."))]);
    return both.every((found) => found.uid === owner && (found.mode & 0o022) === 0 && !found.isSymbolicLink());
  } catch {
    return false;
  }
}

/** Writes a file of the cache whole. False where that is not possible. */
export async function writeCacheFile(path: string, content: readonly Buffer[]): Promise<boolean> {
  const folder = join(path, "..");
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`;
  try {
    await makeFolder(folder);
    await chmod(folder, 0o700);
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
    return false;
  }
  await removeOld(folder, path).catch(() => undefined);
  return true;
}

async function removeOld(folder: string, kept: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ownName.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      return { path, isTemporary: name.endsWith(".new"), bytes: found?.size ?? 0, changedMs: found?.mtimeMs ?? 0 };
    }),
  );
  let count = 0;
  let bytes = 0;
  for (const file of files.sort((one, other) => other.changedMs - one.changedMs)) {
    if (file.isTemporary) {
      if (Date.now() - file.changedMs > staleTemporaryMs) await rm(file.path, { force: true });
      continue;
    }
    count += 1;
    bytes += file.bytes;
    const isOver = count > limits.maxCachedEntries || bytes > limits.maxCacheBytes;
    if (isOver && file.path !== kept) await rm(file.path, { force: true });
  }
}
