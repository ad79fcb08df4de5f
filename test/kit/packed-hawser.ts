// `hawser` in few files, laid out as a checkout that is built: the launcher as it is, and beside it what the sources
// of all packages hold. It does what `hawser` does, and starts quickly.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packProgram, root } from "./packed-program.ts";

/** The launcher; `igw` lies beside it. */
export async function packHawser(): Promise<string> {
  const folder = await packProgram({ name: "hawser", entry: "packages/hawser/src/main.ts", addTo: addPackage });
  return join(folder, "bin", "hawser.mjs");
}

// The launcher asks whether sources are newer than what is built: here are none, nor packages that have some.
function addPackage(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(root, "packages/hawser/package.json"), "utf8")) as object;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: {} }));
  writeFileSync(join(folder, "tsconfig.json"), "{}");
  mkdirSync(join(folder, "src"));
  cpSync(join(root, "packages/hawser/bin"), join(folder, "bin"), { recursive: true });
  linkUndici(join(folder, "node_modules"));
}

// The gateway loads parts of it by their paths, which no bundle can hold. Another version lies further up.
function linkUndici(folder: string): void {
  mkdirSync(folder);
  const { resolve } = createRequire(join(root, "packages/gateway/package.json"));
  symlinkSync(dirname(resolve("undici/package.json")), join(folder, "undici"), "junction");
}
