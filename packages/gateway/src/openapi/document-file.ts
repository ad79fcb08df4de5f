// A document on disk: its bytes, and a stamp that tells whether it is still the same without reading it.

import { createHash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { HawserError, limits } from "@hawser/wire";

/** Size, times and number of a file, as text: equal stamps are the same file with the same content. */
export interface Stamp {
  readonly identity: string;
  /** When the file was last changed in any way. */
  readonly changedMs: number;
}

export interface DocumentFile {
  readonly stamp: Stamp;
  /** In memory of their own. */
  readBytes(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Nothing if there is no such file. Throws `usage` if it can't be read. */
export async function openDocumentFile(path: string): Promise<DocumentFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw unreadable(path, (cause as NodeJS.ErrnoException).code ?? "it can't be opened", cause);
  }
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await handle.stat({ bigint: true });
    return {
      stamp: { identity: [dev, ino, size, mtimeNs, ctimeNs].join("."), changedMs: Number(ctimeMs) },
      readBytes: () => readAll(handle, path),
      close: () => handle.close(),
    };
  } catch (cause) {
    await handle.close();
    throw unreadable(path, "it can't be examined", cause);
  }
}

export function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Frees bytes in memory of their own, without waiting for the garbage collector; they are empty then. */
export function release(bytes: Buffer): void {
  (bytes.buffer as ArrayBuffer).transfer(0);
}

export function textOf(bytes: Buffer, name: string): string {
  if (!isUtf8(bytes)) throw unreadable(name, "it is not UTF-8 text");
  return bytes.toString();
}

// The size that a file claims means nothing for pipes, and may change meanwhile.
async function readAll(handle: FileHandle, path: string): Promise<Buffer> {
  // In one piece from the start: pieces and the whole together would be twice as much.
  const bytes = Buffer.allocUnsafeSlow(limits.maxDocumentBytes + 1);
  let total = 0;
  try {
    while (total < bytes.length) {
      const { bytesRead } = await handle.read(bytes, total, Math.min(bytes.length - total, 4_194_304), null);
      if (bytesRead === 0) return bytes.subarray(0, total);
      total += bytesRead;
    }
  } catch (cause) {
    throw unreadable(path, (cause as NodeJS.ErrnoException).code ?? "it can't be read", cause);
  }
  throw unreadable(path, `it has more than ${limits.maxDocumentBytes} bytes (maxDocumentBytes)`);
}

function unreadable(path: string, reason: string, cause?: unknown): HawserError {
  return new HawserError("usage", `OpenAPI document ${path} can't be read: ${reason}`, { cause, facts: { document: path } });
}
