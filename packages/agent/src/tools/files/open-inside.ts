// The only way to open anything for a tool. First the text of the path is judged, then links are resolved without
// opening anything, then the real path is walked from its root, each step without following a link, and what was opened
// is judged again by its descriptor. A pipe or a device is never opened. On Linux each step starts at the descriptor of
// the step before (/proc/self/fd/N/name), so a folder swapped for a link in between leads nowhere. Elsewhere the real
// path is opened, and its identity compared before and after; a swap back and forth in between may go unseen for
// reading. With a permit, what was opened must also be what was decided about (permit.ts).

import { constants, fstatSync, readlinkSync, type Stats } from "node:fs";
import { lstat, open, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { codeOf, fileError, toFileError } from "./file-errors.ts";
import { holdToPermit, type Identity, type Permit, type Target } from "./permit.ts";
import { outside, type Roots } from "./roots.ts";

/** A folder that was walked to: what is opened, made or renamed through `entry` lies in it. */
export interface Folder extends AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  /** What system calls take for an entry of it; for the folder itself without a name. */
  entry(name?: string): string;
  /** The same for a name that may be bytes, where it is not UTF-8. */
  entryOf(name: string | Buffer): string | Buffer;
  identity(): Promise<Identity>;
  /** Throws when it is no longer at its path. */
  checkPlace(): Promise<void>;
  /** It stays open until this, too, is closed. */
  share(): Folder;
  close(): Promise<void>;
}

/** Disposing of it closes `handle`. */
export interface OpenedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Its real path. */
  readonly path: string;
  /** The same for people and models. */
  readonly shown: string;
  readonly stats: Stats;
}

/** What exists of a path, resolved, and the names that are not there yet. */
export type RealTarget = Omit<Target, "identity">;

// Not in Node's table; the number is the same on every architecture of Linux that Node has.
const pathOnly = process.platform === "linux" ? 0o10000000 : 0;
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0) | pathOnly;
// A pipe that is put there in between must not hang us, nor a terminal become ours.
const carefulFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a regular file for reading, or throws a HawserError that says why not. The caller closes `handle`. */
export async function openInside(roots: Roots, path: string, permit?: Permit): Promise<OpenedFile> {
  const real = await resolveExisting(roots, path);
  if (roots.rootOf(real) === real) throw fileError(roots.show(real), "is a folder; give a file");
  await using folder = await openFolder(roots, dirname(real));
  return await openEntry(roots, folder, basename(real), { flags: constants.O_RDONLY, permit });
}

export interface EntryOptions {
  readonly flags: number;
  readonly permit?: Permit | undefined;
  /** The folder's list has just named it as a regular file. */
  readonly isListed?: boolean | undefined;
}

/** Opens a regular file of an open folder, without following a link. */
export async function openEntry(roots: Roots, folder: Folder, name: string, options: EntryOptions): Promise<OpenedFile> {
  const path = join(folder.path, name);
  const shown = roots.show(path);
  try {
    // Looked at first: the opening of a device alone may do something.
    if (options.isListed !== true) checkRegular(await lstat(folder.entry(name)), shown);
    const handle = await open(folder.entry(name), options.flags | carefulFlags);
    try {
      // In a search of thousands of files each wait counts; what was opened a moment ago is known without one.
      const stats = options.isListed === true ? fstatSync(handle.fd) : await handle.stat();
      checkRegular(stats, shown);
      await checkPlace(roots, handle, { path, isRemoved: stats.nlink === 0 });
      if (options.permit)
        holdToPermit(roots, options.permit, { existing: path, identity: await handle.stat({ bigint: true }), missing: [] });
      return { handle, path, shown, stats, [Symbol.asyncDispose]: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw toFileError(error, shown);
  }
}

/** Opens the folder that a path means, as far as that was decided about. */
export async function openFolderInside(roots: Roots, path: string, permit?: Permit): Promise<Folder> {
  const folder = await openFolder(roots, await resolveExisting(roots, path));
  try {
    if (permit) holdToPermit(roots, permit, { existing: folder.path, identity: await folder.identity(), missing: [] });
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Walks to a folder by its real path. */
export async function openFolder(roots: Roots, real: string): Promise<Folder> {
  const root = roots.rootOf(real);
  if (root === undefined) throw outside(real, roots.paths[0]);
  try {
    let folder = await openStep(roots, root, root);
    for (const name of relative(root, real).split(sep).filter(Boolean)) folder = await openSubfolder(roots, folder, name);
    return folder;
  } catch (error) {
    throw toFileError(error, roots.show(real));
  }
}

/** Steps into a folder of a folder; the outer one is closed unless it is kept. */
export async function openSubfolder(
  roots: Roots,
  folder: Folder,
  name: string | Buffer,
  keeps: "keep" | "close" = "close",
): Promise<Folder> {
  try {
    return await openStep(roots, folder.entryOf(name), join(folder.path, name.toString()));
  } finally {
    if (keeps === "close") await folder.close();
  }
}

async function openStep(roots: Roots, at: string | Buffer, path: string): Promise<Folder> {
  if (!roots.hasDescriptorPaths) return openNamedFolder(roots, path);
  const handle = await open(at, folderFlags);
  try {
    await checkPlace(roots, handle, { path });
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = `/proc/self/fd/${handle.fd}`;
  let holders = 0;
  const hold = (): Folder => {
    holders++;
    const close = async (): Promise<void> => {
      if (--holders === 0) await handle.close();
    };
    return {
      path,
      entry: (name) => (name === undefined ? base : `${base}/${name}`),
      entryOf: (name) => joinName(base, name),
      identity: () => handle.stat({ bigint: true }),
      checkPlace: () => checkPlace(roots, handle, { path }),
      share: hold,
      close,
      [Symbol.asyncDispose]: close,
    };
  };
  return hold();
}

const joinName = (base: string, name: string | Buffer): string | Buffer =>
  typeof name === "string" ? join(base, name) : Buffer.concat([Buffer.from(`${base}/`), name]);

/** Where descriptors have no paths: the folder is known by its name alone, which is looked at again each time. */
async function openNamedFolder(roots: Roots, path: string): Promise<Folder> {
  const check = async (): Promise<void> => {
    const stats = await lstat(path);
    if (!stats.isDirectory() || (await realpath(path)) !== path)
      throw fileError(roots.show(path), "is not a folder, or was moved just now");
  };
  await check();
  const folder: Folder = {
    path,
    entry: (name) => (name === undefined ? path : join(path, name)),
    entryOf: (name) => joinName(path, name),
    identity: () => lstat(path, { bigint: true }),
    checkPlace: check,
    share: () => folder,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  return folder;
}

/** The proof: the opened thing really is where it was looked for. A file may have been removed since. */
async function checkPlace(
  roots: Roots,
  handle: FileHandle,
  { path, isRemoved = false }: { path: string; isRemoved?: boolean },
): Promise<void> {
  if (roots.hasDescriptorPaths) {
    // The kernel answers this from its memory: no disk is waited for.
    const place = readlinkSync(`/proc/self/fd/${handle.fd}`);
    if (place === path || (isRemoved && place === `${path} (deleted)`)) return;
    if (roots.rootOf(place) === undefined) throw outside(roots.show(path), roots.paths[0]);
    throw fileError(roots.show(path), "was moved just now, or has another name; use the names that list_files shows");
  }
  const [opened, named, real] = [await handle.stat(), await lstat(path), await realpath(path)];
  if (opened.dev !== named.dev || opened.ino !== named.ino || real !== path) throw outside(roots.show(path), roots.paths[0]);
}

function checkRegular(stats: Stats, shown: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw fileError(shown, "is a folder; give a file");
  if (stats.isSymbolicLink()) throw fileError(shown, "is a link; use the path that it stands for");
  throw fileError(shown, "is not a regular file (a pipe, a socket or a device) and is left alone");
}

/** The real path of what must be there. */
export async function resolveExisting(roots: Roots, path: string): Promise<string> {
  const { existing, missing } = await resolveInside(roots, path);
  if (missing.length === 0) return existing;
  throw fileError(roots.show(join(existing, ...missing)), "does not exist; use list_files to see what is there");
}

/** Resolves links without opening anything. Throws when a link leads out of the roots, or nowhere. */
export async function resolveInside(roots: Roots, path: string): Promise<RealTarget> {
  const wanted = roots.locate(path);
  const missing: string[] = [];
  for (let at = wanted; ; at = dirname(at)) {
    const existing = await realOrMissing(roots, at);
    if (existing !== undefined) {
      if (roots.rootOf(existing) === undefined) throw outside(path, roots.paths[0]);
      return { existing, missing };
    }
    if (roots.paths.includes(at)) throw fileError(at, "is the root folder, and is gone");
    missing.unshift(basename(at));
  }
}

async function realOrMissing(roots: Roots, path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw toFileError(error, roots.show(path));
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) throw fileError(roots.show(path), "is a link that leads nowhere; use another name");
  return undefined;
}
