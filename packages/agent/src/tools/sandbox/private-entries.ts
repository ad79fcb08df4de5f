// What of a system's folder is not for everybody, and still for us, such as the digests of passwords in /etc for root: in the sandbox
// the files belong to the same users, so it would be readable there as well.

import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { agentLimits } from "../../limits.ts";

const readableByAll = 0o004;

/** Files and folders that not everybody may read, and we may. What can't be looked at can't be read either. */
export async function findPrivateEntries(folder: string, depth = 0): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = join(folder, entry.name);
      const stats = entry.isSymbolicLink() ? undefined : await stat(path).catch(() => undefined);
      if (!stats) return [];
      // What lies too deep to be looked at is hidden whole.
      const isPrivate = (stats.mode & readableByAll) === 0 || (stats.isDirectory() && depth >= agentLimits.sandboxSystemDepth);
      if (!isPrivate) return stats.isDirectory() ? findPrivateEntries(path, depth + 1) : [];
      return access(path, constants.R_OK).then(
        () => [path],
        () => [],
      );
    }),
  );
  return found.flat();
}
