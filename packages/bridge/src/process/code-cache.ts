// One file of compiled code in the user's cache folder. It is executed, so it lies where only this user
// can write (0700, 0600) and is checked before it is used: V8 crashes on damaged code. Without such a
// place, or with anything unexpected in it, there is no cache, and nobody is told: it saves time and nothing else.

import fs from "node:fs";
import { join } from "node:path";

export interface CodeCacheOptions {
  readonly cacheHome: string | undefined;
  readonly name: string;
  /** What the code was made of; under another key it is not read. */
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
    // Behind a link lies a folder that somebody made for something else: its mode is not ours to change.
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

// Not `recursive`: where nothing can be made, such as below /proc, that never returns.
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // There already, or made by a bridge that starts in the same moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

// It is there twice: comparing takes no time at all, a checksum as long as a tenth of the start.
function codeIn(bytes: Buffer, header: Buffer): Buffer | undefined {
  const half = bytes.subarray(0, bytes.length / 2);
  const isWhole = half.length > keyBytes && half.equals(bytes.subarray(half.length)) && half.subarray(0, keyBytes).equals(header);
  return isWhole ? half.subarray(keyBytes) : undefined;
}
