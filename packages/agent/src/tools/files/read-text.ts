// Reads text from an opened file within bounds, whatever the file does meanwhile: one that grows is read
// up to the bound, and one that is not UTF-8 text is refused with its size and kind.

import type { FileHandle } from "node:fs/promises";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../../limits.ts";
import { fileError, toFileError } from "./file-errors.ts";
import { kindOf } from "./file-kind.ts";
import type { OpenedFile } from "./open-inside.ts";

const chunkBytes = 65_536;

/** The first bytes of an open file, or all of it where it has fewer. */
export async function readStart(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  for (let more = -1; more !== 0 && length < maxBytes; length += more)
    more = (await handle.read(buffer, length, maxBytes - length, length)).bytesRead;
  return buffer.subarray(0, length);
}

interface LineRange {
  /** The first line is 1. */
  readonly from: number;
  readonly count: number;
}

/** The lines of a range, as many as fit into `readFileBytes`. */
export async function readLines(file: OpenedFile, range: LineRange, signal: AbortSignal) {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let skippedBytes = 0;
  let line = 1;
  let isAtEnd = true;
  for await (const chunk of chunksOf(file, signal)) {
    if (chunk.includes(0)) throw notText(file, chunk);
    let start = 0;
    while (line < range.from && start < chunk.length) {
      const lineEnd = chunk.indexOf(10, start);
      start = lineEnd < 0 ? chunk.length : lineEnd + 1;
      if (lineEnd >= 0) line++;
    }
    skippedBytes += start;
    if (skippedBytes > agentLimits.skippedFileBytes) throw fileError(file.shown, "is too large to reach that line; use search_files");
    if (start === chunk.length) continue;
    kept.push(chunk.subarray(start));
    keptBytes += chunk.length - start;
    // One byte more than fits says that there is more.
    if (keptBytes > agentLimits.readFileBytes) {
      isAtEnd = false;
      break;
    }
  }
  return takeLines(file, Buffer.concat(kept), range.count, isAtEnd);
}

/** `lines`: complete ones, the last one of a file also without a line end. `isLineCut`: the only one is longer than an answer may be. */
function takeLines(file: OpenedFile, bytes: Buffer, count: number, isAtEnd: boolean) {
  const room = Math.min(bytes.length, agentLimits.readFileBytes);
  let end = 0;
  let lines = 0;
  while (lines < count && end < room) {
    const lineEnd = bytes.indexOf(10, end);
    const next = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (next > room || (lineEnd < 0 && !isAtEnd)) break;
    end = next;
    lines++;
  }
  const isLineCut = lines === 0 && bytes.length > 0;
  if (isLineCut) end = wholeCharacterBytes(bytes.subarray(0, room));
  return { content: toText(file, bytes.subarray(0, end)), lines, hasMore: end < bytes.length || !isAtEnd, isLineCut };
}

/** How many of these bytes make whole characters; the rest is the beginning of one that was cut. */
export function wholeCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The whole file, if it is text of at most `maxBytes`. */
export async function readWholeText(file: OpenedFile, maxBytes: number, signal: AbortSignal): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(file, signal)) {
    if (chunk.includes(0)) throw notText(file, chunk);
    kept.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw fileError(file.shown, `is larger than ${maxBytes} bytes`);
  }
  return toText(file, Buffer.concat(kept));
}

async function* chunksOf(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await file.handle
      .read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
      .catch((error: unknown) => {
        throw toFileError(error, file.shown);
      });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

// The mark at the beginning of some files belongs to them: an edit must not lose it.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function toText(file: OpenedFile, bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notText(file, bytes);
  }
}

function notText({ shown, stats }: OpenedFile, bytes: Buffer): HawserError {
  const kind = kindOf(bytes);
  return fileError(shown, `is not UTF-8 text but ${kind} of ${stats.size} bytes, which this tool can't show`);
}
