// The first file of the bundled bridge. Most of a start is compiling, so the rest is loaded with V8's code cache from the
// previous run, which holds every function that was used until it ended. (Node's own compile cache holds only what is
// compiled before a file runs, which is less than half.)

import fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Script } from "node:vm";

declare const __HAWSER_VERSION__: string;
/** Such as `22.13`. */
declare const __HAWSER_NEEDED_NODE__: string;

type ModuleFunction = (...context: readonly unknown[]) => void;
type Main = typeof import("./main.ts");

// V8 drops the code of functions that were not used for a while.
const latestSaveMs = 10_000;

function loadMain(file: string): void {
  const { size, mtimeMs } = fs.statSync(file);
  const cacheFile = findCacheFile(`bridge-${process.versions.v8}-${process.arch}-${shortHash(file)}.bin`);
  // Names what was compiled: V8 compares only the length of sources, and npm gives all files the same time.
  const header = Buffer.alloc(headerBytes);
  header.write(`${__HAWSER_VERSION__} ${size} ${mtimeMs}`);
  const cachedData = cacheFile === undefined ? undefined : readCode(cacheFile, header);
  const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, "utf8")}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as Main };
  if (cacheFile !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    let isSaved = false;
    const save = (): void => {
      // A run that got no input has compiled too little.
      if (isSaved || !(process.stdin as { bytesRead?: number }).bytesRead) return;
      isSaved = true;
      module.exports.withOwnFlags(() => writeCode(cacheFile, header, script.createCachedData()));
    };
    setTimeout(save, latestSaveMs).unref();
    process.once("exit", save);
  }
  (script.runInThisContext() as ModuleFunction)(module.exports, createRequire(file), module, file, __dirname);
}

// The compiled code is executed, so it lies where only this user can write (0700, 0600) and is checked before it is used:
// V8 crashes on damaged code. Without such a place, or with anything unexpected in it, there is silently no cache.

const headerBytes = 64;

/** In the user's cache folder. Undefined also for a user without HOME and without an entry in the system's list of users, as in many containers. */
function findCacheFile(name: string): string | undefined {
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const cacheHome = isAbsolute(given) ? given : join(homedir(), ".cache");
    const folder = join(cacheHome, "hawser");
    makeFolder(cacheHome);
    makeFolder(folder);
    const status = fs.lstatSync(folder);
    // A link leads to a folder with another purpose, whose mode is not ours to change.
    if (!status.isDirectory() || (process.getuid && status.uid !== process.getuid())) return undefined;
    if (process.getuid && (status.mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700);
    return join(folder, name);
  } catch {
    return undefined;
  }
}

// Not `recursive`: below a folder that can't hold files, such as /proc, that never returns.
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // It exists, or another bridge that starts at the same moment made it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

// The code is stored twice: comparing takes almost no time, a checksum a tenth of the start.

function readCode(path: string, header: Buffer): Buffer | undefined {
  try {
    const bytes = fs.readFileSync(path);
    const half = bytes.subarray(0, bytes.length / 2);
    const isWhole = half.length > headerBytes && half.equals(bytes.subarray(half.length)) && half.subarray(0, headerBytes).equals(header);
    return isWhole ? half.subarray(headerBytes) : undefined;
  } catch {
    return undefined;
  }
}

function writeCode(path: string, header: Buffer, code: Buffer): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    fs.writeFileSync(unfinished, Buffer.concat([header, code, header, code]), { mode: 0o600, flag: "wx" });
    fs.renameSync(unfinished, path);
  } catch {
    fs.rmSync(unfinished, { force: true });
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

if (isNodeTooOld()) {
  // Clients show what a server writes to stderr; the stack of an error would hide the message.
  const versions = `Node ${__HAWSER_NEEDED_NODE__} or newer and this is ${process.versions.node} (${process.execPath})`;
  process.stderr.write(`hawser: the bridge needs ${versions}; name a newer one as the command of this server\n`);
  process.exitCode = 2;
} else {
  // The MCP library's validator would write and compile a function for each schema; in a process that uses most of them a
  // few times, that costs more than it saves.
  (globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
  loadMain(join(__dirname, "bridge-main.cjs"));
}
