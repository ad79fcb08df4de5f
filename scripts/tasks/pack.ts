// Makes a tarball of every package, as npm would publish it: for the check of their shape, for people who use them
// in a project of their own before they are published, and for the rehearsal of a release.

import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { problem } from "../setup/problem.mjs";
import { root, run } from "./tool.ts";

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The entries that can be imported; none where it is only run. */
  readonly entries: readonly string[];
  readonly tarball: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** Packs everything below `packages` with one start of npm. The packages must be built. */
export async function packPackages(destination: string): Promise<PackedPackage[]> {
  const files = globSync("packages/*/package.json", { cwd: root }).toSorted();
  const folders = files.map((file) => `./${dirname(file)}`);
  const packed = await run("npm", ["pack", ...folders, "--ignore-scripts", "--pack-destination", destination]);
  if (packed.code !== 0) throw problem(`npm pack failed\n${packed.output}`);
  return files.map((file) => {
    const { name, version, exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
    const tarball = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    return { name, version, entries: Object.keys(exports).map((entry) => name + entry.slice(1)), tarball };
  });
}

/** `npm run pack`: the tarballs in one folder, and how to install them. */
export async function packForProjects(): Promise<number> {
  const folder = join(root, "tarballs");
  // Those of an earlier version would be installed as well.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const packages = await packPackages(folder);
  for (const { name, tarball } of packages) process.stdout.write(`${name.padEnd(20)} ${relative(root, tarball)}\n`);
  process.stdout.write(`\nIn your own project, all of them together:\n\n  npm install ${join(folder, "*.tgz")}\n\n`);
  process.stdout.write("docs/own-project.md says how to go on.\n");
  return 0;
}
