// Where this program lies: the launcher, for what others start, the same from the sources and from the build; what a command
// starts `hawser` with again as its child; the version, and what a person types to run it.

import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export const launcherPath = fileURLToPath(new URL("../../bin/hawser.cjs", import.meta.url));

/** In the bundle. */
declare const __HAWSER_VERSION__: string;

const isBundled = typeof __HAWSER_VERSION__ === "string";

/** The first file of our own children. The launcher has looked once already whether Node and the build are new enough. */
export const childProgram = isBundled ? fileURLToPath(new URL("start.cjs", import.meta.url)) : launcherPath;

export function readVersion(): string {
  if (isBundled) return __HAWSER_VERSION__;
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}

/** The name under which this program was started: `igw` to the hosts that know it so, else `hawser`. */
export const programName = (path: string = process.argv[1] ?? ""): "hawser" | "igw" =>
  /^igw(?:\.|$)/.test(basename(path)) ? "igw" : "hawser";

/** What works in the reader's shell: in a checkout, and when started through npx, the name alone is not on the PATH. */
export const commandName = (
  environment: NodeJS.ProcessEnv = process.env,
  // A published package has no tsconfig.json.
  isInCheckout: boolean = existsSync(new URL("../../tsconfig.json", import.meta.url)),
): string => (isInCheckout || environment["npm_command"] === "exec" ? `npx ${programName()}` : programName());
