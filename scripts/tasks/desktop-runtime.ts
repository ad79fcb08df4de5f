// Stages what the desktop app carries to run the agent: `node`, and `node_modules` with the built packages and
// the packages that they need, as npm has laid them out. The same tree gives the same bytes, names, modes and
// times. Nothing is loaded from the network. What the agent never loads is left out; whoever runs a command of
// `hawser` that needs it is told so.

import {
  copyFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root } from "./tool.ts";

export interface StagedRuntime {
  readonly folder: string;
  readonly packages: number;
  readonly files: number;
  readonly bytes: number;
}

export interface StageOptions {
  /** Replaced as a whole. */
  readonly to: string;
  /** The program that runs it. */
  readonly node?: string;
}

interface Manifest {
  readonly name: string;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface StagedPackage {
  readonly from: string;
  /** Below the staged folder. */
  readonly place: string;
  readonly isOurs: boolean;
  readonly manifest: Manifest;
}

/** Of other commands: the chat page and its server, the conformance suites, prompts on a terminal, completion. */
export const leftOut: readonly string[] = ["@hawser/shell", "@hawser/conformance", "@clack/prompts", "@bomb.sh/tab"];

/** Named in the test of the runtime and in the app: where it is found in the folder. */
export const nodeName = "node";
export const entryPath = "node_modules/hawser/bin/hawser.mjs";

/** Inside the repository; git ignores it. */
export const runtimeFolder = join(root, "apps", "desktop", "runtime");

export function stageRuntime({ to, node = process.execPath }: StageOptions): StagedRuntime {
  // Beside its place, so that what is there never is half of it.
  const draft = `${to}.new`;
  rmSync(draft, { recursive: true, force: true });
  const packages = findPackages();
  const sizes = packages.flatMap((staged) => copyPackage(staged, draft));
  sizes.push(copyFile(realpathSync(node), join(draft, nodeName), 0o755));
  rmSync(to, { recursive: true, force: true });
  renameSync(draft, to);
  return { folder: to, packages: packages.length, files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

/** The command line and everything that it needs, each where Node will look for it. */
function findPackages(): StagedPackage[] {
  const found = new Map<string, StagedPackage>();
  function visit(path: string): void {
    const from = realpathSync(path);
    if (found.has(from)) return;
    const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest;
    found.set(from, { from, manifest, isOurs: !from.slice(root.length).includes("node_modules"), place: placeOf(from) });
    for (const name of neededBy(manifest)) visit(resolveFrom(from, name));
  }
  visit(join(root, "node_modules", "hawser"));
  return [...found.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
}

function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...new Set([...Object.keys(dependencies), ...peers])].filter((name) => !leftOut.includes(name));
}

/** As Node does it: the nearest `node_modules` that has it. */
function resolveFrom(folder: string, name: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
    if (at === root) throw new Error(`${name}, which ${relative(root, folder)} needs, is not installed`);
  }
}

/** `packages/agent/node_modules/x` → `node_modules/@hawser/agent/node_modules/x`: a workspace is linked under its name. */
function placeOf(from: string): string {
  const path = relative(root, from).split(sep).join("/");
  const [, folder, rest = ""] = /^packages\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (folder === undefined) return path;
  const { name } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
  return `node_modules/${name}${rest}`;
}

// Sources, types, maps and manuals; never a license.
const isForPeople = (name: string): boolean =>
  name.startsWith(".") || (/\.(?:map|mdx?|markdown|mp3|flow|tsbuildinfo|[cm]?tsx?)$/i.test(name) && !isLicense(name));
const isLicense = (name: string): boolean => /^(?:licen[cs]e|notice|copying)[^.]*(?:\.md)?$/i.test(name);

function copyPackage({ from, place, isOurs, manifest }: StagedPackage, draft: string): number[] {
  const names = readdirSync(from).toSorted();
  // Of ours, what would be published; our sources are what `dist` was made of.
  const published = ["package.json", "LICENSE", ...(manifest.files ?? [])];
  const wanted = isOurs ? names.filter((name) => published.includes(name) && name !== "src") : names;
  return wanted.flatMap((name) => copyBelow(join(from, name), join(draft, place, name)));
}

function copyBelow(from: string, to: string): number[] {
  const name = from.slice(dirname(from).length + 1);
  const status = statSync(from);
  if (status.isDirectory()) {
    if (name === "node_modules") return [];
    return readdirSync(from)
      .toSorted()
      .flatMap((child) => copyBelow(join(from, child), join(to, child)));
  }
  return isForPeople(name) ? [] : [copyFile(from, to, 0o644)];
}

const fixedTime = new Date("2000-01-01T00:00:00Z");

function copyFile(from: string, to: string, mode: number): number {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
  utimesSync(to, fixedTime, fixedTime);
  return statSync(to).size;
}
