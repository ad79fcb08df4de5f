// A folder for one scenario: fresh, readable by this user only, and gone afterwards.

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onProcessEnd, temporaryFolder } from "@hawser/wire/node";

export interface PrivateFolder {
  readonly path: string;
  remove(): void;
}

/** A fresh folder (0700) that is gone after `remove`, or with this process. */
export function createPrivateFolder(): PrivateFolder {
  let path = "";
  // What was killed just before may have one more file to make.
  const remove = (): void => void (path !== "" && rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  // Before there is a folder: a signal that comes right behind it must find this.
  const release = onProcessEnd(remove);
  // A short name: a socket's path has room for about a hundred bytes.
  path = mkdtempSync(join(temporaryFolder(), "hwc-"));
  return {
    path,
    remove() {
      release();
      remove();
    },
  };
}
