// Carries a planned revert out. Every file is replaced, made or removed in one step, so it is whole at every moment, the old one or the
// new one. Right before that step the file is read through its descriptor: unless it is what was planned for, it is a conflict and stays.
// All of it goes through the descriptors of the folders, inside the roots, and leaves the agent's settings alone.

import { linkSync, lstatSync, renameSync, rmdirSync, unlinkSync, type Stats } from "node:fs";
import { chmod, constants, lstat, mkdir, open, readlink, rm, symlink } from "node:fs/promises";
import { HawserError } from "@hawser/protocol";
import { toDraftName } from "../tools/files/draft-name.ts";
import { codeOf, toFileError } from "../tools/files/file-errors.ts";
import { openFolder, openSubfolder, type Folder } from "../tools/files/open-inside.ts";
import type { Roots } from "../tools/files/roots.ts";
import { refuseSettings } from "../tools/files/settings-files.ts";
import { ancestorsOf, isKept, isSame, toName, toUnkeptId, unkeptReason, type State } from "./thread/entry.ts";
import { idOf } from "./thread/contents.ts";
import type { Conflict, PlannedChange } from "./thread/revert-plan.ts";
import { realText, showKey } from "./shown-path.ts";

export interface RevertTools {
  readonly roots: Roots;
  readonly root: string;
  /** Of the revert: it names what is in the making. */
  readonly id: string;
  /** Undefined when it is lost. */
  content(id: string): Promise<Uint8Array | undefined>;
}

type Act = (change: PlannedChange) => Promise<void>;

/** Returns what was left as it is, and why. Throws for nothing that is about one file. */
export async function revertFiles(changes: readonly PlannedChange[], tools: RevertTools): Promise<Conflict[]> {
  const conflicts = new Map<string, string>();
  const inOrder = changes.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const pass = async (list: readonly PlannedChange[], act: Act): Promise<void> => {
    for (const change of list) {
      if (conflicts.has(change.key)) continue;
      try {
        refuseSettings(tools.roots, realText(tools.root, change.key));
        await act(change);
      } catch (error) {
        if (!(change.isImplied && isExpected(error))) conflicts.set(change.key, describe(error, tools, change));
      }
    }
  };
  const isFolder = (state: State | undefined): boolean => state?.kind === "folder";
  // What stays a file or a link is replaced in one step.
  const goes = ({ before, after }: PlannedChange): boolean => before !== undefined && (!after || isFolder(before) !== isFolder(after));
  const comes = ({ before, after }: PlannedChange): boolean => after !== undefined && (!before || isFolder(before) !== isFolder(after));
  const opensUp = ({ before, after }: PlannedChange): boolean => isFolder(before) && ((after?.mode ?? 0) & 0o300) === 0o300;
  const outermostLast = inOrder.toReversed();
  await pass(
    inOrder.filter((change) => isFolder(change.after) && opensUp(change)),
    (change) => setFolderMode(change, tools),
  );
  await pass(
    outermostLast.filter((change) => goes(change) && !isFolder(change.before)),
    (change) => remove(change, tools),
  );
  await pass(
    outermostLast.filter((change) => goes(change) && isFolder(change.before)),
    (change) => removeFolder(change, tools),
  );
  await pass(
    inOrder.filter((change) => comes(change) && isFolder(change.after)),
    (change) => makeFolder(change, tools),
  );
  await pass(
    inOrder.filter(({ after }) => after !== undefined && after.kind !== "folder"),
    (change) => put(change, tools),
  );
  // Last, and from the inside: a folder that may not be written can take nothing.
  await pass(
    outermostLast.filter((change) => isFolder(change.after) && !opensUp(change)),
    (change) => setFolderMode(change, tools),
  );
  return Array.from(conflicts, ([key, reason]) => ({ key, reason }));
}

const conflict = (reason: string): HawserError => new HawserError("tool_failed", reason, { facts: { isConflict: true } });

const isConflict = (error: unknown): error is HawserError => HawserError.isInstance(error) && error.facts["isConflict"] === true;

const changedSince = (): HawserError => conflict("it was changed by something else just now");

/** A folder that came along stays when something else is in it. */
const isExpected = (error: unknown): boolean => ["ENOTEMPTY", "EEXIST"].includes(codeOf(error)) || isConflict(error);

function describe(error: unknown, { roots, root }: RevertTools, { key }: PlannedChange): string {
  if (isConflict(error)) return error.message;
  const code = codeOf(error);
  if (code === "ENOTEMPTY" || code === "EEXIST") return "something else is there now";
  if (code === "ENOENT" || code === "ENOTDIR") return "its folder is no longer there";
  return toFileError(error, showKey(roots, root, key)).message;
}

interface Found {
  readonly state: State;
  readonly stats: Stats;
}

interface Spot extends AsyncDisposable {
  readonly folder: Folder;
  /** What system calls take for it. */
  readonly path: string | Buffer;
}

async function openSpot({ roots, root }: RevertTools, key: string): Promise<Spot> {
  let folder = await openFolder(roots, root);
  for (const above of ancestorsOf(key)) folder = await openSubfolder(roots, folder, toName(lastOf(above)));
  const name = toName(lastOf(key));
  return { folder, path: folder.entryOf(name), [Symbol.asyncDispose]: () => folder.close() };
}

const lastOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** What is there, by its descriptor where it has a content. `like`: what is expected, which says how it can be known. */
async function find(path: string | Buffer, like: State | undefined): Promise<Found | undefined> {
  const listed = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!listed) return undefined;
  const mode = listed.mode & 0o7777;
  if (listed.isDirectory()) return { state: { kind: "folder", mode, id: "", size: 0 }, stats: listed };
  if (listed.isSymbolicLink()) {
    const id = idOf(await readlink(path, { encoding: "buffer" }));
    return { state: { kind: "link", mode: 0, id, size: listed.size }, stats: listed };
  }
  if (!listed.isFile()) throw changedSince();
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  // One that may not be read is known by its signs.
  if (like && !isKept(like))
    return { state: { kind: "file", mode, id: toUnkeptId(unkeptReason(like), listed), size: listed.size }, stats: listed };
  await using file = await open(path, flags);
  const stats = await file.stat();
  if (like && stats.size !== like.size) throw changedSince();
  return { state: { kind: "file", mode: stats.mode & 0o7777, id: idOf(await file.readFile()), size: stats.size }, stats };
}

/** Throws unless it is still what was found. Nothing may come between this and the step itself. */
function holdTo(path: string | Buffer, found: Found | undefined): void {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (!now || !found) {
    if (now || found) throw changedSince();
    return;
  }
  const { stats } = found;
  const isUnchanged =
    now.ino === stats.ino &&
    now.dev === stats.dev &&
    now.size === stats.size &&
    now.mtimeMs === stats.mtimeMs &&
    now.ctimeMs === stats.ctimeMs;
  if (!isUnchanged) throw changedSince();
}

async function expect(spot: Spot, state: State | undefined): Promise<Found | undefined> {
  const found = await find(spot.path, state);
  if (!isSame(found?.state, state)) throw changedSince();
  return found;
}

async function remove({ key, before }: PlannedChange, tools: RevertTools): Promise<void> {
  await using spot = await openSpot(tools, key);
  const found = await expect(spot, before);
  await spot.folder.checkPlace();
  holdTo(spot.path, found);
  unlinkSync(spot.path);
}

async function removeFolder({ key }: PlannedChange, tools: RevertTools): Promise<void> {
  await using spot = await openSpot(tools, key);
  await spot.folder.checkPlace();
  rmdirSync(spot.path);
}

async function makeFolder({ key }: PlannedChange, tools: RevertTools): Promise<void> {
  await using spot = await openSpot(tools, key);
  await spot.folder.checkPlace();
  await mkdir(spot.path, 0o700);
}

async function setFolderMode({ key, before, after }: PlannedChange, tools: RevertTools): Promise<void> {
  if (!after) return;
  await using spot = await openSpot(tools, key);
  await using folder = await openSubfolder(tools.roots, spot.folder, toName(lastOf(key)), "keep");
  const { mode } = await lstat(spot.path);
  if (before?.kind === "folder" && (mode & 0o7777) !== before.mode) throw changedSince();
  await chmod(folder.entry(), after.mode);
}

async function put({ key, before, after }: PlannedChange, tools: RevertTools): Promise<void> {
  if (!after) return;
  await using spot = await openSpot(tools, key);
  // What was of another kind has been removed by now.
  const expected = before?.kind === "folder" ? undefined : before;
  if (expected && expected.kind === after.kind && expected.id === after.id && !isKept(after)) return setMode(spot, expected, after);
  const content = await tools.content(after.id);
  if (!content) throw conflict("its earlier content can't be read any more");
  const draft = spot.folder.entry(toDraftName(tools.id));
  try {
    await writeDraft(draft, content, after);
    const found = await expect(spot, expected);
    if (found) await takeOwner(draft, found.stats);
    await spot.folder.checkPlace();
    publish(draft, spot.path, found);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The content is the same, and not kept. */
async function setMode(spot: Spot, before: State, after: State): Promise<void> {
  const found = await expect(spot, before);
  await using file = await open(spot.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  holdTo(spot.path, found);
  await file.chmod(after.mode);
}

async function writeDraft(draft: string, content: Uint8Array, { kind, mode }: State): Promise<void> {
  if (kind === "link") return symlink(Buffer.from(content), draft);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await using file = await open(draft, flags, 0o600);
  await file.writeFile(content);
  await file.chmod(mode);
  await file.sync();
}

/** Only an administrator may give a file to others; anyone else's copy is his own. */
async function takeOwner(draft: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await lstat(draft);
  if (!own.isFile() || (own.uid === uid && own.gid === gid)) return;
  await using file = await open(draft, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => undefined);
  await file?.chown(uid, gid).catch(() => {});
  // A change of the owner takes these bits away.
  if ((mode & 0o6000) !== 0) await file?.chmod(own.mode & 0o7777).catch(() => {});
}

const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function publish(draft: string, path: string | Buffer, found: Found | undefined): void {
  if (!found) {
    try {
      // Fails when another program has made it meanwhile.
      return linkSync(draft, path);
    } catch (error) {
      if (!withoutLinks.has(codeOf(error))) throw error;
    }
  }
  holdTo(path, found);
  renameSync(draft, path);
}
