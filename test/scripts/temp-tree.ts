// A small copy of the repository in a fresh folder: its real `scripts`, a lock file with two
// packages, and a program called `npm` that records how it was called and installs by making folders.

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

export const repository = join(import.meta.dirname, "..", "..");
export const pinnedName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** What the program `npm` does; see fixtures/npm.mjs. */
  readonly npm?: "installs" | "installs-slowly" | "stops-halfway" | "has-no-network" | "is-missing" | "never-ends";
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  onStderr?(text: string): void;
  /** The run has begun; with this it can be sent signals. */
  onStart?(child: ChildProcess): void | Promise<void>;
}

export interface TempTree {
  readonly root: string;
  path(name: string): string;
  write(name: string, content: string): void;
  /** The arguments of every call of npm so far. */
  npmCalls(): string[];
  runScript(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Another one that is as this one is now, to the times of its files. */
  copy(): TempTree;
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-tree-"));
  folders.push(folder);
  return folder;
}

export function createTempTree(): TempTree {
  const tree = toTree(createFolder());
  cpSync(join(repository, "scripts"), tree.path("scripts"), { recursive: true });
  tree.write("package.json", '{ "private": true, "type": "module" }');
  writeLock(tree.write, "1.0.0");
  // Through a shell: a first line with the path of Node would end at the first space in it.
  const words = [process.execPath, join(import.meta.dirname, "fixtures", "npm.mjs")].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  tree.write("bin/npm", `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(tree.path("bin/npm"), 0o755);
  return tree;
}

function toTree(root: string): TempTree {
  const path = (name: string): string => join(root, name);
  return {
    root,
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
    },
    npmCalls: () => (existsSync(path("npm-calls")) ? readFileSync(path("npm-calls"), "utf8").trimEnd().split("\n") : []),
    runScript: (args, options = {}) => runScript(root, args, options),
    copy() {
      const other = toTree(createFolder());
      cpSync(root, other.root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return other;
    },
  };
}

/** The lock file: one package for everybody, and the pinned Node of this platform. */
export function writeLock(write: TempTree["write"], version: string): void {
  const pinned = { version: "24.0.0", optional: true, os: [process.platform], cpu: [process.arch] };
  const packages = { "": {}, "node_modules/left": { version }, [`node_modules/${pinnedName}`]: pinned };
  write("package-lock.json", JSON.stringify({ lockfileVersion: 3, packages }));
}

/** Makes tools of the real repository available in the tree. */
export function linkTools(tree: TempTree, names: readonly string[]): void {
  mkdirSync(tree.path("node_modules"), { recursive: true });
  for (const name of names) symlinkSync(join(repository, "node_modules", name), tree.path(`node_modules/${name}`), "dir");
}

/** A package of one file, by name and content; with few libraries, since the compiler reads them all each time. */
export const tinyPackage = {
  "packages/tiny/tsconfig.json": JSON.stringify({
    compilerOptions: { composite: true, outDir: "dist", rootDir: "src", target: "es2024", lib: ["es5"] },
    include: ["src"],
  }),
  "packages/tiny/src/index.ts": "export const one = 1;\n",
};

function runScript(root: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { npm = "installs", nodeOptions = [], env = {} } = options;
  const environment = { PATH: npm === "is-missing" ? "" : join(root, "bin"), FAKE_NPM: npm, HOME: root, TMPDIR: tmpdir(), ...env };
  const child = spawn(process.execPath, [...nodeOptions, join(root, "scripts", "run.mjs"), ...args], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started = options.onStart?.(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
    options.onStderr?.(text);
  });
  return new Promise((resolve, reject) => {
    started?.catch(reject);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

/** One that has ended and was not collected yet by its new parent runs no more. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
