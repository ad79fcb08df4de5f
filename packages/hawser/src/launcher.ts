// Where this program lies, the same from the sources and from the build: the launcher, for commands
// that start `hawser` again as a child, and the version.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const launcherPath = fileURLToPath(new URL("../bin/hawser.mjs", import.meta.url));

export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}
