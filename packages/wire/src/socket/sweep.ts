// Removes what sessions left behind that were killed. Deleting a live sibling's socket would be far
// worse than leaving litter, so everything must hold at once: the name is exactly one of ours, the
// kind of file fits, it is our user's, it is old enough, nobody listens (a refused connection, not
// just any error), and it is still the same file afterwards. Anything else stays.

import fs from "node:fs";
import { join } from "node:path";
import { limits } from "../limits.ts";
import { probeSocket } from "./connect.ts";
import { identityOf, isSameFile } from "./dead-socket.ts";
import { withNameLock } from "./name-lock.ts";
import { readLeftoverName, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX, type LeftoverKind } from "./names.ts";

interface Leftover {
  readonly path: string;
  readonly kind: LeftoverKind;
  readonly socketPath: string;
}

/** Returns the paths it removed. Never throws: a sweep must not keep a session from starting. */
export async function sweepLeftovers(directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const leftover of findLeftovers(directory)) {
    try {
      if (isOldEnough(leftover) && (await removeIfDead(leftover))) removed.push(leftover.path);
    } catch {
      // Gone in the meantime, or not ours to remove: both are fine.
    }
  }
  return removed;
}

function findLeftovers(directory: string): Leftover[] {
  const leftovers = listDirectory(directory).flatMap((fileName) => {
    const known = readLeftoverName(fileName);
    if (!known) return [];
    const socketPath = join(directory, `${SOCKET_FILE_PREFIX}${known.uuid}${SOCKET_FILE_SUFFIX}`);
    return [{ path: join(directory, fileName), kind: known.kind, socketPath }];
  });
  // Locks first: one that a killed process left would save its socket from this sweep.
  const isLock = ({ kind }: Leftover): boolean => kind === "lock";
  return [...leftovers.filter(isLock), ...leftovers.filter((leftover) => !isLock(leftover))].slice(0, limits.maxSweptEntries);
}

async function removeIfDead(leftover: Leftover): Promise<boolean> {
  const { path, kind, socketPath } = leftover;
  if (kind === "lock") {
    fs.rmSync(path);
    return true;
  }
  const removed = await withNameLock(socketPath, async () => {
    const before = identityOf(path);
    if (kind === "socket" || identityOf(socketPath)) {
      if ((await probeSocket(socketPath)) !== "dead") return false;
    }
    // Looked at again after the wait, and nothing is awaited from here to the removal.
    if (!isSameFile(before, identityOf(path)) || !isOldEnough(leftover)) return false;
    fs.rmSync(path, { recursive: kind === "directory" });
    return true;
  });
  return removed ?? false;
}

function isOldEnough({ path, kind }: Leftover): boolean {
  const stat = fs.lstatSync(path);
  const isExpectedKind = kind === "socket" ? stat.isSocket() : kind === "directory" ? stat.isDirectory() : stat.isFile();
  const minAgeMs = kind === "schema" ? limits.staleSchemaMs : limits.staleSocketMs;
  return isExpectedKind && stat.uid === process.getuid?.() && Date.now() - stat.mtimeMs > minAgeMs;
}

function listDirectory(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
