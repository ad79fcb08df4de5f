// Removes what sessions left behind that were killed. Deleting a live sibling's socket would be far
// worse than leaving litter, so everything must hold at once: the name is exactly one of ours, the
// kind of file fits, it is our user's, it is old enough, nobody listens (a refused connection, not
// just any error), and it is still the same file afterwards. Anything else stays.

import fs from "node:fs";
import { join } from "node:path";
import { limits } from "../limits.ts";
import { isDeadSocket } from "./dead-socket.ts";
import { identityOf, isSameFile } from "./file-identity.ts";
import { withNameLock } from "./name-lock.ts";
import { readLeftoverName, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX, type LeftoverKind } from "./names.ts";

interface Leftover {
  readonly path: string;
  readonly kind: LeftoverKind;
}

// Where a proof takes time, many leftovers must not take it one after the other; each needs a descriptor.
const sessionsAtOnce = 16;

/** Returns the paths it removed. Never throws: a sweep must not keep a session from starting. */
export async function sweepLeftovers(directory: string): Promise<string[]> {
  const removed: string[] = [];
  const sessions = [...findSessions(directory)];
  for (let at = 0; at < sessions.length; at += sessionsAtOnce) {
    const some = sessions.slice(at, at + sessionsAtOnce);
    await Promise.all(some.map(([socketPath, leftovers]) => sweepSession(socketPath, leftovers, removed)));
  }
  return removed;
}

async function sweepSession(socketPath: string, leftovers: readonly Leftover[], removed: string[]): Promise<void> {
  const old = leftovers.filter(isOldEnough);
  // A lock that a killed process left would keep the rest of its session from this sweep.
  for (const lock of old.filter(({ kind }) => kind === "lock")) remove(lock, removed);
  const files = old.filter(({ kind }) => kind !== "lock");
  if (files.length > 0) await removeIfDead(socketPath, files, removed).catch(() => {});
}

/** The leftovers of each session, by the path of its socket. */
function findSessions(directory: string): Map<string, Leftover[]> {
  const sessions = new Map<string, Leftover[]>();
  let count = 0;
  for (const fileName of listDirectory(directory)) {
    const known = readLeftoverName(fileName);
    if (!known || ++count > limits.maxSweptEntries) continue;
    const socketPath = join(directory, `${SOCKET_FILE_PREFIX}${known.uuid}${SOCKET_FILE_SUFFIX}`);
    sessions.set(socketPath, [...(sessions.get(socketPath) ?? []), { path: join(directory, fileName), kind: known.kind }]);
  }
  return sessions;
}

async function removeIfDead(socketPath: string, files: readonly Leftover[], removed: string[]): Promise<void> {
  await withNameLock(socketPath, async () => {
    const before = files.map(({ path }) => identityOf(path));
    if (identityOf(socketPath) && !(await isDeadSocket(socketPath))) return;
    // Looked at again after the wait, and nothing is awaited from here to the removal.
    for (const [index, file] of files.entries()) {
      if (isSameFile(before[index], identityOf(file.path)) && isOldEnough(file)) remove(file, removed);
    }
  });
}

function remove({ path, kind }: Leftover, removed: string[]): void {
  try {
    fs.rmSync(path, { recursive: kind === "directory" });
    removed.push(path);
  } catch {
    // Gone in the meantime, or not ours to remove: both are fine.
  }
}

function isOldEnough({ path, kind }: Leftover): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return false;
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
