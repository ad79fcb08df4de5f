// A private folder for what one launch needs on disk, and that goes with it. Where the launch was killed, the
// next one of the same user removes what it left: a folder carries the process it belongs to in its name.

import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeThrown, HawserError } from "@hawser/wire";
import { onProcessEnd, temporaryFolder } from "@hawser/wire/node";

export interface LaunchFolder {
  readonly path: string;
  remove(): void;
}

/** Throws `usage` where no folder can be made. */
export function createLaunchFolder(kind: "files" | "demo" | "open"): LaunchFolder {
  const parent = temporaryFolder();
  removeLeftovers(parent);
  const path = makeFolder(parent, `hawser-${kind}-${process.pid}-${processSpace()}-`);
  // Tried again: a file may still be on its way into it while it is emptied.
  const removeFolder = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  const release = onProcessEnd(removeFolder);
  return {
    path,
    remove() {
      release();
      removeFolder();
    },
  };
}

function makeFolder(parent: string, prefix: string): string {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (cause) {
    throw new HawserError("usage", `no folder can be made in ${parent}: ${describeThrown(cause)}; name another one in TMPDIR`, { cause });
  }
}

const namePattern = /^hawser-(?:files|demo|open)-(\d+)-(\d+)-\w+$/;

function removeLeftovers(parent: string): void {
  for (const name of listNames(parent)) {
    const [, pid, space] = namePattern.exec(name) ?? [];
    if (pid === undefined || space !== processSpace() || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    try {
      const stat = lstatSync(path);
      if (stat.isDirectory() && stat.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
    } catch {
      // Gone meanwhile, or not ours to remove.
    }
  }
}

function listNames(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}

/** A container may share the folder for temporary files and count its processes for itself. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
