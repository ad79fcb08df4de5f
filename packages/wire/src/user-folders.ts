// The folders in which a user's programs keep what is theirs, as the XDG specification names them, and how
// a folder is made with all that lead to it. Node's own way to make them asks again and again below /proc,
// where a folder that exists takes no other and says that it does not exist; this one tries each once.

import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

const places = {
  cache: { variable: "XDG_CACHE_HOME", usual: [".cache"] },
  config: { variable: "XDG_CONFIG_HOME", usual: [".config"] },
  data: { variable: "XDG_DATA_HOME", usual: [".local", "share"] },
} as const;

export function userFolder(kind: keyof typeof places, env: Readonly<Record<string, string | undefined>>): string {
  const { variable, usual } = places[kind];
  const given = env[variable] ?? "";
  // A relative one is to be ignored, says the specification.
  return isAbsolute(given) ? given : join(env["HOME"] || homedir(), ...usual);
}

/** New folders are for their owner alone. Rejects with what the file system says. */
export async function makeFolder(path: string): Promise<void> {
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
