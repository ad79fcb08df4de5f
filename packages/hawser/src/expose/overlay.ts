// A folder that shows what is in another one, and one file more. Everything else is a link, so that a client finds its own
// settings, accounts and conversations, and writes to them; nothing of the user's is copied or changed.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `path` is where the file stands in the folder, as its parts. */
export function makeOverlay(original: string, folder: string, [name = "", ...rest]: readonly string[], content: string): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const entry of existsSync(original) ? readdirSync(original, { withFileTypes: true }) : []) {
    // The kind only matters on Windows, where folders can be linked without a special right.
    if (entry.name !== name) symlinkSync(join(original, entry.name), join(folder, entry.name), entry.isDirectory() ? "junction" : "file");
  }
  if (rest.length > 0) makeOverlay(join(original, name), join(folder, name), rest, content);
  else writeFileSync(join(folder, name), content, { mode: 0o600, flag: "wx" });
}
