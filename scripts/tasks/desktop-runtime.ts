// Stages what the desktop app carries to run the agent: `node`, and the command line as it is published, which holds
// everything that it needs. The same tree gives the same bytes, names, modes and times. Nothing is loaded from the network.

import {
  copyFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./tool.ts";

export interface StagedRuntime {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

export interface StageOptions {
  /** Replaced as a whole. */
  readonly to: string;
  /** The program that runs it. */
  readonly node?: string;
}

/** Named in the test of the runtime and in the app: where it is found in the folder. */
export const nodeName = "node";
export const entryPath = "node_modules/hawser/bin/hawser.cjs";

/** Inside the repository; git ignores it. */
export const runtimeFolder = join(root, "apps", "desktop", "runtime");

export function stageRuntime({ to, node = process.execPath }: StageOptions): StagedRuntime {
  // Beside its place, so that what is there never is half of it.
  const draft = `${to}.new`;
  rmSync(draft, { recursive: true, force: true });
  const from = join(root, "packages", "hawser");
  const { files: published } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { readonly files: readonly string[] };
  const names = ["package.json", "LICENSE", ...published];
  const sizes = names.flatMap((name) => copyBelow(join(from, name), join(draft, "node_modules", "hawser", name)));
  sizes.push(copyFile(realpathSync(node), join(draft, nodeName), 0o755));
  rmSync(to, { recursive: true, force: true });
  renameSync(draft, to);
  return { folder: to, files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

function copyBelow(from: string, to: string): number[] {
  if (!statSync(from).isDirectory()) return [copyFile(from, to, 0o644)];
  return readdirSync(from)
    .toSorted()
    .flatMap((child) => copyBelow(join(from, child), join(to, child)));
}

const fixedTime = new Date("2000-01-01T00:00:00Z");

function copyFile(from: string, to: string, mode: number): number {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
  utimesSync(to, fixedTime, fixedTime);
  return statSync(to).size;
}
