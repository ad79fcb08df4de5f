// The first file of the bundled bridge. Most of a start is compiling, so the rest is loaded with V8's code cache from the
// previous run, which holds every function that was used until it ended. (Node's own compile cache holds only what is
// compiled before a file runs, which is less than half.)

import fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Script } from "node:vm";
import { createCodeCache } from "./code-cache.ts";

declare const __HAWSER_VERSION__: string;
/** Such as `22.13`. */
declare const __HAWSER_NEEDED_NODE__: string;

type ModuleFunction = (...context: readonly unknown[]) => void;
type Main = typeof import("./main.ts");

// V8 drops the code of functions that were not used for a while.
const latestSaveMs = 10_000;

function loadMain(file: string): void {
  const { size, mtimeMs } = fs.statSync(file);
  const cacheHome = findCacheHome();
  const cache = createCodeCache({
    cacheHome,
    name: `bridge-${process.versions.v8}-${process.arch}-${shortHash(file)}`,
    // V8 compares only the length of sources, and npm gives all files the same time.
    key: `${__HAWSER_VERSION__} ${size} ${mtimeMs}`,
  });
  const cachedData = cache?.read();
  const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, "utf8")}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as Main };
  if (cache && (cachedData === undefined || script.cachedDataRejected === true)) {
    let isSaved = false;
    const save = (): void => {
      // A run that got no input has compiled too little.
      if (isSaved || !(process.stdin as { bytesRead?: number }).bytesRead) return;
      isSaved = true;
      module.exports.withOwnFlags(() => cache.write(script.createCachedData()));
    };
    setTimeout(save, latestSaveMs).unref();
    process.once("exit", save);
  }
  (script.runInThisContext() as ModuleFunction)(module.exports, createRequire(file), module, file, __dirname);
}

/** Undefined for a user without HOME and without an entry in the system's list of users, as in many containers. */
function findCacheHome(): string | undefined {
  const cacheHome = process.env["XDG_CACHE_HOME"] ?? "";
  try {
    return isAbsolute(cacheHome) ? cacheHome : join(homedir(), ".cache");
  } catch {
    return undefined;
  }
}

/** Tells the installations of one user apart. */
function shortHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(16);
}

function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = __HAWSER_NEEDED_NODE__.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function start(): void {
  if (isNodeTooOld()) {
    // Clients show what a server writes to stderr; the stack of an error would hide the message.
    const versions = `Node ${__HAWSER_NEEDED_NODE__} or newer and this is ${process.versions.node} (${process.execPath})`;
    process.stderr.write(`hawser: the bridge needs ${versions}; name a newer one as the command of this server\n`);
    process.exitCode = 2;
    return;
  }
  // The MCP library's validator would write and compile a function for each schema; in a process that uses most of them a
  // few times, that costs more than it saves.
  (globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
  loadMain(join(__dirname, "bridge-main.cjs"));
}

start();
