// The folder of the conversations and the files in it, for their owner alone. A link, a pipe, a device, or a file of
// another user is refused. The check is made on the open descriptor, so a file swapped under its name changes nothing.
//
// A file's name is what is readable of the conversation's id and a hash of the exact id: distinct ids never share a
// file, whatever a file system does with case, Unicode forms or long names, and no id leads outside the folder.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeThrown, HawserError, quoteShort } from "@hawser/protocol/internal";
import { isUnwritable, makeFolder, userFolder } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";

// Windows has neither.
const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const isOwn = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

/** A file that can't be looked at for another reason is there. */
export const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );

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
    // What its owner may do stays: a folder that was made read-only is meant to be.
    const isClosed = await handle.chmod(mode & 0o700).then(() => true, ignoreUnwritable);
    const now = isClosed ? "is now for its owner alone" : "can't be changed here: chmod 700 it where it can be written";
    onNotice(`the folder ${path} was open to others; it holds conversations and ${now}`);
  } finally {
    await handle.close();
  }
}

function ignoreUnwritable(error: unknown): false {
  if (!isUnwritable(error)) throw error;
  return false;
}

export function unwritableFolder(folder: string, cause: unknown): HawserError {
  const message = `the folder of the conversations, ${folder}, can't be written (${(cause as NodeJS.ErrnoException).code}): they can be read, but nothing can be added or changed. Make it writable, or name another one with --data-dir, or go without a history with --no-history`;
  return new HawserError("usage", message, { cause, facts: { path: folder } });
}

export function unwritableFile(path: string, cause: unknown): HawserError {
  const message = `the conversation's file ${path} can't be written (${(cause as NodeJS.ErrnoException).code}): it can be read, but nothing can be added or changed. Make it writable, or use another conversation`;
  return new HawserError("usage", message, { cause, facts: { path } });
}

export interface PrivateFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Never waits, as the opening of a pipe would. Undefined when there is no such file. */
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

const readableChars = 40;
const journalName = /^c-[a-z0-9-]{0,40}\.[0-9a-f]{32}\.jsonl$/;

/** Throws `usage` for an id that is too long to be kept. */
export function toFileName(conversationId: string): string {
  const { agentConversationIdChars } = agentLimits;
  if (conversationId.length > agentConversationIdChars) {
    const message = `a conversationId of ${conversationId.length} characters; the limit is ${agentConversationIdChars}. Use a shorter one`;
    throw new HawserError("usage", message, { facts: { agentConversationIdChars } });
  }
  // The name before the first dot must not be that of a device, nor begin with a dash: `con.x.jsonl` is the console on Windows.
  const readable = conversationId
    .slice(0, readableChars)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, readableChars);
  // As UTF-16: in UTF-8 all halves of surrogate pairs would be one and the same character.
  const hash = createHash("sha256").update(Buffer.from(conversationId, "utf16le")).digest("hex");
  return `c-${readable}.${hash.slice(0, 32)}.jsonl`;
}

export const isJournalName = (name: string): boolean => journalName.test(name);

/** The id in a message, so that nothing in it can pass for our words. */
export const toShownId = (conversationId: string): string => quoteShort(conversationId, 60);

/** For a `catch`: what has no words of ours yet says which conversation can't be used. */
export function rethrow(conversationId: string): (error: unknown) => never {
  return (cause) => {
    if (HawserError.isInstance(cause)) throw cause;
    throw new HawserError("internal", `conversation ${toShownId(conversationId)} can't be used: ${describeThrown(cause)}`, { cause });
  };
}
