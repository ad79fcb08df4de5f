#!/usr/bin/env node
// The launcher of `hawser`. It answers --version itself, turns an old Node away in one sentence, and
// runs the built program. In a checkout whose build is missing or older than the sources it runs the
// sources: Node takes the condition that finds them only at its start, so this process is replaced
// once by one that has it. It is CommonJS, since Node's loader of ES modules alone would cost a tenth of
// Node's start, and keeps to syntax that an old Node can read.

const sourceCondition = "--conditions=hawser-source";
const packageFolder = `${__dirname}/..`;
const bundle = `${packageFolder}/dist/cli/start.cjs`;

const loadFs = () => process.getBuiltinModule("node:fs");

function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 13);
}

/** @returns {{ version: string, devDependencies: Record<string, string> }} */
function readManifest() {
  return JSON.parse(loadFs().readFileSync(`${packageFolder}/package.json`, "utf8"));
}

// `process.stdout` takes longer to set up than everything else here.
/** @param {string} line */
function printLine(line) {
  try {
    loadFs().writeSync(1, `${line}\n`);
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
  if (!loadFs().existsSync(`${packageFolder}/tsconfig.json`)) return true;
  const builtAt = modifiedAt(bundle);
  const siblings = Object.keys(readManifest().devDependencies).filter((name) => name.startsWith("@hawser/"));
  const folders = [packageFolder, ...siblings.map((name) => `${packageFolder}/../${name.slice("@hawser/".length)}`)];
  return builtAt > 0 && folders.every((folder) => isOlder(`${folder}/src`, builtAt));
}

/** @param {string} sources @param {number} builtAt */
function isOlder(sources, builtAt) {
  return (
    loadFs()
      .readdirSync(sources, { recursive: true, encoding: "utf8" })
      // The page is built on its own; its sources are never run here.
      .every((path) => !path.endsWith(".ts") || /^page[\\/]/.test(path) || modifiedAt(`${sources}/${path}`) <= builtAt)
  );
}

/** 0 for what is not there, such as an editor's draft that is gone by now. @param {string} file */
function modifiedAt(file) {
  const status = loadFs().statSync(file, { throwIfNoEntry: false });
  return status ? status.mtimeMs : 0;
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
  if (!isSource) {
    require(bundle);
    return;
  }
  const { main } = await import("../src/main.ts");
  await main(process.argv.slice(2));
}

void start();
