// A small file as text, whatever its path leads to: a device or a pipe without an end is left alone
// after as many bytes as such a file may have.

import { open } from "node:fs/promises";

/** What the file system says, in a word. */
export const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "failed";

/** Undefined if there is more than `maxBytes`. Rejects with what the file system says. */
export async function readBoundedFile(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path, "r");
  try {
    const content = Buffer.alloc(maxBytes + 1);
    let size = 0;
    while (size < content.length) {
      const { bytesRead } = await file.read(content, size, content.length - size, null);
      if (bytesRead === 0) return content.toString("utf8", 0, size);
      size += bytesRead;
    }
    return undefined;
  } finally {
    await file.close();
  }
}
