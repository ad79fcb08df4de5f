// The folder of the conversations: `${XDG_DATA_HOME:-~/.local/share}/hawser/conversations`, for its owner
// alone. Missing folders are made one by one: Node's own way to make them all can ask for ever below /proc.
// A link in place of the folder, or a folder of somebody else, is refused.

import { constants } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/wire";
import { isOwn } from "./private-file.ts";

export function defaultDataFolder(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["XDG_DATA_HOME"] ?? "";
  // A relative one is to be ignored, says the specification of these folders.
  const base = isAbsolute(given) ? given : join(env["HOME"] || homedir(), ".local", "share");
  return join(base, "hawser", "conversations");
}

/** Makes the folder if it is missing; throws why it can't be used. */
export async function preparePrivateFolder(folder: string, onNotice: (message: string) => void): Promise<void> {
  const path = resolve(folder);
  try {
    await makeFolders(path);
    await checkFolder(path, onNotice);
  } catch (error) {
    if (HawserError.isInstance(error)) throw error;
    const message = `the folder of the conversations, ${path}, can't be used: ${describeThrown(error)}; name another one, or go without a history`;
    throw new HawserError("internal", message, { cause: error, facts: { path } });
  }
}

async function makeFolders(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; !(await exists(folder)) && folder !== dirname(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster; whether it is good enough is looked at afterwards.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );

async function checkFolder(path: string, onNotice: (message: string) => void): Promise<void> {
  // Windows opens no folder, and has no such owners and modes.
  if (process.platform === "win32") return;
  // By descriptor: what is looked at is what is changed, whatever happens to the name meanwhile.
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
    await handle.chmod(0o700);
    onNotice(`the folder ${path} was open to others; it holds conversations and is now for its owner alone`);
  } finally {
    await handle.close();
  }
}
