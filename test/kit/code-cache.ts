// V8's code cache of the bundle, for test files whose programs have cache folders of their own: a start with it takes two thirds of the
// processor time. What one file's programs have compiled is kept for the next files. It lies beside the tests' compile cache, for one
// build at a time. Only the compiled code is handed on: API documents lie in the same folder by addresses, which tests share.

import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { builtHawser } from "./built-hawser.ts";

const parent = process.env["NODE_COMPILE_CACHE"];
const prefix = "code-of-";
const folder = parent !== undefined && builtHawser.endsWith("start.cjs") ? findFolder(parent) : undefined;

function findFolder(parent: string): string {
  const name = `${prefix}${Math.round(statSync(builtHawser).mtimeMs)}`;
  if (mkdirSync(join(parent, name), { recursive: true, mode: 0o700 }) !== undefined) {
    const others = readdirSync(parent).filter((other) => other.startsWith(prefix) && other !== name);
    for (const other of others) rmSync(join(parent, other), { recursive: true, force: true });
  }
  return join(parent, name);
}

const codeIn = (path: string): string[] => namesIn(path).filter((name) => name.endsWith(".bin"));

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Fills a new cache folder with what is known; the function that it returns keeps what was compiled there since. */
export function shareCompiledCode(cacheHome: string): () => void {
  if (folder === undefined) return () => {};
  const own = join(cacheHome, "hawser");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const given = new Map<string, number>();
  for (const name of codeIn(folder)) {
    copyFileSync(join(folder, name), join(own, name));
    given.set(name, statSync(join(own, name)).ino);
  }
  return () => {
    for (const name of codeIn(own)) if (statSync(join(own, name)).ino !== given.get(name)) keep(join(own, name), join(folder, name));
  };
}

/** Other test files read it at the same time: it is there whole or not at all. */
function keep(from: string, to: string): void {
  copyFileSync(from, `${to}.${process.pid}`);
  renameSync(`${to}.${process.pid}`, to);
}
