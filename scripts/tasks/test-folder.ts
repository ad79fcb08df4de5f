// Where tests keep their files. They make and remove tens of thousands, which costs a quarter of all processor time on a disk: so in
// memory, where Linux offers enough of it and whoever runs the tests names no other place.

import { mkdtempSync, chmodSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** Far more than a run has needed. A container has 64 MB unless told otherwise. */
const enoughBytes = 4 * 2 ** 30;

export interface TestFolder extends Disposable {
  readonly path: string;
}

/** Goes with everything in it, also with what killed programs have left. */
export function makeTestFolder(): TestFolder {
  // Short, since the paths of sockets are bounded.
  const path = mkdtempSync(join(process.env["TMPDIR"] === undefined && isMemoryUsable() ? memory : tmpdir(), "h-"));
  // Some tests start programs as another user.
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function isMemoryUsable(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === memory);
    // Programs that tests write are started there.
    return mount !== undefined && !/\b(?:noexec|ro)\b/.test(mount.split(" ")[3] ?? "") && bavail * bsize >= enoughBytes;
  } catch {
    return false;
  }
}
