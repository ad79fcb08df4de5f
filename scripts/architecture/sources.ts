// The sources of the packages as the architecture sees them: which files there are, what each one imports, which
// folder of the import table it belongs to, and the sentence that it opens with.

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folders } from "./folder-table.ts";

export const root = join(import.meta.dirname, "../..");

const read = (file: string): string => readFileSync(join(root, file), "utf8");

export const packageNames: readonly string[] = globSync("packages/*/package.json", { cwd: root })
  .map((path) => path.split("/")[1] as string)
  .toSorted();

/** The files of a package's `src`, from the root of the repository. */
export const sourcesOf = (name: string): string[] => globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: root }).toSorted();

const importPattern = /(?:^|\s)(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

/** What a file imports, as it is written there. */
export function importsOf(file: string): string[] {
  const source = read(file).replaceAll(/^\s*\/\/.*$/gm, "");
  return [...source.matchAll(importPattern)].map(([, fromClause, dynamic]) => (fromClause ?? dynamic) as string);
}

/** The files of the same package that a file imports. */
export const ownImportsOf = (file: string): string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => join(dirname(file), specifier));

/** The row of the import table that a file belongs to: the deepest one, or the package itself for files directly in `src`. */
export function folderOf(file: string): string {
  const [, name = "", , ...path] = file.split("/");
  for (let depth = path.length - 1; depth > 0; depth--) {
    const folder = [name, ...path.slice(0, depth)].join("/");
    if (folder in folders) return folder;
  }
  return path.length > 1 ? `${name}/${path[0]}` : name;
}

/** The first sentence of the comment that a file opens with. */
export function openingSentence(file: string): string {
  const lines = read(file).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  const comment = lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join(" ");
  return (/^.*?[.!?](?=\s+[A-Z`]|\s*$)/.exec(comment)?.[0] ?? comment).trim();
}

export const descriptionOf = (name: string): string =>
  (JSON.parse(read(`packages/${name}/package.json`)) as { description: string }).description;
