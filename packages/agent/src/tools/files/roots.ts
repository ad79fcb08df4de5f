// The folders that file tools may touch. Their real paths are taken once, at the start: a root may itself
// be a link, but a link that is put there later leads nowhere. Here a path is only judged by its text; that
// what is opened really lies inside is proven on the descriptor, in open-inside.ts.

import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { agentLimits } from "../../limits.ts";
import { codeOf } from "./file-errors.ts";

export interface Roots {
  /** Real paths; the first one is where relative paths begin and commands run. */
  readonly paths: readonly [string, ...string[]];
  /** Our own files and folders, which no tool may change even where they lie in a root. */
  readonly settings: readonly string[];
  /** Whether entries of an open folder can be named through its descriptor, as Linux can. */
  readonly hasDescriptorPaths: boolean;
  /** The absolute path that a text means. Throws when it isn't a path, or lies outside by its text. */
  locate(path: string): string;
  /** The root that a real path lies in. */
  rootOf(real: string): string | undefined;
  /** An absolute path, or a pattern of one, with the real path of the root that it names by another way. */
  withRealRoot(path: string): string;
  /** A real path as people and models see it: relative to the first root, or else absolute; always with `/`. */
  show(real: string): string;
}

export interface RootsOptions {
  readonly settings?: readonly string[] | undefined;
  /** Found out unless given; tests turn it off to try the other way. */
  readonly hasDescriptorPaths?: boolean | undefined;
}

/** Throws `usage` when one doesn't exist or isn't a folder. */
export async function createRoots(paths: readonly string[], options: RootsOptions = {}): Promise<Roots> {
  const roots = paths.map(toRoot);
  const [first] = roots;
  if (!first) throw new HawserError("usage", "file tools need at least one root folder; give --root");
  const rootOf = (real: string): string | undefined => roots.find((root) => isInside(root.real, real))?.real;
  return {
    paths: roots.map(({ real }) => real) as [string, ...string[]],
    settings: options.settings ?? [],
    hasDescriptorPaths: options.hasDescriptorPaths ?? (process.platform === "linux" && existsSync("/proc/self/fd")),
    rootOf,
    locate(path) {
      checkText(path);
      const wanted = resolve(first.real, path);
      for (const { given, real } of roots) {
        if (isInside(real, wanted)) return wanted;
        if (isInside(given, wanted)) return join(real, relative(given, wanted));
      }
      throw outside(path, first.real);
    },
    withRealRoot(path) {
      const named = roots.find(({ given, real }) => given !== real && `${path}/`.startsWith(`${toSlashes(given)}/`));
      return named ? toSlashes(named.real) + path.slice(toSlashes(named.given).length) : path;
    },
    show(real) {
      const below = first.real.endsWith(sep) ? first.real : first.real + sep;
      // The usual case, and asked for every file of a search.
      if (real.startsWith(below)) return toSlashes(real.slice(below.length));
      return toSlashes(isInside(first.real, real) ? relative(first.real, real) || "." : real);
    },
  };
}

const toSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

function toRoot(path: string): { readonly given: string; readonly real: string } {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return { given: resolve(path), real };
  } catch (cause) {
    throw new HawserError("usage", `root folder ${path} can't be used (${codeOf(cause)}); give a folder that exists`, { cause });
  }
  throw new HawserError("usage", `root ${path} is not a folder; give a folder`);
}

function checkText(path: string): void {
  const refuse = (problem: string): never => {
    throw new HawserError("invalid_arguments", `this path ${problem}; give a path relative to the root folder, such as "src/index.ts"`);
  };
  if (typeof path !== "string" || path === "") refuse("is empty");
  if (path.includes("\0")) refuse("contains a NUL character");
  // Half a character would reach the system as another name than the one that was shown.
  if (!path.isWellFormed()) refuse("is not well-formed text");
  if (Buffer.byteLength(path) > agentLimits.maxPathBytes) refuse(`is longer than ${agentLimits.maxPathBytes} bytes`);
}

/** Refused by its text: no system call was made. */
export function outside(path: string, root: string): HawserError {
  return new HawserError("invalid_arguments", `${quoteShort(path, 200)} is outside of the allowed folders; use a path inside ${root}`);
}

/** By text alone; a folder is inside itself, and `/root-evil` is not inside `/root`. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Throws `usage` for a working directory that was hardly meant to be handed over whole: `/`, or one that holds the home folder. */
export function checkDefaultRoot(path: string, home: string = homedir()): void {
  const real = toReal(path);
  const isTop = parse(real).root === real;
  if (!isTop && !isInside(real, toReal(home))) return;
  const what = isTop ? "the top of the file system" : "your home folder, or holds it";
  throw new HawserError(
    "usage",
    `the working directory ${path} is ${what}; go to a project's folder, or say --root ${path} if you mean it`,
  );
}

function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
