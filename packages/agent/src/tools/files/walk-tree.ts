// Goes through a folder, and the folders in it, in the order of their names. No link is followed, and what tools make for
// themselves (.git, node_modules) is named but not entered. Every name is judged by the rules of the permissions, and
// what they keep back is neither shown nor entered. Bounded in names and depth; what was left out is counted.

import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { agentLimits } from "../../limits.ts";
import { isDraft } from "./draft-name.ts";
import type { LeftOut } from "./left-out.ts";
import { openSubfolder, type Folder } from "./open-inside.ts";
import type { Permit, Ruling } from "./permit.ts";
import type { Roots } from "./roots.ts";

export interface Entry {
  /** Open until the next entry is asked for; share it to keep it longer. */
  readonly folder: Folder;
  readonly name: string;
  /** From the folder where the walk began, with `/`; a folder's ends with it. */
  readonly way: string;
  readonly kind: "file" | "folder" | "other";
}

export type Walk = ReturnType<typeof createWalk>;

export interface WalkOptions {
  readonly recursive: boolean;
  readonly signal: AbortSignal;
  readonly permit: Permit | undefined;
  readonly leftOut: LeftOut;
  /** Of which files it is asked at all. */
  readonly wants?: ((way: string) => boolean) | undefined;
}

interface Level {
  readonly folder: Folder;
  readonly prefix: string;
  readonly found: readonly Found[];
  /** The one that comes next. */
  at: number;
}

interface Found {
  readonly name: string;
  /** What it is sorted by and shown as. */
  readonly label: string;
  readonly kind: Entry["kind"];
}

const notEntered: ReadonlySet<string> = new Set([".git", "node_modules"]);
const namesAtOnce = 512;

export function createWalk(roots: Roots, start: Folder, options: WalkOptions) {
  const { signal, leftOut } = options;
  const levels: Level[] = [];
  const passedBy: string[] = [];
  let left = agentLimits.walkedEntries;
  let unnamed = 0;
  let isCut = false;

  async function openLevel(folder: Folder, prefix: string): Promise<Level> {
    const found: Found[] = [];
    // Names as bytes: the typings of Node know this encoding for other calls only.
    const listing = { encoding: "buffer" as BufferEncoding, bufferSize: namesAtOnce };
    for await (const entry of await opendir(folder.entry(), listing)) {
      signal.throwIfAborted();
      if (left-- <= 0) {
        isCut = true;
        break;
      }
      const named = toFound(entry as unknown as Dirent<Buffer>);
      if (!named) unnamed++;
      else if (!isDraft(named.name)) found.push(named);
    }
    return { folder, prefix, found: found.sort((one, other) => (one.label < other.label ? -1 : 1)), at: 0 };
  }

  const rulingOf = ({ folder }: Level, { name, kind }: Found): Ruling =>
    options.permit?.judge(join(folder.path, name), kind === "folder" ? "folder" : "file") ?? "allow";

  const isWanted = ({ prefix }: Level, { label, kind }: Found): boolean => kind === "folder" || (options.wants?.(prefix + label) ?? true);

  function isShown(level: Level, found: Found): boolean {
    if (!isWanted(level, found)) return false;
    const ruling = rulingOf(level, found);
    if (ruling !== "allow") leftOut.count(ruling === "deny" ? "denied" : "needApproval");
    return ruling === "allow";
  }

  async function enter(outer: Level, { name, label }: Found): Promise<void> {
    const way = outer.prefix + label;
    if (notEntered.has(name)) return leftOut.name("ignoredFolders", way);
    if (levels.length >= agentLimits.walkedDepth) return leftOut.name("tooDeepFolders", way);
    if (left <= 0) {
      isCut = true;
      passedBy.push(way);
      return;
    }
    let folder: Folder | undefined;
    try {
      folder = await openSubfolder(roots, outer.folder, name, "keep");
      levels.push(await openLevel(folder, way));
    } catch {
      await folder?.close();
      signal.throwIfAborted();
      // Gone, swapped or forbidden since it was named.
      leftOut.name("unreadableFolders", way);
    }
  }

  async function* entries(): AsyncGenerator<Entry> {
    levels.push(await openLevel(start, ""));
    try {
      for (let level = levels.at(-1); level; level = levels.at(-1)) {
        signal.throwIfAborted();
        const found = level.found[level.at];
        if (!found) {
          levels.pop();
          if (level.folder !== start) await level.folder.close();
        } else if (!isShown(level, found)) {
          level.at++;
        } else {
          const isFolder = found.kind === "folder";
          // A folder at which the walk ends is not reached.
          if (!isFolder) level.at++;
          yield { folder: level.folder, name: found.name, way: level.prefix + found.label, kind: found.kind };
          if (isFolder) level.at++;
          if (isFolder && options.recursive) await enter(level, found);
        }
      }
    } finally {
      for (const { folder } of levels) if (folder !== start) await folder.close();
    }
  }

  return {
    entries,
    /** Names that are not UTF-8, which nothing in JSON can stand for. */
    get unnamed(): number {
      return unnamed;
    },
    /** There are more names than it looks at. */
    get isCut(): boolean {
      return isCut;
    },
    /** What is known by name and was not walked to. */
    notReached(): { readonly files: number; readonly folders: readonly string[] } {
      const rest = levels.flatMap((level) => level.found.slice(level.at).map((found) => ({ level, found })));
      const files = rest.filter(({ level, found }) => found.kind === "file" && isWanted(level, found)).length;
      const folders = rest.filter(({ level, found }) => found.kind === "folder" && rulingOf(level, found) === "allow");
      return { files, folders: [...passedBy, ...folders.map(({ level, found }) => level.prefix + found.label)] };
    },
  };
}

/** Undefined for a name that is not UTF-8. */
function toFound(dirent: Dirent<Buffer>): Found | undefined {
  const name = dirent.name.toString("utf8");
  if (!Buffer.from(name).equals(dirent.name)) return undefined;
  if (dirent.isDirectory()) return { name, label: `${name}/`, kind: "folder" };
  return { name, label: name, kind: dirent.isFile() ? "file" : "other" };
}
