// The entries of a root by their keys, held folder by folder: a walk compares each folder with what is known of it by short names, since
// hashing fifty thousand whole paths takes longer than asking the system about them.

import { parentOf, type Entry } from "./entry.ts";

export type Tree = ReturnType<typeof createTree>;

export function createTree() {
  const folders = new Map<string, Map<string, Entry>>();
  const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

  return {
    get: (key: string): Entry | undefined => folders.get(parentOf(key))?.get(nameOf(key)),
    set(key: string, entry: Entry): void {
      const folder = parentOf(key);
      const names = folders.get(folder);
      if (names) names.set(nameOf(key), entry);
      else folders.set(folder, new Map([[nameOf(key), entry]]));
    },
    delete(key: string): void {
      const folder = parentOf(key);
      const names = folders.get(folder);
      if (names?.delete(nameOf(key)) && names.size === 0) folders.delete(folder);
    },
    clear: (): void => folders.clear(),
    /** What is known in a folder, by name; the root's own key is empty. */
    in: (folder: string): ReadonlyMap<string, Entry> | undefined => folders.get(folder),
    folders: (): Iterable<string> => folders.keys(),
    values: (): Entry[] => Array.from(folders.values(), (names) => [...names.values()]).flat(),
    *entries(): Generator<readonly [key: string, entry: Entry]> {
      for (const [folder, names] of folders) for (const [name, entry] of names) yield [folder === "" ? name : `${folder}/${name}`, entry];
    },
  };
}
