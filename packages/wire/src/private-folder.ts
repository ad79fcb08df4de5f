// A private folder (0700) for what one process needs on disk, and that goes with it. Where the process was killed,
// the next one of the same user removes it: the folder carries its process in its name. One whose process can't be
// seen from here (of another container) is touched while that lives, and goes after a day of silence.

import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeThrown, HawserError } from "./errors.ts";
import { limits } from "./limits.ts";
import { startBeat } from "./process/holder-beat.ts";
import { holderPrefix, judgeHolder } from "./process/holder.ts";
import { onProcessEnd } from "./process/process-end.ts";
import { checkSocketPath, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX } from "./socket/names.ts";
import { temporaryFolder, temporaryFolders } from "./temporary-folder.ts";

export interface PrivateFolder {
  readonly path: string;
  remove(): void;
}

/** What a name begins with. The one of a conformance run is short, since sockets are made in it. */
const beginnings = { files: "hawser-files", demo: "hawser-demo", open: "hawser-open", conform: "hwc" } as const;

/** Throws `usage` where no folder can be made. */
export function createPrivateFolder(kind: keyof typeof beginnings): PrivateFolder {
  const name = `${beginnings[kind]}-${holderPrefix()}`;
  const parent = kind === "conform" ? folderForSockets(name) : temporaryFolder();
  removeLeftovers(parent);
  let path = "";
  // Tried again: a file may still be on its way into it while it is emptied.
  const removeFolder = (): void => void (path !== "" && rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  // Before there is a folder: a signal that comes right behind it must find this.
  const forget = onProcessEnd(removeFolder);
  try {
    path = mkdtempSync(join(parent, name));
  } catch (cause) {
    forget();
    throw new HawserError("usage", `no folder can be made in ${parent}: ${describeThrown(cause)}; name another one in TMPDIR`, { cause });
  }
  const endBeat = startBeat(path);
  return {
    path,
    remove() {
      endBeat();
      forget();
      removeFolder();
    },
  };
}

/** The first in which the path of a socket is not too long. Where there is none, the socket's own error says what to do. */
function folderForSockets(name: string): string {
  const socket = join(`${name}XXXXXX`, `${SOCKET_FILE_PREFIX}${"0".repeat(32)}${SOCKET_FILE_SUFFIX}`);
  for (const folder of temporaryFolders()) {
    try {
      checkSocketPath(join(folder, socket));
      return folder;
    } catch {
      // The next one may be shorter.
    }
  }
  return temporaryFolder();
}

const namePattern = new RegExp(`^(?:${Object.values(beginnings).join("|")})-(\\d+-\\d+-\\w+-\\w+)$`);
let isSwept = false;

function removeLeftovers(parent: string): void {
  if (isSwept) return;
  isSwept = true;
  const names = listNames(parent).filter((name) => namePattern.test(name));
  for (const name of names.slice(0, limits.maxSweptEntries)) {
    const path = join(parent, name);
    try {
      if (isLeftBehind(path, namePattern.exec(name)?.[1] ?? "")) rmSync(path, { recursive: true, force: true });
    } catch {
      // Gone meanwhile, or not ours to remove.
    }
  }
}

function isLeftBehind(path: string, holder: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  const state = judgeHolder(holder);
  return state === "gone" || (state === "unsure" && Date.now() - found.mtimeMs > limits.staleFolderMs);
}

function listNames(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}
