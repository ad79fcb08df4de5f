// Where a user's programs keep what is theirs, as the XDG specification names it, and how folders and small
// files are made there, for their owner alone.

import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

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
      // Somebody else was faster, which is as good.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

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
