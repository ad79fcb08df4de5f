// What decides about an agent is not the agent's to write: the configuration, the remembered answers, the trusted folders, the history,
// and what a folder brings along in `.hawser`. Else a file that may be written would be a permission that widens itself.

import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileError } from "./file-errors.ts";
import { realPathOf } from "./permit.ts";
import { isInside, type Roots } from "./roots.ts";

const folderName = ".hawser";

/** `real`: the real path of what would be written. Throws for a file of ours. */
export function refuseSettings(roots: Roots, real: string): void {
  const below = relative(roots.rootOf(real) ?? roots.paths[0], real);
  // Some file systems take names in capitals for the same.
  const isOfFolder = below.toLowerCase().split(sep).includes(folderName);
  if (!isOfFolder && !roots.settings.some((path) => isInside(realPathOf(path), real))) return;
  throw fileError(roots.show(real), "holds settings of the agent, which its tools can't change; ask the user to change it");
}

/** What of it is there inside of the roots, for a command: real paths. A `.hawser` deeper down counts only for a root of its own. */
export function settingsInside(roots: Roots): string[] {
  const named = [...roots.paths.map((root) => join(root, folderName)), ...roots.settings];
  return named.map(realPathOf).filter((path) => roots.rootOf(path) !== undefined && !roots.paths.includes(path) && existsSync(path));
}
