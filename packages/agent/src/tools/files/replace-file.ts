// Writes a file whole: a draft in the same folder, then a rename. A reader sees the old content or the new one, also
// when the disk is full or the process is killed. Mode and owner stay. A second name of the file (a hard link) keeps the
// old content, since it may lie outside of the roots. All of it goes through the folder's descriptor. A file that was
// not there is published by a link, which fails when another process has made it meanwhile.

import { constants, type Stats } from "node:fs";
import { link, lstat, mkdir, open, opendir, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { agentLimits } from "../../limits.ts";
import { isDraft, toDraftName } from "./draft-name.ts";
import { codeOf, fileError, toFileError } from "./file-errors.ts";
import { openEntry, openFolder, openSubfolder, resolveInside, type Folder, type RealTarget } from "./open-inside.ts";
import { holdToPermit, type Permit } from "./permit.ts";
import type { Roots } from "./roots.ts";
import { refuseSettings } from "./settings-files.ts";

/** Tools that change files run one after the other: none works on what another is about to replace. */
export const changesFiles = "files";

export interface Replacement {
  readonly text: string;
  readonly signal: AbortSignal;
  /** What the new content was made from; if the file is another one by now, nothing is written. */
  readonly madeFrom?: Stats | undefined;
  readonly permit?: Permit | undefined;
}

/** The file that will be there: where, and what is there now. */
interface Place {
  readonly folder: Folder;
  readonly name: string;
  readonly old: Stats | undefined;
}

export async function replaceFile(roots: Roots, path: string, replacement: Replacement) {
  const content = toBytes(replacement.text);
  const place = await openPlace(roots, path, replacement.permit);
  await using folder = place.folder;
  const { name, old } = place;
  const shown = roots.show(join(folder.path, name));
  try {
    if (replacement.madeFrom && !isUnchanged(replacement.madeFrom, old)) throw changedMeanwhile(shown);
    await sweepDrafts(folder);
    const draft = folder.entry(toDraftName());
    try {
      await writeDraft(draft, content, old);
      replacement.signal.throwIfAborted();
      await folder.checkPlace();
      await publish(draft, place, shown);
    } finally {
      await rm(draft, { force: true });
    }
    return { shown, bytes: content.length, isNew: old === undefined };
  } catch (error) {
    if (replacement.signal.aborted) throw error;
    throw toFileError(error, shown);
  }
}

async function publish(draft: string, { folder, name, old }: Place, shown: string): Promise<void> {
  const target = folder.entry(name);
  if (!old && (await linkNew(draft, target, shown))) return;
  if (!isUnchanged(old, await lstat(target).catch(() => undefined))) throw changedMeanwhile(shown);
  await rename(draft, target);
}

const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** False where the file system has no hard links. */
async function linkNew(draft: string, target: string, shown: string): Promise<boolean> {
  try {
    await link(draft, target);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw changedMeanwhile(shown);
    if (withoutLinks.has(codeOf(error))) return false;
    throw error;
  }
}

/** Text as it goes to disk: nothing is replaced in silence. */
function toBytes(text: string): Buffer {
  if (!text.isWellFormed()) {
    throw new HawserError("invalid_arguments", "the text contains half a character (a lone surrogate); send well-formed text");
  }
  const bytes = Buffer.from(text);
  if (bytes.length <= agentLimits.writtenFileBytes) return bytes;
  throw new HawserError("invalid_arguments", `${bytes.length} bytes; a file of at most ${agentLimits.writtenFileBytes} can be written`);
}

async function openPlace(roots: Roots, path: string, permit: Permit | undefined): Promise<Place> {
  const { existing, missing } = await resolveInside(roots, path);
  refuseSettings(roots, join(existing, ...missing));
  const name = missing.at(-1);
  if (name !== undefined) return { folder: await openNewParent(roots, { existing, missing }, permit), name, old: undefined };
  if (roots.rootOf(existing) === existing) throw fileError(roots.show(existing), "is a folder; give a file");
  const folder = await openFolder(roots, dirname(existing));
  try {
    // Opened for writing, so that a file which may not be written is not replaced either.
    const { handle, stats } = await openEntry(roots, folder, basename(existing), { flags: constants.O_WRONLY, permit });
    await handle.close();
    return { folder, name: basename(existing), old: stats };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** The folder of a file that does not exist yet. Nothing is made before the folder that exists was held to the decision. */
async function openNewParent(roots: Roots, { existing, missing }: RealTarget, permit: Permit | undefined): Promise<Folder> {
  let folder = await openFolder(roots, existing);
  try {
    if (permit) holdToPermit(roots, permit, { existing, identity: await folder.identity(), missing });
    for (const part of missing.slice(0, -1)) {
      await mkdir(folder.entry(part)).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      const inner = await openSubfolder(roots, folder, part, "keep");
      await folder.close();
      folder = inner;
    }
    return folder;
  } catch (error) {
    await folder.close();
    throw toFileError(error, roots.show(join(existing, ...missing)));
  }
}

async function writeDraft(path: string, content: Uint8Array, old: Stats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(path, flags, old ? 0o600 : 0o666);
  await handle.writeFile(content);
  if (old) await takeOver(handle, old);
  await handle.sync();
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

const changedMeanwhile = (shown: string): Error =>
  fileError(shown, "was changed by another program just now; read it again, then try again");

/** Never fails: what can't be removed stays. */
async function sweepDrafts(folder: Folder): Promise<void> {
  try {
    let looked = 0;
    for await (const { name } of await opendir(folder.entry())) {
      const path = folder.entry(name);
      const stats = isDraft(name) ? await lstat(path) : undefined;
      if (stats?.isFile() && Date.now() - stats.mtimeMs > wireLimits.staleSchemaMs) await rm(path, { force: true });
      if (++looked >= wireLimits.maxSweptEntries) return;
    }
  } catch {
    // A folder that may be written but not read keeps its leftovers.
  }
}
