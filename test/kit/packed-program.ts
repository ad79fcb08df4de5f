// A program of ours in few files: bundled from the sources, so that it starts in less than half the processor time
// that they take, which counts where tests start it dozens of times. Made once for each state of the sources.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const root: string = join(import.meta.dirname, "..", "..");
const cache = join(root, "node_modules", ".cache", "hawser-tests");
const prefix = "program-";
const waitMs = 60_000;
const keepMs = 86_400_000;

export interface Program {
  readonly name: string;
  /** Its first file, from the root of the repository. */
  readonly entry: string;
}

/** The folder of the program; its first file is `main.js` in `dist`. */
export async function packProgram(program: Program): Promise<string> {
  const folder = join(cache, `${prefix}${program.name}-${stateOfSources()}`);
  if (!existsSync(folder)) await onlyOnce(`${folder}.lock`, folder, () => pack(program, folder));
  return folder;
}

function stateOfSources(): string {
  const sources = ["packages/*/{src,test/fixtures}/**/*.ts", "packages/hawser/{bin/*.mjs,package.json}", "test/kit/pack*.ts"];
  const files = globSync([...sources, "package-lock.json"], { cwd: root, exclude: ["packages/shell/src/page/**"] });
  const states = files.toSorted().map((file) => {
    // An editor may have removed its draft in the meantime.
    const { mtimeMs = 0, size = 0 } = statSync(join(root, file), { throwIfNoEntry: false }) ?? {};
    return `${file} ${mtimeMs} ${size}`;
  });
  return createHash("sha256")
    .update([process.version, ...states].join("\n"))
    .digest("hex")
    .slice(0, 16);
}

/** Several test files begin at the same time: one makes it, the others wait for it. */
async function onlyOnce(lock: string, result: string, make: () => Promise<void>): Promise<void> {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
  } catch {
    for (const endsAt = performance.now() + waitMs; performance.now() < endsAt && existsSync(lock);) await sleep(50);
    // Whoever held it may have been killed: then each makes its own, and the first counts.
    if (existsSync(result)) return;
  }
  await make().finally(() => rmSync(lock, { recursive: true, force: true }));
}

async function pack({ entry }: Program, folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  const packer = join(import.meta.dirname, "pack-program.ts");
  await promisify(execFile)(process.execPath, [packer, join(root, entry), join(unfinished, "dist")]);
  removeOld();
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Those of a day ago are used by nobody. */
function removeOld(): void {
  for (const name of readdirSync(cache).filter((each) => each.startsWith(prefix))) {
    const path = join(cache, name);
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > keepMs) rmSync(path, { recursive: true, force: true });
  }
}
