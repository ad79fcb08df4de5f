// Goes through a folder, and the folders in it, in the order of their names: the same tree gives the same
// list. No link is followed, and what tools make for themselves (.git, node_modules) is named but not
// entered. Bounded in names and depth; what was left out is counted.

import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { limits } from "@hawser/wire";
import { isDraft } from "./drafts.ts";
import { toFileError } from "./file-errors.ts";
import { openSubfolder, type Folder } from "./open-inside.ts";
import type { Roots } from "./roots.ts";

export interface Entry {
  readonly folder: Folder;
  readonly name: string;
  /** From the folder where the walk began, with `/`; a folder's ends with it. */
  readonly way: string;
  readonly isFile: boolean;
}

export interface Walk {
  entries(): AsyncGenerator<Entry>;
  /** Names that are not UTF-8, which nothing in JSON can stand for. */
  readonly unnamed: number;
  /** Not everything was looked at: too much, too deep, or a folder that may not be read. */
  readonly isCut: boolean;
}

export interface WalkOptions {
  readonly recursive: boolean;
  readonly signal: AbortSignal;
}

const notEntered: ReadonlySet<string> = new Set([".git", "node_modules"]);

export function createWalk(roots: Roots, start: Folder, { recursive, signal }: WalkOptions): Walk {
  let left = limits.walkedEntries;
  let unnamed = 0;
  let isCut = false;

  async function namesOf(folder: Folder): Promise<[string, Dirent<Buffer>][]> {
    const found: [string, Dirent<Buffer>][] = [];
    for await (const entry of await opendir(folder.entry(), { encoding: "buffer" as BufferEncoding })) {
      signal.throwIfAborted();
      const dirent = entry as unknown as Dirent<Buffer>;
      if (left-- <= 0) {
        isCut = true;
        break;
      }
      const name = dirent.name.toString("utf8");
      if (!Buffer.from(name).equals(dirent.name)) unnamed++;
      else if (!isDraft(name)) found.push([dirent.isDirectory() ? `${name}/` : name, dirent]);
    }
    return found.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  async function* walk(folder: Folder, prefix: string, depth: number): AsyncGenerator<Entry> {
    for (const [label, dirent] of await namesOf(folder)) {
      signal.throwIfAborted();
      const name = dirent.isDirectory() ? label.slice(0, -1) : label;
      yield { folder, name, way: prefix + label, isFile: dirent.isFile() };
      if (!recursive || !dirent.isDirectory() || notEntered.has(name)) continue;
      if (depth >= limits.walkedDepth || left <= 0) isCut = true;
      else yield* within(folder, name, { prefix: prefix + label, depth: depth + 1 });
    }
  }

  async function* within(outer: Folder, name: string, place: { prefix: string; depth: number }): AsyncGenerator<Entry> {
    const folder = await openSubfolder(roots, outer, name, "keep").catch(() => undefined);
    // Gone, swapped or forbidden since it was named.
    if (!folder) {
      isCut = true;
      return;
    }
    try {
      yield* walk(folder, place.prefix, place.depth);
    } catch (error) {
      if (signal.aborted || toFileError(error, "").code !== "tool_failed") throw error;
      isCut = true;
    } finally {
      await folder.close();
    }
  }

  return {
    entries: () => walk(start, "", 1),
    get unnamed() {
      return unnamed;
    },
    get isCut() {
      return isCut;
    },
  };
}
