// A private folder (0700) for what one process needs on disk, and that goes with it. Where the process was killed,
// the next one of the same user removes it: the folder carries its process in its name. One whose process can't be
// seen from here (of another container) is touched while that lives, and goes after a day of silence.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { wireLimits } from "../limits.ts";
import { holderPrefix, judgeHolder, startBeat } from "../process/holder.ts";
import { onProcessEnd } from "../process/process-end.ts";
import { checkSocketPath, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX } from "../socket/names.ts";
import { temporaryFolder, temporaryFolders } from "./temporary-folder.ts";

export type PrivateFolder = ReturnType<typeof createPrivateFolder>;

/** What a name begins with. The one of a conformance run is short, since sockets are made in it. */
const beginnings = {
  acp: "hawser-acp",
  files: "hawser-files",
  demo: "hawser-demo",
  open: "hawser-open",
  conform: "hwc",
  undo: "hawser-undo",
  search: "hawser-search",
} as const;

/** Throws `usage` where no folder can be made. */
export function createPrivateFolder(kind: keyof typeof beginnings) {
  const name = `${beginnings[kind]}-${holderPrefix()}`;
  const parent = kind === "conform" ? folderForSockets(name) : temporaryFolder();
  removeLeftovers(parent);
  let path = "";
  // Tried again: a file may still be on its way into it while it is emptied.
  const removeFolder = (): void => void (path !== "" && fs.rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  // Before there is a folder: a signal that comes right behind it must find this.
  const forget = onProcessEnd(removeFolder);
  try {
    path = fs.mkdtempSync(join(parent, name));
  } catch (cause) {
    forget();
    throw new HawserError("usage", `no folder can be made in ${parent}: ${describeThrown(cause)}; name another one in TMPDIR`, { cause });
  }
  const endBeat = startBeat(path);
  return {
    path,
    remove(): void {
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
  for (const name of names.slice(0, wireLimits.maxSweptEntries)) {
    const path = join(parent, name);
    try {
      if (isLeftBehind(path)) fs.rmSync(path, { recursive: true, force: true });
    } catch {
      // Gone meanwhile, or not ours to remove.
    }
  }
}

function isLeftBehind(path: string): boolean {
  const found = fs.lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  const state = judgeHolder(namePattern.exec(basename(path))?.[1] ?? "");
  return state === "gone" || (state === "unsure" && Date.now() - found.mtimeMs > wireLimits.staleFolderMs);
}

/** Empty for a folder that can't be read. */
export function listNames(parent: string): string[] {
  try {
    return fs.readdirSync(parent);
  } catch {
    return [];
  }
}

// Where a user's programs keep what is theirs, as the XDG specification names it, and how folders and small
// files are made there, for their owner alone.

const places = {
  cache: { variable: "XDG_CACHE_HOME", usual: [".cache"] },
  config: { variable: "XDG_CONFIG_HOME", usual: [".config"] },
  data: { variable: "XDG_DATA_HOME", usual: [".local", "share"] },
  state: { variable: "XDG_STATE_HOME", usual: [".local", "state"] },
} as const;

export function userFolder(kind: keyof typeof places, env: Readonly<Record<string, string | undefined>>): string {
  const { variable, usual } = places[kind];
  const given = env[variable] ?? "";
  // A relative one is to be ignored, says the specification.
  return isAbsolute(given) ? given : join(env["HOME"] || homedir(), ...usual);
}

/** Makes a folder with all that lead to it. Rejects with what the file system says. */
export async function makeFolder(path: string): Promise<void> {
  // Node's own way asks again and again below /proc, where a folder that exists takes no other and says that it
  // does not exist; here each is tried once.
  const missing: string[] = [];
  for (let folder = resolve(path); !(await isFolder(folder)); folder = dirname(folder)) {
    missing.push(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of missing.toReversed()) {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster; the result is the same.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

const unwritableCodes = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/** Whether it was the file system that doesn't let us write, to what can perhaps be read. */
export const isUnwritable = (error: unknown): boolean => unwritableCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code));

/** Writes a file whole: a reader sees the old content or the new one, never half of it. Rejects with what the file system says. */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}-${randomUUID()}.tmp`);
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes what writers of this file have left that were killed. Only under a lock that each of its writers holds. */
export async function removeDrafts(path: string): Promise<void> {
  const [folder, beginning] = [dirname(path), `.${basename(path)}-`];
  const left = listNames(folder).filter((name) => name.startsWith(beginning) && /^[\da-f-]{36}\.tmp$/.test(name.slice(beginning.length)));
  await Promise.all(left.slice(0, wireLimits.maxSweptEntries).map((name) => rm(join(folder, name), { force: true })));
}
