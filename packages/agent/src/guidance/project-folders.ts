// The folders whose instructions and skills count for a root: the root itself and those above it up to the top of its repository. Above
// the root only what belongs to the owner of the root counts: on a machine of many, `/tmp/.git` may be anybody's.

import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentLimits } from "../limits.ts";

/** From the top of the repository down to the root, which is alone where there is no repository. */
export function projectFolders(root: string): readonly [string, ...string[]] {
  const owner = ownerOf(root);
  const above: string[] = [];
  for (let folder = root; above.length <= agentLimits.instructionFolderEntries; folder = dirname(folder)) {
    if (ownerOf(folder) !== owner || owner === undefined) break;
    above.unshift(folder);
    if (ownerOf(join(folder, ".git")) === owner) return above as [string, ...string[]];
    if (dirname(folder) === folder) break;
  }
  return [root];
}

function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch {
    return undefined;
  }
}
