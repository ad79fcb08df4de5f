// Runs a bundled program with V8's code cache from the previous run. Most of a start is compiling, and the cache holds every
// function that was used until the run ended. (Node's own compile cache holds only what is compiled before a file runs, which
// is less than half.) The cache is executed, so it lies where only this user can write (0700, 0600) and is checked before V8
// sees it: V8 crashes on damaged code. Without such a place, or with anything unexpected in it, there is silently no cache.

import fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Script } from "node:vm";

export interface CachedProgram {
  /** The folder of the bundle: files that require each other by `./name`, each a `ModuleFunction`. */
  readonly folder: string;
  readonly main: string;
  /** Of the cache: what uses the same functions shares one. */
  readonly name: string;
  /** Changes with every byte of the bundle: V8 compares only the length of a source. */
  readonly build: string;
  /** Whether this run has used enough functions to be kept. */
  isWorthKeeping(): boolean;
}

/** What the first file exports, besides anything else. */
interface CachedMain {
  /** Calls its argument under the V8 flags of a start: V8 refuses code that was kept under others than it is loaded under. */
  withOwnFlags<Value>(work: () => Value): Value;
}

interface Module {
  exports: unknown;
}

/** Of `exports`, `require`, `module`, the file's path, its folder, and what stands for `import()`, which such scripts don't have. */
type ModuleFunction = (...given: readonly unknown[]) => void;

const importModule = (id: string): Promise<unknown> => import(id) as Promise<unknown>;

// V8 drops the code of functions that were not used for a while.
const latestSaveMs = 10_000;

/** Runs the first file of the bundle; returns what it exports. */
export function runCachedProgram(program: CachedProgram): unknown {
  const { folder } = program;
  const path = findCachePath(program);
  const header = Buffer.alloc(headerBytes);
  header.write(`${program.build} ${process.versions.v8} ${process.arch}`);
  const kept = path === undefined ? noCode : readCode(path, header);
  const scripts = new Map<string, Script>();
  const modules = new Map<string, Module>();
  const requireOther = createRequire(join(folder, program.main));
  let isNew = false;
  let main: CachedMain | undefined;

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const file = join(folder, name);
    // Bundles are ASCII, so that V8 keeps one byte for each character, and functions as they are: to put one around a source would copy it.
    const source = fs.readFileSync(file, "latin1");
    const cachedData = kept.get(name);
    const compile = (): Script => new Script(source, { filename: file, ...(cachedData && { cachedData }) });
    const script = main ? main.withOwnFlags(compile) : compile();
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    const module: Module = { exports: {} };
    modules.set(name, module);
    (script.runInThisContext() as ModuleFunction)(module.exports, requireAny, module, file, folder, importModule);
    return module.exports;
  }

  function requireAny(id: string): unknown {
    if (id.startsWith("./")) return load(id.slice(2));
    return slowModules.has(id.replace(/^node:/, "")) ? lazyModule(() => requireOther(id) as object) : requireOther(id);
  }

  function save(): void {
    if (path === undefined || !isNew || !program.isWorthKeeping()) return;
    isNew = false;
    main?.withOwnFlags(() => writeCode(path, header, { scripts, kept }));
  }

  main = load(program.main) as CachedMain;
  setTimeout(save, latestSaveMs).unref();
  process.once("exit", save);
  return main;
}

// Node's own modules that take milliseconds to load, and that a program imports for what it may never do.
const slowModules = new Set(
  "child_process crypto dgram dns dns/promises fs/promises http http2 https inspector net perf_hooks readline readline/promises repl stream/promises tls v8 worker_threads zlib".split(
    " ",
  ),
);

/** Stands for a module until a member of it is used. */
function lazyModule(load: () => object): object {
  let real: object | undefined;
  const members = (): object => (real ??= load());
  const proxy: object = new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(members(), name) as unknown,
      has: (_, name) => Reflect.has(members(), name),
      // For a default import, bundles make an object with the members and the prototype of the module. Its members are
      // found through the prototype then, so that none is read before it is used.
      getPrototypeOf: () => proxy,
    },
  );
  return proxy;
}

const noCode: ReadonlyMap<string, Buffer> = new Map();

function findCachePath({ folder, name }: CachedProgram): string | undefined {
  const given = process.env["XDG_CACHE_HOME"] ?? "";
  try {
    // Throws for a user without HOME and without an entry in the system's list of users, as in many containers.
    const cacheHome = isAbsolute(given) ? given : join(homedir(), ".cache");
    const ours = join(cacheHome, "hawser");
    // Not `recursive`: below a folder that can't hold files, such as /proc, that never returns.
    for (const each of [cacheHome, ours]) if (!fs.existsSync(each)) makeFolder(each);
    const status = fs.lstatSync(ours);
    // A link leads to a folder with another purpose, whose mode is not ours to change.
    if (!status.isDirectory() || (process.getuid && status.uid !== process.getuid())) return undefined;
    if (process.getuid && (status.mode & 0o777) !== 0o700) fs.chmodSync(ours, 0o700);
    return join(ours, `${name}-${shortHash(folder)}.bin`);
  } catch {
    return undefined;
  }
}

function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another program that starts at the same moment made it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Tells the installations of one user apart. */
function shortHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(16);
}

const headerBytes = 128;

// A file of kept code: a header that names what was compiled, the length of a list of [file, bytes], the list, the code of
// each; and all of that once more: comparing takes almost no time, a checksum a tenth of the start.

function readCode(path: string, header: Buffer): ReadonlyMap<string, Buffer> {
  try {
    const bytes = readOwnFile(path);
    const half = bytes.subarray(0, bytes.length / 2);
    if (!half.equals(bytes.subarray(half.length)) || !half.subarray(0, headerBytes).equals(header)) return noCode;
    let at = headerBytes + 4 + half.readUInt32LE(headerBytes);
    const list = JSON.parse(half.toString("latin1", headerBytes + 4, at)) as readonly [string, number][];
    return new Map(list.map(([name, length]) => [name, half.subarray(at, (at += length))]));
  } catch {
    return noCode;
  }
}

/** The folder may have been open to others before it was closed: what they put there is not run, nor what a link of theirs leads to. */
function readOwnFile(path: string): Buffer {
  const file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const status = fs.fstatSync(file);
    const isOwn = !process.getuid || (status.uid === process.getuid() && (status.mode & 0o077) === 0);
    return isOwn && status.isFile() ? fs.readFileSync(file) : Buffer.alloc(0);
  } finally {
    fs.closeSync(file);
  }
}

interface Code {
  readonly scripts: ReadonlyMap<string, Script>;
  /** What this run did not load stays, for the next one that does. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

function writeCode(path: string, header: Buffer, { scripts, kept }: Code): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    const code = new Map(kept);
    for (const [name, script] of scripts) code.set(name, script.createCachedData());
    const list = Buffer.from(JSON.stringify([...code].map(([name, { length }]) => [name, length])));
    const listLength = Buffer.alloc(4);
    listLength.writeUInt32LE(list.length);
    const once = [header, listLength, list, ...code.values()];
    fs.writeFileSync(unfinished, Buffer.concat([...once, ...once]), { mode: 0o600, flag: "wx" });
    fs.renameSync(unfinished, path);
  } catch {
    fs.rmSync(unfinished, { force: true });
  }
}
