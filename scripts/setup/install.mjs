// Brings node_modules to what the lock file says, when it is not there yet. A record inside
// node_modules names the lock file and the platform it was installed for; it is written last, so
// that an interrupted installation is repeated by the next run.

import { createHash } from "node:crypto";
import fs from "node:fs";
import { constants } from "node:os";
import { basename, join, relative } from "node:path";
import { problem, say } from "./problem.mjs";
import { runProgram } from "./program.mjs";

const recordPath = (/** @type {string} */ root) => join(root, "node_modules", ".hawser-installed");
// npm's own list of what it installed, which it writes last.
const npmRecordPath = (/** @type {string} */ root) => join(root, "node_modules", ".package-lock.json");

// With the pinned Node and the tools for development, as `du` counts it.
const installedSize = "1.4 GB";

/** @typedef {{ version?: string, link?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockedPackage */

/** @param {string} root */
export function isInstalled(root) {
  if (readText(recordPath(root)) !== expectedRecord(root)) return false;
  const installed = readPackages(npmRecordPath(root));
  return areLinksWhole(root) && Object.keys(installed).every((path) => fs.existsSync(join(root, path, "package.json")));
}

/**
 * A program that has another name by now leaves a link to nothing.
 * @param {string} root
 */
function areLinksWhole(root) {
  const folder = join(root, "node_modules/.bin");
  return !fs.existsSync(folder) || fs.readdirSync(folder).every((name) => fs.existsSync(join(folder, name)));
}

/**
 * Writes the record if npm was run by hand and installed what the lock file asks for.
 * @param {string} root
 */
export function adoptInstallation(root) {
  const installed = readPackages(npmRecordPath(root));
  const hasAll = Object.entries(readPackages(join(root, "package-lock.json"))).every(([path, wanted]) => {
    const found = installed[path];
    if (path === "" || wanted.link) return true;
    return found ? found.version === wanted.version && fs.existsSync(join(root, path, "package.json")) : mayBeMissing(wanted);
  });
  const isComplete = hasAll && areLinksWhole(root);
  if (isComplete) fs.writeFileSync(recordPath(root), expectedRecord(root));
  return isComplete;
}

/**
 * Optional packages are missing where they don't fit; one that fits and is missing means that the
 * folder was installed on another platform.
 * @param {LockedPackage} wanted
 */
function mayBeMissing({ optional, devOptional, os, cpu, libc }) {
  const fits = os && cpu && !libc && os.includes(process.platform) && cpu.includes(process.arch);
  return Boolean((optional || devOptional) && !fits);
}

/**
 * @param {string} root
 * @param {(pid: number) => void} onStart
 */
export async function install(root, onStart) {
  const logPath = join(root, ".hawser", "npm-install.log");
  const shownLogPath = relative(process.cwd(), logPath);
  say(`installing what package-lock.json lists, once: about ${installedSize}, a minute or more (npm's log: ${shownLogPath})`);
  for (const path of [recordPath(root), npmRecordPath(root)]) if (fs.existsSync(path)) fs.unlinkSync(path);
  const startedAt = Date.now();
  const log = fs.openSync(logPath, "w");
  const { command, args } = npmCommand();
  let code;
  /** @type {NodeJS.Signals | undefined} */
  let interruption;
  const onInterrupt = (/** @type {NodeJS.Signals} */ signal) => {
    interruption = interruption || signal;
  };
  try {
    code = await runProgram(command, [...args, ...installArguments], { cwd: root, env: process.env, outputFd: log, onStart, onInterrupt });
  } catch {
    throw problem("npm was not found; install Node with npm (https://nodejs.org) and run this again.");
  } finally {
    fs.closeSync(log);
  }
  if (interruption) throw problem("interrupted; the next run starts the installation again", 128 + constants.signals[interruption]);
  if (code !== 0) throw problem(`${explainFailure(fs.readFileSync(logPath, "utf8"), code)} (npm's log: ${shownLogPath})`);
  fs.writeFileSync(recordPath(root), expectedRecord(root));
  say(`installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

// A user's npm configuration may leave parts out or insist on engines of packages that only run on
// the pinned Node. No package here needs an install script, so none is allowed to run.
const installArguments = [
  "ci",
  "--ignore-scripts",
  "--include=dev",
  "--include=optional",
  "--engine-strict=false",
  "--package-lock=true",
  "--bin-links=true",
  "--audit=false",
  "--fund=false",
  "--progress=false",
  // npm's own patience would leave a person without a network in front of a silent screen for two minutes.
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
];

// The npm that started us is the surest one to exist, and needs no shell on Windows.
function npmCommand() {
  const cli = process.env["npm_execpath"];
  if (cli && basename(cli) === "npm-cli.js") return { command: process.execPath, args: [cli] };
  return { command: "npm", args: [] };
}

/**
 * @param {string} log
 * @param {number} code
 */
function explainFailure(log, code) {
  const network = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/.exec(log);
  if (network)
    return `The package registry can't be reached (${network[0]}); check the network or npm's proxy settings and run this again.`;
  if (/\bENOSPC\b/.test(log)) return `The disk is full; make room (about ${installedSize}) and run this again.`;
  const refused = /\b(?:EACCES|EPERM)\b/.exec(log);
  if (refused) return `npm may not write here (${refused[0]}); give this folder and npm's cache to your user and run this again.`;
  return `npm could not install the dependencies (exit code ${code}); remove the cause that its log names and run this again.`;
}

/** @param {string} root */
function expectedRecord(root) {
  const hash = createHash("sha256")
    .update(fs.readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${process.platform}-${process.arch} ${hash}\n`;
}

/**
 * @param {string} path
 * @returns {Record<string, LockedPackage>}
 */
function readPackages(path) {
  try {
    return JSON.parse(readText(path)).packages || {};
  } catch {
    return {};
  }
}

/** @param {string} path */
function readText(path) {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
