// A disk that can be full: a small file system in memory, mounted on a folder of its own. Mounting is for the
// system's administrator only.

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Come with the system. */
const [mount, unmount] = ["mount", "umount"];

export interface TinyDisk extends Disposable {
  readonly folder: string;
  /** To the last byte. */
  fill(): void;
  /** What filled it is gone. */
  clear(): void;
}

/** Why there can be none on this machine; undefined when there can. */
export function whyNoTinyDisk(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can mount a disk";
  try {
    mountTinyDisk(64)[Symbol.dispose]();
  } catch (error) {
    return `a disk can't be mounted: ${String(error)}`;
  }
  return undefined;
}

export function mountTinyDisk(kilobytes: number): TinyDisk {
  const folder = mkdtempSync(join(tmpdir(), "hawser-desktop-disk-"));
  try {
    execFileSync(mount, ["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=0700`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fillWith(filler),
    clear: () => rmSync(filler),
    [Symbol.dispose]() {
      // Even if somebody still has a file of it open.
      spawnSync(unmount, ["-l", folder]);
      rmdirSync(folder);
    },
  };
}

function fillWith(path: string): void {
  const file = openSync(path, "a");
  try {
    for (const block = Buffer.alloc(4_096); ;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
