// The files of one session: a private directory (0700) and the names it publishes beside it.
// Everything is made inside the directory and appears under its public name by a hard link, which
// is atomic, complete, already private, and never replaces what somebody else put there. Removal
// is synchronous, idempotent, spares what is no longer ours, and also runs when the process ends.

import fs from "node:fs";
import { join } from "node:path";
import { HawserError } from "../errors.ts";
import { onProcessEnd } from "../process/process-end.ts";
import { probeSocket } from "./connect.ts";
import { withNameLock } from "./name-lock.ts";
import { SOCKET_PERMISSIONS, type SessionNames } from "./names.ts";

export interface SessionFiles {
  readonly names: SessionNames;
  /** Where the socket is bound before it is published. */
  readonly privateSocketPath: string;
  /** Publishes the bound socket; a dead one of that name is replaced, a live one refused. */
  publishSocket(): Promise<void>;
  publishSchema(content: string): void;
  remove(): void;
}

export function createSessionFiles(names: SessionNames): SessionFiles {
  const { privateDirectory, socketPath, schemaPath } = names;
  const privateSocketPath = join(privateDirectory, "s");
  const published = new Map<string, FileIdentity>();
  let isRemoved = false;
  fs.mkdirSync(privateDirectory, { mode: 0o700 });
  // A umask may have taken bits away that we need ourselves.
  fs.chmodSync(privateDirectory, 0o700);
  const release = onProcessEnd(remove);

  function publish(privatePath: string, publicPath: string): void {
    fs.chmodSync(privatePath, SOCKET_PERMISSIONS);
    const identity = identityOf(privatePath);
    fs.linkSync(privatePath, publicPath);
    if (identity) published.set(publicPath, identity);
  }

  async function publishSocket(): Promise<void> {
    try {
      publish(privateSocketPath, socketPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const isOurs = await withNameLock(socketPath, async () => {
        if ((await probeSocket(socketPath)) !== "dead" || isRemoved) return false;
        fs.unlinkSync(socketPath);
        publish(privateSocketPath, socketPath);
        return true;
      }).catch(() => false);
      if (!isOurs) throw nameTaken(socketPath);
    }
    fs.unlinkSync(privateSocketPath);
  }

  function publishSchema(content: string): void {
    const privatePath = join(privateDirectory, "schema.json");
    fs.writeFileSync(privatePath, content, { mode: SOCKET_PERMISSIONS, flag: "wx" });
    try {
      // The private name stays: it keeps the inode from being given to another file.
      publish(privatePath, schemaPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") throw nameTaken(schemaPath);
      throw error;
    }
  }

  function remove(): void {
    if (isRemoved) return;
    isRemoved = true;
    release();
    for (const [path, identity] of published) {
      if (isSameFile(identityOf(path), identity)) fs.rmSync(path, { force: true });
    }
    fs.rmSync(privateDirectory, { recursive: true, force: true });
  }

  return { names, privateSocketPath, publishSocket, publishSchema, remove };
}

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

function nameTaken(path: string): HawserError {
  return new HawserError("name_taken", `${path} exists and is not ours to replace; start again for a fresh name`, { facts: { path } });
}
