// Opens a file of ours, or says why it is not to be touched: a link, a pipe, a device, a folder, a file of
// somebody else. Checked on the open descriptor; opening waits for nobody and follows no link.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { describeThrown, HawserError } from "@hawser/wire";

// Windows has neither.
const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface PrivateFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Whether it belongs to the user of this process. */
export const isOwn = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

/** Undefined when there is no such file. */
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
