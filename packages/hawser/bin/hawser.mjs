#!/usr/bin/env node
// The launcher of `hawser`. It answers --version itself, turns an old Node away in one sentence, and
// runs the built program. In a checkout whose build is missing or older than the sources it runs the
// sources: Node takes the condition that finds them only at its start, so this process is replaced
// once by one that has it. It imports nothing, since that alone would cost a tenth of Node's start,
// and keeps to syntax that an old Node can read.

const sourceCondition = "--conditions=hawser-source";
const packageUrl = new URL("..", import.meta.url);

function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 13);
}

/** @returns {{ version: string, dependencies: Record<string, string> }} */
function readManifest() {
  const fs = process.getBuiltinModule("node:fs");
  return JSON.parse(fs.readFileSync(new URL("package.json", packageUrl), "utf8"));
}

// `process.stdout` takes longer to set up than everything else here.
/** @param {string} line */
function printLine(line) {
  try {
    process.getBuiltinModule("node:fs").writeSync(1, `${line}\n`);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    // A reader that has left needs nothing.
    if (code === "EPIPE") return;
    if (code === "EAGAIN") {
      // A full pipe takes it later.
      process.stdout.on("error", () => {});
      process.stdout.write(`${line}\n`);
      return;
    }
    process.stderr.write(`hawser: can't write the output: ${message}\n`);
    process.exitCode = 1;
  }
}

// A published package has no tsconfig.json; there is nothing to compare in it.
function isBuilt() {
  const fs = process.getBuiltinModule("node:fs");
  if (!fs.existsSync(new URL("tsconfig.json", packageUrl))) return true;
  const siblings = Object.keys(readManifest().dependencies).filter((name) => name.startsWith("@hawser/"));
  return [packageUrl, ...siblings.map((name) => new URL(`../${name.slice("@hawser/".length)}/`, packageUrl))].every(isPackageBuilt);
}

/** @param {URL} folder */
function isPackageBuilt(folder) {
  const fs = process.getBuiltinModule("node:fs");
  const sources = fs.readdirSync(new URL("src/", folder), { recursive: true, encoding: "utf8" });
  return sources.every((path) => {
    // The page is built on its own; its sources are never run here.
    if (!path.endsWith(".ts") || /^page[\\/]/.test(path)) return true;
    const source = fs.statSync(new URL(`src/${path}`, folder), { throwIfNoEntry: false });
    const built = fs.statSync(new URL(`dist/${path.replace(/\.ts$/, ".js")}`, folder), { throwIfNoEntry: false });
    // A source that is gone by now, such as an editor's draft, needs no build.
    return source === undefined || (built !== undefined && built.mtimeMs >= source.mtimeMs);
  });
}

// Compiled code is executed, so it lies where only this user can write: the rule of the bridge's code cache. Without such a place: no cache.
function enableCompileCache() {
  const fs = process.getBuiltinModule("node:fs");
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const { getuid } = process;
  try {
    const given = process.env["XDG_CACHE_HOME"] || "";
    const cacheHome = isAbsolute(given) ? given : join(process.getBuiltinModule("node:os").homedir(), ".cache");
    const folder = join(cacheHome, "hawser");
    // Not `recursive`: where nothing can be made, such as below /proc, that never returns.
    for (const path of [cacheHome, folder]) if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
    const status = fs.lstatSync(folder);
    // A link leads to a folder that was made for something else: its mode is not ours to change.
    if (!status.isDirectory() || (getuid && status.uid !== getuid())) return;
    if (getuid && (status.mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700);
    process.getBuiltinModule("node:module").enableCompileCache(folder);
  } catch {
    // A cache saves time and nothing else.
  }
}

function runSourcesInstead() {
  // Not this file: `igw` starts the same program under its own name.
  const launcher = process.argv[1] || "";
  const stripTypes = process.features.typescript ? [] : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  const args = [...process.execArgv, ...stripTypes, sourceCondition, launcher, ...process.argv.slice(2)];
  // The same process id, pipes and parent: the program that started us notices nothing.
  if (process.platform !== "win32" && process.execve) process.execve(process.execPath, [process.execPath, ...args], process.env);
  const child = process.getBuiltinModule("node:child_process").spawn(process.execPath, args, { stdio: "inherit" });
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code === null ? 1 : code));
}

async function start() {
  if (isNodeTooOld()) {
    process.stderr.write(
      `hawser needs Node 22.13 or newer and this is ${process.versions.node}; install a newer one from https://nodejs.org\n`,
    );
    process.exitCode = 2;
    return;
  }
  if (process.argv[2] === "--version" || process.argv[2] === "-V") {
    printLine(readManifest().version);
    return;
  }
  const isSource = process.execArgv.includes(sourceCondition);
  if (!isSource && !isBuilt()) {
    runSourcesInstead();
    return;
  }
  enableCompileCache();
  const { main } = await import(new URL(isSource ? "src/main.ts" : "dist/main.js", packageUrl).href);
  await main(process.argv.slice(2));
}

void start();
