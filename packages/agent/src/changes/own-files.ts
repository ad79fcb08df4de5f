// Our own files and folders, as a root has them: keys, journal, settings, and what undo itself keeps. They are neither looked at nor listed.

import { realPathOf } from "../tools/files/permit.ts";
import { isInside } from "../tools/files/roots.ts";
import { keyIn } from "./shown-path.ts";

/** The keys of those that lie in the root. The empty one is the root itself, where it lies in one of them. */
export function ownKeysIn(root: string, paths: readonly string[]): string[] {
  const real = paths.map(realPathOf);
  if (real.some((path) => isInside(path, root))) return [""];
  return real.flatMap((path) => (isInside(root, path) ? [keyIn(root, path)] : []));
}
