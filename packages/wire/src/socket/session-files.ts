// The files of one session: a private directory (0700) and the names it publishes beside it, by hard links, which are atomic,
// complete, already private, and never replace another's file. Removal is synchronous, idempotent, spares what is no longer
// ours, and also runs when the process ends.

import fs from "node:fs";
import { join } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { withFileLock } from "../files/file-lock.ts";
import { logLine } from "../log.ts";
import { onProcessEnd } from "../process/process-end.ts";
import { type FileIdentity, identityOf, isDeadSocket, isSameFile, withNameLock } from "./leftovers.ts";
import { checkSocketPath, type FixedNames, type SessionNames, SOCKET_PERMISSIONS } from "./names.ts";

export interface SessionFiles {
  readonly names: SessionNames;
  /** Where to bind the socket before it is published. Throws the second time: a session has one listener. */
  claimSocket(): string;
  readonly isRemoved: boolean;
  /** Publishes the bound socket; a dead one of that name is replaced, anything else refused. */
  publishSocket(): Promise<void>;
  publishSchema(content: string): void;
  /** Never throws: what can't be removed is logged. */
  remove(): void;
}

export function createSessionFiles(names: SessionNames): SessionFiles {
  const { privateDirectory, socketPath, schemaPath } = names;
  const privateSocketPath = join(privateDirectory, "s");
  const privateSchemaPath = join(privateDirectory, "schema.json");
  const published = new Map<string, FileIdentity>();
  let isClaimed = false;
  for (const path of [socketPath, privateSocketPath, names.fixed?.socketPath ?? ""]) checkSocketPath(path);
  const ownDirectory = makePrivateDirectory(privateDirectory);
  const release = onProcessEnd(remove);

  function claimSocket(): string {
    if (isClaimed) throw new HawserError("usage", `${socketPath} has its listener; make new files for another one`);
    isClaimed = true;
    return privateSocketPath;
  }

  // Before the link is made: one that is reported as failed and there all the same must be found by `remove`.
  function note(publicPath: string, source: string): void {
    const identity = identityOf(source);
    if (identity) published.set(publicPath, identity);
  }

  function publish(privatePath: string, publicPath: string): void {
    fs.chmodSync(privatePath, SOCKET_PERMISSIONS);
    note(publicPath, privatePath);
    try {
      fs.linkSync(privatePath, publicPath);
    } catch (error) {
      throw isTaken(error) ? nameTaken(publicPath) : error;
    }
  }

  async function publishSocket(): Promise<void> {
    try {
      publish(privateSocketPath, socketPath);
    } catch (error) {
      if (!HawserError.isInstance(error) || !(await takeOver())) throw error;
    }
    fs.unlinkSync(privateSocketPath);
    if (names.fixed) await takeFixedName(names.fixed);
  }

  /** Puts our socket in the place of a dead one; false when it is not dead, or another process is at it. */
  async function takeOver(): Promise<boolean> {
    const isOurs = await withNameLock(socketPath, async () => {
      if (!(await isDeadSocket(socketPath)) || files.isRemoved) return false;
      // Nothing is awaited from the proof to here. Another process may have removed it meanwhile; the result is the same.
      fs.rmSync(socketPath, { force: true });
      publish(privateSocketPath, socketPath);
      return true;
    });
    return isOurs ?? false;
  }

  // A name that stays the same over restarts belongs to one running program at a time. One that finds it taken by a socket without
  // a listener takes it over, while holding a lock. The schema file under that name changes in one step, between the removal of
  // the old socket and the arrival of the new one: a client that reaches the program reads its own schemas.

  /** Gives our socket and schema file their fixed names. Rejects with `name_taken` while a running program has them. */
  async function takeFixedName(fixed: FixedNames): Promise<void> {
    await withFileLock(`${fixed.socketPath}.lock`, async () => {
      if (identityOf(fixed.socketPath) && !(await isDeadSocket(fixed.socketPath))) throw nameInUse(fixed);
      if (files.isRemoved) return;
      // Nothing is awaited from the proof to the end.
      fs.rmSync(fixed.socketPath, { force: true });
      if (identityOf(schemaPath)) {
        const draft = join(privateDirectory, "fixed.json");
        fs.linkSync(schemaPath, draft);
        note(fixed.schemaPath, schemaPath);
        fs.renameSync(draft, fixed.schemaPath);
      }
      note(fixed.socketPath, socketPath);
      fs.linkSync(socketPath, fixed.socketPath);
    });
  }

  function publishSchema(content: string): void {
    fs.writeFileSync(privateSchemaPath, content, { mode: SOCKET_PERMISSIONS, flag: "wx" });
    // The private name stays: it keeps the inode from being given to another file.
    publish(privateSchemaPath, schemaPath);
  }

  function remove(): void {
    if (files.isRemoved) return;
    files.isRemoved = true;
    release();
    // One that can't be removed must not save the others.
    for (const [path, identity] of published) {
      orLog(path, () => isSameFile(identityOf(path), identity) && fs.rmSync(path, { force: true }));
    }
    orLog(privateDirectory, () => {
      // A link or another directory in its place leads to another's files.
      if (isSameFile(identityOf(privateDirectory), ownDirectory)) removeDirectory(privateDirectory, [privateSocketPath, privateSchemaPath]);
    });
  }

  // A plain member: an object with a getter stays until a full collection (decision 0031).
  const files = { names, claimSocket, isRemoved: false, publishSocket, publishSchema, remove };
  return files;
}

function makePrivateDirectory(path: string): FileIdentity | undefined {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    throw isTaken(error) ? nameTaken(path) : error;
  }
  try {
    // A umask may have taken bits away that we need ourselves.
    fs.chmodSync(path, 0o700);
    return identityOf(path);
  } catch (error) {
    fs.rmdirSync(path);
    throw error;
  }
}

// Removing a tree takes descriptors. A program that ended because it had none left must still clean up, so
// what we made ourselves is removed by name, and a tree only if others put more there.
function removeDirectory(path: string, contents: readonly string[]): void {
  for (const file of contents) fs.rmSync(file, { force: true });
  try {
    fs.rmdirSync(path);
  } catch {
    fs.rmSync(path, { recursive: true, force: true });
  }
}

function orLog(path: string, removal: () => unknown): void {
  try {
    removal();
  } catch (error) {
    logLine(`[hawser] can't remove ${path}: ${describeThrown(error)}`);
  }
}

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EEXIST";

function nameTaken(path: string): HawserError {
  return new HawserError("name_taken", `${path} exists and is not ours to replace; start again for a fresh name`, { facts: { path } });
}

function nameInUse({ name, socketPath }: FixedNames): HawserError {
  const stat = fs.lstatSync(socketPath, { throwIfNoEntry: false });
  const isOurs = stat?.isSocket() === true && stat.uid === process.getuid?.();
  const reason = isOurs
    ? `a running program listens at ${socketPath}. Stop it, or choose another name`
    : `${socketPath} is not a socket of yours. Remove it, or choose another name`;
  return new HawserError("name_taken", `"${name}" is taken: ${reason}`, { facts: { path: socketPath } });
}
