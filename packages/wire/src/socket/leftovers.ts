// Telling a killed session's socket from everything else. A connection is refused also by a file that isn't a socket, and outside
// Linux by a listener whose queue is full for the moment. So one refusal alone proves nothing.

import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listNames } from "../files/private-folder.ts";
import { wireLimits } from "../limits.ts";
import { onProcessEnd } from "../process/process-end.ts";
import { probeSocket } from "./connect.ts";
import { type LeftoverKind, readLeftoverName, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX } from "./names.ts";

/**
 * How many refusals in a row, with a pause between them, count as proof. Linux has an error of its own for a full queue (EAGAIN);
 * elsewhere a listener gets time to take from it.
 */
export const proofFor = (platform: NodeJS.Platform) => (platform === "linux" ? { refusals: 1, pauseMs: 0 } : { refusals: 5, pauseMs: 100 });

/** True for our user's socket without a listener, if it is still the same file after the probes. */
export async function isDeadSocket(path: string, proof = proofFor(process.platform)): Promise<boolean> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSocket() || stat.uid !== process.getuid?.()) return false;
  const before = identityOf(path);
  for (let refusals = 0; refusals < proof.refusals; refusals++) {
    if (refusals > 0) await sleep(proof.pauseMs);
    if ((await probeSocket(path)) !== "dead") return false;
  }
  return isSameFile(before, identityOf(path));
}

// Whether a path still leads to the same file as before.

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function identityOf(path: string): FileIdentity | undefined {
  const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && { dev: stat.dev, ino: stat.ino };
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

// Removing a dead socket's name and taking it over are two steps; between them another process may do the same. Both are done while
// holding `<name>.lock`, so that a name never has two owners and a fresh socket is never removed as if it were the old one.

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

// Removes what killed sessions left behind. Deleting a live sibling's socket would be far worse than leaving litter, so everything
// must hold at once: the name is exactly one of ours, the kind of file fits, it is our user's, it is old enough, it has no
// listener, and it is still the same file afterwards.

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
  if (files.length === 0) return;
  await withNameLock(socketPath, async () => {
    const before = files.map(({ path }) => identityOf(path));
    if (identityOf(socketPath) && !(await isDeadSocket(socketPath))) return;
    // Looked at again after the wait, and nothing is awaited from here to the removal.
    for (const [index, file] of files.entries()) {
      if (isSameFile(before[index], identityOf(file.path)) && isOldEnough(file)) remove(file, removed);
    }
  }).catch(() => {});
}

/** The leftovers of each session, by the path of its socket. */
function findSessions(directory: string): Map<string, Leftover[]> {
  const sessions = new Map<string, Leftover[]>();
  let count = 0;
  for (const fileName of listNames(directory)) {
    const known = readLeftoverName(fileName);
    if (!known || ++count > wireLimits.maxSweptEntries) continue;
    const socketPath = join(directory, `${SOCKET_FILE_PREFIX}${known.uuid}${SOCKET_FILE_SUFFIX}`);
    sessions.set(socketPath, [...(sessions.get(socketPath) ?? []), { path: join(directory, fileName), kind: known.kind }]);
  }
  return sessions;
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
  const minAgeMs = kind === "schema" ? wireLimits.staleSchemaMs : wireLimits.staleSocketMs;
  return isExpectedKind && stat.uid === process.getuid?.() && Date.now() - stat.mtimeMs > minAgeMs;
}
