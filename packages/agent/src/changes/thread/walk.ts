// Goes through a whole root and tells what differs from what is known of it. No link is followed: on Linux each folder is opened from the
// one above it (/proc/self/fd/N/name), so a folder that is swapped for a link leads nowhere. What is not looked into is told, and
// what is known below it counts as unchanged.

import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, type Dirent } from "node:fs";
import { isDraft } from "../../tools/files/draft-name.ts";
import { bytesForEntry } from "./effort.ts";
import { ancestorsOf, isKept, isSame, toName, toNameKey, unkeptReason, type Change, type Entry } from "./entry.ts";
import { isAlwaysIgnored, parseIgnoreFile, type IgnoreRules } from "./ignored-folders.ts";
import { isStill, lookAt, type LookOptions } from "./look.ts";
import type { Tree } from "./tree.ts";

export interface WalkOptions extends LookOptions {
  readonly root: string;
  readonly tree: Pick<Tree, "in" | "folders">;
  /** Our own files and folders; keys, the empty one for the root itself. */
  readonly settings: ReadonlySet<string>;
  /** What a running call of a tool is about to change; it is looked at when the call is over. Keys. */
  readonly busy: ReadonlySet<string>;
  readonly maxEntries: number;
  readonly maxDepth: number;
}

export interface Untracked {
  readonly key: string;
  readonly reason: string;
}

export interface Seen {
  readonly changes: Change[];
  /** Entries whose signs alone are new, with the same content. */
  readonly touched: Map<string, Entry>;
  readonly untracked: Untracked[];
}

interface Place {
  /** By its name: enough to see that nothing has changed, and takes half the time. */
  readonly path: string | Buffer;
  /** What system calls take for the folder. */
  readonly at: string | Buffer;
  /** Its key with `/` at the end; empty for the root. */
  readonly prefix: string;
  readonly depth: number;
  readonly rules: readonly { readonly prefix: string; readonly rules: IgnoreRules }[];
}

type Listed = readonly [nameKey: string, dirent: Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink">];

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const hasDescriptorPaths = process.platform === "linux" && existsSync("/proc/self/fd");
const ignoreFile = ".gitignore";

/** Throws when the root itself can't be read. */
export function walkRoot(options: WalkOptions): Seen {
  const { root, tree, settings, busy, maxEntries } = options;
  const result: Seen = { changes: [], touched: new Map(), untracked: [] };
  /** Folders whose names were read, and those that were not entered. Keys. */
  const listed = new Set<string>();
  const closed = new Set<string>();
  let reached = 0;
  let left = 0;
  if (settings.has("")) return { ...result, untracked: [{ key: "", reason: "it holds files of Hawser itself" }] };

  function close(key: string, reason: string): void {
    closed.add(key);
    result.untracked.push({ key: `${key}/`, reason });
  }

  function visit(place: Place, [nameKey, dirent]: Listed, known: Entry | undefined): void {
    const key = place.prefix + nameKey;
    reached++;
    options.meter?.spend(bytesForEntry);
    if (settings.size > 0 && settings.has(key)) return void closed.add(key);
    if ((busy.size > 0 && busy.has(key)) || isDraft(nameKey)) return;
    if (dirent.isDirectory()) {
      const reason = whyIgnored(place, nameKey, known !== undefined);
      if (reason !== undefined) return close(key, reason);
    }
    if (!known && reached > maxEntries) return void left++;
    const isKnown = known !== undefined && isStill(joinPath(place.path, nameKey), known);
    const entry = isKnown ? known : lookAt(joinPath(place.at, nameKey), known, options);
    if (entry !== known) noteChange(key, known, entry);
    if (!entry) return noteOther(key, dirent);
    if (entry.kind === "file" && !isKept(entry)) result.untracked.push({ key, reason: describeUnkept(entry, options.maxFileBytes) });
    if (entry.kind === "folder") enter(place, nameKey);
  }

  function noteChange(key: string, before: Entry | undefined, after: Entry | undefined): void {
    if (after && isSame(before, after)) result.touched.set(key, after);
    else result.changes.push({ key, before, after });
  }

  function noteOther(key: string, dirent: Listed[1]): void {
    if (!dirent.isFile() && !dirent.isDirectory() && !dirent.isSymbolicLink())
      result.untracked.push({ key, reason: "it is a pipe, a socket or a device" });
  }

  /** What is known in a folder and is not among these names. */
  function noteGone(prefix: string, known: ReadonlyMap<string, Entry>, names: ReadonlySet<string>): void {
    for (const [name, before] of known)
      if (!names.has(name) && !busy.has(prefix + name)) result.changes.push({ key: prefix + name, before, after: undefined });
  }

  function enter({ at, path: above, prefix, depth, rules }: Place, nameKey: string): void {
    const key = prefix + nameKey;
    if (depth >= options.maxDepth) return close(key, `it lies below more than ${options.maxDepth} folders`);
    let file: number | undefined;
    try {
      const path = joinPath(above, nameKey);
      file = hasDescriptorPaths ? openSync(joinPath(at, nameKey), folderFlags) : undefined;
      list(key, { at: file === undefined ? path : `/proc/self/fd/${file}`, path, prefix: `${key}/`, depth: depth + 1, rules });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Without a place for what it holds, the look as a whole has failed.
      if (code === undefined || code === "ENOSPC" || code === "EDQUOT") throw error;
      close(key, `it can't be read (${code})`);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  function list(key: string, place: Place): void {
    const names = listNames(place.at);
    listed.add(key);
    const own = names.some(([name, dirent]) => name === ignoreFile && dirent.isFile()) ? readRules(place.at) : undefined;
    const inner = own ? { ...place, rules: [...place.rules, { prefix: place.prefix, rules: own }] } : place;
    const known = tree.in(key);
    let met = 0;
    for (const one of names) {
      const entry = known?.get(one[0]);
      if (entry) met++;
      visit(inner, one, entry);
    }
    if (known && met < known.size) noteGone(place.prefix, known, new Set(names.map(([name]) => name)));
  }

  list("", { at: root, path: root, prefix: "", depth: 0, rules: [] });
  for (const folder of tree.folders()) {
    if (listed.has(folder) || closed.has(folder) || ancestorsOf(folder).some((above) => closed.has(above))) continue;
    noteGone(`${folder}/`, tree.in(folder) ?? new Map(), new Set());
  }
  if (left > 0) result.untracked.push({ key: "", reason: `${left} files and folders beyond the first ${maxEntries}` });
  return result;
}

/** Why a folder is not entered. One that was entered before stays so: a command can't hide its work behind a new `.gitignore`. */
function whyIgnored({ prefix, rules }: Place, nameKey: string, isKnown: boolean): string | undefined {
  if (isAlwaysIgnored(nameKey)) return "such folders are never looked into";
  if (isKnown) return undefined;
  const key = prefix + nameKey;
  const words = rules.map((one) => one.rules.judge(key.slice(one.prefix.length)));
  return words.findLast((word) => word !== undefined) === "ignored" ? "a .gitignore names it" : undefined;
}

function listNames(at: string | Buffer): Listed[] {
  const dirents = readdirSync(at, { withFileTypes: true });
  // What is not UTF-8 was replaced by this character, which a name may also have by itself.
  if (!dirents.some(({ name }) => name.includes("\ufffd"))) return dirents.map((dirent) => [dirent.name, dirent]);
  return readdirSync(at, { withFileTypes: true, encoding: "buffer" }).map((dirent) => [toNameKey(dirent.name), dirent]);
}

function joinPath(at: string | Buffer, nameKey: string): string | Buffer {
  const name = toName(nameKey);
  if (typeof at === "string" && typeof name === "string") return `${at}/${name}`;
  return Buffer.concat([Buffer.from(at), Buffer.from("/"), Buffer.from(name)]);
}

const maxIgnoreChars = 65_536;

function readRules(at: string | Buffer): IgnoreRules | undefined {
  try {
    return parseIgnoreFile(readFileSync(joinPath(at, ignoreFile), "utf8").slice(0, maxIgnoreChars));
  } catch {
    return undefined;
  }
}

export function describeUnkept(entry: Entry, maxFileBytes: number): string {
  const reason = unkeptReason(entry);
  if (reason === "large") return `it has more than ${maxFileBytes} bytes`;
  return reason === "room" ? "there is no more room for contents of this folder" : "it can't be read";
}
