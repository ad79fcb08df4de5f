// Writes a file whole: a draft in the same folder, then a rename. Whoever reads sees the old content or
// the new one, also when the disk is full or the process is killed. Mode and owner stay. A file with a
// second name (a hard link) is not changed under that name: it keeps the old content, since that name may
// lie outside of the roots. Missing folders are made. All of it through the folder's descriptor.

import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HawserError, limits } from "@hawser/wire";
import { draftName, sweepDrafts } from "./drafts.ts";
import { codeOf, fileError, toFileError } from "./file-errors.ts";
import { openEntry, openFolder, openSubfolder, resolveInside, type Folder } from "./open-inside.ts";
import type { Roots } from "./roots.ts";

/** Tools that change files run one after the other: none works on what another is about to replace. */
export const changesFiles = "files";

export interface Replacement {
  readonly text: string;
  readonly signal: AbortSignal;
  /** What the new content was made from; if the file is another one by now, nothing is written. */
  readonly madeFrom?: Stats | undefined;
}

export interface Replaced {
  readonly shown: string;
  readonly bytes: number;
  readonly isNew: boolean;
}

export async function replaceFile(roots: Roots, path: string, replacement: Replacement): Promise<Replaced> {
  const content = toBytes(replacement.text);
  const { folder, name } = await openParent(roots, path);
  const shown = roots.show(join(folder.path, name));
  try {
    const old = await oldStats(roots, folder, name);
    if (replacement.madeFrom && !isUnchanged(replacement.madeFrom, old)) throw changedMeanwhile(shown);
    await sweepDrafts(folder);
    const draft = draftName();
    try {
      await writeDraft(folder.entry(draft), content, old);
      replacement.signal.throwIfAborted();
      if (!isUnchanged(old, await lstat(folder.entry(name)).catch(() => undefined))) throw changedMeanwhile(shown);
      await rename(folder.entry(draft), folder.entry(name));
    } catch (error) {
      await rm(folder.entry(draft), { force: true });
      throw error;
    }
    return { shown, bytes: content.length, isNew: old === undefined };
  } catch (error) {
    if (replacement.signal.aborted) throw error;
    throw toFileError(error, shown);
  } finally {
    await folder.close();
  }
}

/** Text as it goes to disk: nothing is replaced in silence. */
function toBytes(text: string): Buffer {
  if (!text.isWellFormed()) {
    throw new HawserError("invalid_arguments", "the text contains half a character (a lone surrogate); send well-formed text");
  }
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.writtenFileBytes) return bytes;
  throw new HawserError("invalid_arguments", `${bytes.length} bytes; a file of at most ${limits.writtenFileBytes} can be written`);
}

async function openParent(roots: Roots, path: string): Promise<{ folder: Folder; name: string }> {
  const { existing, missing } = await resolveInside(roots, path);
  const name = missing.at(-1);
  if (name === undefined) {
    if (roots.rootOf(existing) === existing) throw fileError(roots.show(existing), "is a folder; give a file");
    return { folder: await openFolder(roots, dirname(existing)), name: basename(existing) };
  }
  let folder = await openFolder(roots, existing);
  for (const part of missing.slice(0, -1)) {
    try {
      await mkdir(folder.entry(part)).catch(ignoreExisting);
      folder = await openSubfolder(roots, folder, part);
    } catch (error) {
      await folder.close().catch(() => {});
      throw toFileError(error, roots.show(join(folder.path, part)));
    }
  }
  return { folder, name };
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

/** Opened for writing, so that a file which may not be written is not replaced either. */
async function oldStats(roots: Roots, folder: Folder, name: string): Promise<Stats | undefined> {
  const found = await lstat(folder.entry(name)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return undefined;
  const { handle, stats } = await openEntry(roots, folder, name, constants.O_WRONLY);
  await handle.close();
  return stats;
}

async function writeDraft(path: string, content: Uint8Array, old: Stats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(content);
    if (old) await takeOver(handle, old);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function takeOver(handle: FileHandle, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only an administrator may give a file to others; anyone else's copy is his own.
  if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
  await handle.chmod(old.mode & 0o777);
}

function isUnchanged(before: Stats | undefined, now: Stats | undefined): boolean {
  if (!before || !now) return before === now;
  return before.dev === now.dev && before.ino === now.ino && before.mtimeMs === now.mtimeMs && before.size === now.size;
}

const changedMeanwhile = (shown: string): Error => fileError(shown, "was changed by somebody else just now; read it again, then try again");
