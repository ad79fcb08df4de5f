// `--out`: a response body that becomes a file. It is written beside its place and moved there when it
// is whole, so that a failed or interrupted call leaves what was there before.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename, stat, type FileHandle } from "node:fs/promises";
import { HawserError } from "@hawser/protocol";
import { onProcessEnd } from "@hawser/wire/internal/node";
import { describeSystemError } from "../command-line/failure.ts";

/** Rejects with `usage` when there can be no such file. Only its owner may read it. */
export async function createBodyFile(path: string) {
  const temporaryPath = `${path}.${randomBytes(6).toString("hex")}.part`;
  // Before there is a file: a signal that comes right behind it must find this.
  const forget = onProcessEnd(() => rmSync(temporaryPath, { force: true }));
  const file = await openFresh(path, temporaryPath).catch((cause: unknown) => {
    forget();
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isMissing ? "there is no such folder" : describeSystemError(cause);
    throw new HawserError("usage", `can't write --out ${path}: ${reason}`, { cause });
  });
  let isOpen = true;
  return {
    write: (chunk: Buffer): Promise<void> => file.writeFile(chunk),
    /** Puts the file in its place. */
    async commit(): Promise<void> {
      await file.sync();
      await file.close();
      isOpen = false;
      await rename(temporaryPath, path);
      forget();
    },
    /** Forgets what was written; does nothing after `commit`. */
    async discard(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      rmSync(temporaryPath, { force: true });
      forget();
    },
  };
}

async function openFresh(path: string, temporaryPath: string): Promise<FileHandle> {
  const existing = await stat(path).catch(() => undefined);
  if (existing && !existing.isFile()) throw new HawserError("usage", "it is not a file");
  return open(temporaryPath, "wx", 0o600);
}
