// Where an allowed program lies, besides the system's folders: a command sees those folders too. A folder that holds more than
// programs (the home folder, a root, data of ours) is not shown whole: then it is the program's file alone.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isOfSystem, type ReadPlace } from "./mounts.ts";

/** What a program in `bin` is made of. */
const libraryFolders = ["lib", "lib64", "libexec"];

export function programPlaces(programs: readonly string[], isPrivate: (folder: string) => boolean): ReadPlace[] {
  const paths = new Set(programs.flatMap((program) => placesOf(program, isPrivate)).filter((path) => !isOfSystem(path)));
  return Array.from(paths, (path) => ({ source: path, path }));
}

function placesOf(program: string, isPrivate: (folder: string) => boolean): string[] {
  // By the folder that it is found in, and by where links lead.
  const names = [realOf(dirname(program), basename(program)), realOf(program)].filter((path) => path !== undefined);
  return names.flatMap((path) => {
    const folder = dirname(path);
    if (isPrivate(folder)) return [path];
    const hasLibraries = basename(folder) === "bin" && !isPrivate(dirname(folder));
    const libraries = hasLibraries ? libraryFolders.map((name) => join(dirname(folder), name)) : [];
    return [folder, ...libraries.filter((library) => existsSync(library))];
  });
}

function realOf(path: string, ...below: readonly string[]): string | undefined {
  try {
    return join(realpathSync(path), ...below);
  } catch {
    return undefined;
  }
}
