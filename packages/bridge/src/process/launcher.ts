// The first file of the bundled bridge. Node can keep compiled code between starts, but only of what
// is loaded after the cache was switched on; so this file is small, and the rest is another one.

import fs from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

// Compiled code is executed, so it lies where only this user can write. Without such a place: no cache.
function enableCompileCache(): void {
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const cacheHome = isAbsolute(given) ? given : join(homedir(), ".cache");
    const folder = join(cacheHome, "hawser");
    makeFolder(cacheHome);
    makeFolder(folder);
    const { uid, mode } = fs.lstatSync(folder);
    if (process.getuid && uid !== process.getuid()) return;
    if (process.getuid && (mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700);
    module.enableCompileCache(folder);
  } catch {
    // A cache saves time and nothing else.
  }
}

// Not `recursive`: where nothing can be made, such as below /proc, that never returns.
function makeFolder(path: string): void {
  if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
}

enableCompileCache();
module.createRequire(__filename)("./bridge-main.cjs");
