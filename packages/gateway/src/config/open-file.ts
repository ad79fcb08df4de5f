// Reading a file by callbacks, as promises: `node:fs/promises` takes longer to load than a configuration takes to be read.

import fs from "node:fs";
import { promisify } from "node:util";

export interface OpenFile {
  /** Into a part of the buffer, from a position, or from where the last read ended. */
  read(into: Buffer, offset: number, length: number, position: number | null): Promise<number>;
  stat(): Promise<fs.BigIntStats>;
  close(): Promise<void>;
}

const [open, read, fstat, close] = [promisify(fs.open), promisify(fs.read), promisify(fs.fstat), promisify(fs.close)];

export const lstat: (path: string) => Promise<fs.Stats> = promisify(fs.lstat);

export async function openFile(path: string): Promise<OpenFile> {
  const file = await open(path, "r");
  return {
    read: async (into, offset, length, position) => (await read(file, into, offset, length, position)).bytesRead,
    stat: () => fstat(file, { bigint: true }),
    close: () => close(file),
  };
}

/** Undefined if there is more than `maxBytes`, whatever size the file claims; that means nothing for pipes. */
export async function readUpTo(file: OpenFile, maxBytes: number): Promise<Buffer | undefined> {
  // In one piece from the start: pieces and the whole together would be twice as much.
  const content = Buffer.allocUnsafeSlow(maxBytes + 1);
  let size = 0;
  while (size < content.length) {
    const bytesRead = await file.read(content, size, Math.min(content.length - size, 4_194_304), null);
    if (bytesRead === 0) return content.subarray(0, size);
    size += bytesRead;
  }
  return undefined;
}
