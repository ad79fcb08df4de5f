// How a program starts `hawser` when it was not told: the one that is installed beside this package, so that nothing
// has to be on the PATH; without one, the name, which the PATH leads to. Not the one of the working folder, which may
// be anybody's.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The program and its first arguments. */
export function hawserCommand(): readonly [string, ...string[]] {
  // Inside Electron, execPath is the app.
  if (process.versions["electron"] !== undefined) return ["hawser"];
  try {
    const manifest = createRequire(import.meta.url).resolve("hawser/package.json");
    return [process.execPath, join(dirname(manifest), "bin", "hawser.mjs")];
  } catch {
    return ["hawser"];
  }
}
