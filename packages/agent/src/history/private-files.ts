// The folder of the conversations and the files in it, for their owner alone: `conversations` in the folder
// that holds the user's data. A link, a pipe, a device, or what belongs to somebody else is refused: checked on
// the open descriptor, so that what is looked at is what is used, whatever happens to the name meanwhile.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/wire";
import { makeFolder, userFolder } from "@hawser/wire/node";

// Windows has neither.
const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether it belongs to the user of this process. */
const isOwn = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

export const defaultDataFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(userFolder("data", env), "hawser", "conversations");

/** Makes the folder if it is missing; throws why it can't be used. */
export async function preparePrivateFolder(folder: string, onNotice: (message: string) => void): Promise<void> {
  const path = resolve(folder);
  try {
    await makeFolder(path);
    await checkFolder(path, onNotice);
  } catch (error) {
    if (HawserError.isInstance(error)) throw error;
    const message = `the folder of the conversations, ${path}, can't be used: ${describeThrown(error)}; name another one with --data-dir, or go without a history with --no-history`;
    throw new HawserError("usage", message, { cause: error, facts: { path } });
  }
}

async function checkFolder(path: string, onNotice: (message: string) => void): Promise<void> {
  // Windows opens no folder, and has no such owners and modes.
  if (process.platform === "win32") return;
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOOP" && error.code !== "ENOTDIR") throw error;
      throw new HawserError("usage", `${path} is not a folder, or only a link to one; name the folder itself`, { cause: error });
    },
  );
  try {
    const { uid, mode } = await handle.stat();
    if (!isOwn(uid)) throw new HawserError("usage", `the folder ${path} belongs to another user; name one of your own`);
    if ((mode & 0o077) === 0) return;
    const isClosed = await handle.chmod(0o700).then(() => true, ignoreUnwritable);
    const now = isClosed ? "is now for its owner alone" : "can't be changed here: chmod 700 it where it can be written";
    onNotice(`the folder ${path} was open to others; it holds conversations and ${now}`);
  } finally {
    await handle.close();
  }
}

const unwritableCodes = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/** Whether it was the file system that doesn't let us write, to what can perhaps be read. */
export const isUnwritable = (error: unknown): boolean => unwritableCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code));

function ignoreUnwritable(error: unknown): false {
  if (!isUnwritable(error)) throw error;
  return false;
}

export function unwritableFolder(folder: string, cause: unknown): HawserError {
  const message = `the folder of the conversations, ${folder}, can't be written (${(cause as NodeJS.ErrnoException).code}): they can be read, but nothing can be added or changed. Make it writable, or name another one with --data-dir, or go without a history with --no-history`;
  return new HawserError("usage", message, { cause, facts: { path: folder } });
}

export interface PrivateFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Waits for nobody. Undefined when there is no such file. */
export async function openPrivateFile(path: string, access: "read" | "append"): Promise<PrivateFile | undefined> {
  const flags = access === "read" ? constants.O_RDONLY : constants.O_RDWR | constants.O_APPEND;
  let handle: FileHandle;
  try {
    handle = await open(path, flags | carefully);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(path, (error as NodeJS.ErrnoException).code === "ELOOP" ? "it is a symbolic link" : describeThrown(error), error);
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw unusable(path, "it is not a regular file");
    if (!isOwn(found.uid)) throw unusable(path, "it belongs to another user");
    if (access === "append" && (found.mode & 0o077) !== 0) await handle.chmod(0o600);
    return { handle, size: found.size, mtimeMs: found.mtimeMs };
  } catch (error) {
    await handle.close();
    throw HawserError.isInstance(error) ? error : unusable(path, describeThrown(error), error);
  }
}

/** For a file that does not exist yet. */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | carefully, 0o600);
}

export function unusable(path: string, reason: string, cause?: unknown): HawserError {
  const message = `the conversation's file ${path} can't be used: ${reason}. It was left as it is: mend or move it, or use another conversation`;
  return new HawserError("internal", message, { cause, facts: { path } });
}
