// The file of a root's log. Lines are added to its end, or all of it is written anew and renamed into place. Other processes do the
// same, one at a time (the caller holds the lock): before each use what they have added is read. Half a line that a killed
// process left at the end is cut off.

import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, renameSync, statSync, writeSync } from "node:fs";
import type { Header, LogRecord } from "./records.ts";

const chunkBytes = 1_048_576;
const lineFeed = 10;

export interface LogReader {
  /** The file is another one: everything comes again. */
  onStart(): void;
  /** Each line; a line that isn't JSON is told as undefined. */
  onLine(value: unknown): void;
  /** So many bytes are about to be read. */
  onRead(bytes: number): void;
}

export function createLogFile(path: string, reader: LogReader) {
  let ino = -1;
  let size = 0;

  /** Reads what is new. False when there is no file. */
  function catchUp(): boolean {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return false;
    if (found.ino === ino && found.size === size) return true;
    if (found.ino !== ino || found.size < size) {
      reader.onStart();
      ino = found.ino;
      size = 0;
    }
    reader.onRead(found.size - size);
    const file = openSync(path, "r+");
    try {
      size = readLines(file, size, reader.onLine);
      if (fstatSync(file).size > size) ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
    return true;
  }

  return {
    catchUp,
    get bytes(): number {
      return size;
    },
    /** `isDurable`: it outlives the machine, not only the process. */
    add(records: readonly (LogRecord | Header)[], isDurable = false): void {
      if (records.length === 0) return;
      const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      const file = openSync(path, "a", 0o600);
      try {
        writeAll(file, bytes);
        if (isDurable) fsyncSync(file);
        size += bytes.length;
        ino = fstatSync(file).ino;
      } catch (error) {
        // Half of it would be joined to the next line.
        ftruncateSync(file, size);
        throw error;
      } finally {
        closeSync(file);
      }
    },
    /** Instead of everything that there is. */
    replace(lines: Iterable<object>): void {
      const draft = `${path}.draft`;
      const file = openSync(draft, "w", 0o600);
      let written = 0;
      try {
        let text = "";
        for (const line of lines) {
          text += `${JSON.stringify(line)}\n`;
          if (text.length < chunkBytes) continue;
          written += writeAll(file, Buffer.from(text));
          text = "";
        }
        written += writeAll(file, Buffer.from(text));
        fsyncSync(file);
        ino = fstatSync(file).ino;
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
      size = written;
    },
  };
}

function writeAll(file: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  return bytes.length;
}

/** Returns where the last whole line ends. */
function readLines(file: number, from: number, onLine: (value: unknown) => void): number {
  const chunk = Buffer.alloc(chunkBytes);
  let rest = Buffer.alloc(0);
  let end = from;
  for (let at = from; ;) {
    const count = readSync(file, chunk, 0, chunk.length, at);
    if (count === 0) return end;
    at += count;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let next = bytes.indexOf(lineFeed); next !== -1; next = bytes.indexOf(lineFeed, start)) {
      onLine(parse(bytes.toString("utf8", start, next)));
      end += next + 1 - start;
      start = next + 1;
    }
    rest = bytes.subarray(start);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
