// Removing a dead socket's name and taking it over are two steps; between them another process may
// do the same. Whoever does either holds `<name>.lock`, so that a name never has two owners and a
// fresh socket is never removed in the belief that it is the old one.

import fs from "node:fs";

/** Runs `action` while holding the lock; undefined when another process holds it. */
export async function withNameLock<Result>(socketPath: string, action: () => Promise<Result>): Promise<Result | undefined> {
  const lockPath = `${socketPath}.lock`;
  try {
    fs.closeSync(fs.openSync(lockPath, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  try {
    return await action();
  } finally {
    fs.rmSync(lockPath, { force: true });
  }
}
