// Whether a path still leads to the same file as before.

import fs from "node:fs";

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
