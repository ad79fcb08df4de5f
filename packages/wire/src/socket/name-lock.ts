// Removing a dead socket's name and taking it over are two steps; between them another process may
// do the same. Whoever does either holds `<name>.lock`, so that a name never has two owners and a
// fresh socket is never removed in the belief that it is the old one.

import fs from "node:fs";
import { identityOf, isSameFile } from "./file-identity.ts";
import { onProcessEnd } from "../process/process-end.ts";

/** Runs `action` while holding the lock; undefined when another process holds it. */
export async function withNameLock<Result>(socketPath: string, action: () => Promise<Result>): Promise<Result | undefined> {
  const lockPath = `${socketPath}.lock`;
  try {
    fs.writeFileSync(lockPath, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  const mine = identityOf(lockPath);
  // After a long sleep of ours another process may have taken the lock for left behind, and hold one of its own.
  const unlock = (): void => {
    if (isSameFile(mine, identityOf(lockPath))) fs.rmSync(lockPath, { force: true });
  };
  const release = onProcessEnd(unlock);
  try {
    return await action();
  } finally {
    release();
    unlock();
  }
}
