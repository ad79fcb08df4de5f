// One file of compiled code in the user's cache folder. It is executed, so it lies where only this user can write (0700, 0600)
// and is checked before it is used: V8 crashes on damaged code. Without such a place, or with anything unexpected in it,
// there is silently no cache: it only saves time.

import fs from "node:fs";
import { join } from "node:path";

export interface CodeCacheOptions {
  readonly cacheHome: string | undefined;
  readonly name: string;
  /** Names what was compiled; code with another key is not read. */
  readonly key: string;
}

export interface CodeCache {
  read(): Buffer | undefined;
  write(code: Buffer): void;
}

const keyBytes = 64;

export function createCodeCache({ cacheHome, name, key }: CodeCacheOptions): CodeCache | undefined {
  if (cacheHome === undefined) return undefined;
  const folder = join(cacheHome, "hawser");
  try {
    makeFolder(cacheHome);
    makeFolder(folder);
    const status = fs.lstatSync(folder);
    // A link leads to a folder with another purpose, whose mode is not ours to change.
    if (!status.isDirectory() || (process.getuid && status.uid !== process.getuid())) return undefined;
    if (process.getuid && (status.mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700);
  } catch {
    return undefined;
  }
  const path = join(folder, `${name}.bin`);
  const header = Buffer.alloc(keyBytes);
  header.write(key);

  return {
    read() {
      try {
        return codeIn(fs.readFileSync(path), header);
      } catch {
        return undefined;
      }
    },
    write(code) {
      const unfinished = `${path}.${process.pid}`;
      try {
        fs.writeFileSync(unfinished, Buffer.concat([header, code, header, code]), { mode: 0o600, flag: "wx" });
        fs.renameSync(unfinished, path);
      } catch {
        fs.rmSync(unfinished, { force: true });
      }
    },
  };
}

// Not `recursive`: below a folder that can't hold files, such as /proc, that never returns.
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // It exists, or another bridge that starts at the same moment made it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

// The code is stored twice: comparing takes almost no time, a checksum a tenth of the start.
function codeIn(bytes: Buffer, header: Buffer): Buffer | undefined {
  const half = bytes.subarray(0, bytes.length / 2);
  const isWhole = half.length > keyBytes && half.equals(bytes.subarray(half.length)) && half.subarray(0, keyBytes).equals(header);
  return isWhole ? half.subarray(keyBytes) : undefined;
}
