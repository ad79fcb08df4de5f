// The lines of a file in bounded memory: one chunk and one line are held at a time, and a line longer than
// the limit is passed over. Split at byte 0x0A only.

import type { FileHandle } from "node:fs/promises";

export interface FileLine {
  /** Undefined when the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Where it begins in the file. */
  readonly start: number;
  /** The last line may have no end. */
  readonly hasEnd: boolean;
}

export interface FileLinesOptions {
  readonly from?: number;
  readonly maxLineBytes: number;
}

const chunkBytes = 262_144;

export async function* readFileLines(handle: FileHandle, { from = 0, maxLineBytes }: FileLinesOptions): AsyncGenerator<FileLine> {
  let pieces: Buffer[] = [];
  let held = 0;
  let start = from;
  let position = from;

  function take(piece: Buffer): void {
    held += piece.length;
    if (held > maxLineBytes) pieces = [];
    else pieces.push(piece);
  }

  function finishLine(hasEnd: boolean): FileLine {
    const line = { bytes: held > maxLineBytes ? undefined : Buffer.concat(pieces), start, hasEnd };
    start += held + (hasEnd ? 1 : 0);
    [pieces, held] = [[], 0];
    return line;
  }

  for (;;) {
    // A new one each time: the pieces of an unfinished line point into it.
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, at)) {
      take(chunk.subarray(at, end));
      yield finishLine(true);
      at = end + 1;
    }
    if (at < chunk.length) take(chunk.subarray(at));
  }
  if (held > 0) yield finishLine(false);
}
