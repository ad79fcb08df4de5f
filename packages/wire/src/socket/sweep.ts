// Removes what sessions left behind that were killed. Deleting a live sibling's socket would be far
// worse than leaving litter, so everything must hold at once: the name is exactly one of ours, the
// kind of file fits, it is our user's, it is old enough, nobody listens (a refused connection, not
// just any error), and it is still the same file afterwards. Anything else stays.

import fs from "node:fs";
import { join } from "node:path";
import { limits } from "../limits.ts";
import { probeSocket } from "./connect.ts";
import { withNameLock } from "./name-lock.ts";
import { readLeftoverName, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX, type LeftoverKind } from "./names.ts";
import { identityOf, isSameFile } from "./session-files.ts";

/** Returns the paths it removed. Never throws: a sweep must not keep a session from starting. */
export async function sweepLeftovers(directory: string): Promise<string[]> {
  const removed: string[] = [];
  let looked = 0;
  for (const fileName of listDirectory(directory)) {
    const leftover = readLeftoverName(fileName);
    if (!leftover) continue;
    if (++looked > limits.maxSweptEntries) break;
    const path = join(directory, fileName);
    try {
      if (isOldEnough(path, leftover.kind) && (await removeIfDead(path, leftover.kind, socketOf(directory, leftover.uuid)))) removed.push(path);
    } catch {
      // Gone in the meantime, or not ours to remove: both are fine.
    }
  }
  return removed;
}

async function removeIfDead(path: string, kind: LeftoverKind, socketPath: string): Promise<boolean> {
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
    if (!isSameFile(before, identityOf(path)) || !isOldEnough(path, kind)) return false;
    fs.rmSync(path, { recursive: kind === "directory" });
    return true;
  });
  return removed ?? false;
}

function isOldEnough(path: string, kind: LeftoverKind): boolean {
  const stat = fs.lstatSync(path);
  const isExpectedKind = kind === "socket" ? stat.isSocket() : kind === "directory" ? stat.isDirectory() : stat.isFile();
  const minAgeMs = kind === "schema" ? limits.staleSchemaMs : limits.staleSocketMs;
  return isExpectedKind && stat.uid === process.getuid?.() && Date.now() - stat.mtimeMs > minAgeMs;
}

const socketOf = (directory: string, uuid: string): string => join(directory, `${SOCKET_FILE_PREFIX}${uuid}${SOCKET_FILE_SUFFIX}`);

function listDirectory(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
