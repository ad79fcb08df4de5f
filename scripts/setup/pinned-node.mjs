// Which Node runs the tasks: the pinned one, which `npm ci` brings along for most platforms, or the
// machine's own where there is none and it is new enough to run TypeScript sources.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { problem } from "./problem.mjs";

/** The oldest Node on which npm installs this repository. */
const oldestForSetup = [16, 0];
/** The oldest Node that runs TypeScript sources without a flag. */
const oldestForTasks = [22, 18];

const isWindows = process.platform === "win32";
const pinnedPackage = `node-${isWindows ? "win" : process.platform}-${process.arch}`;

/**
 * Throws when this machine can't be helped, before anything is installed.
 * @param {string} root
 */
export function checkMachine(root) {
  const version = process.versions.node;
  if (!isAtLeast(version, oldestForSetup)) {
    throw problem(`Node ${version} is too old to set this repository up; install Node 24 (https://nodejs.org) and run this again.`);
  }
  const lock = fs.readFileSync(join(root, "package-lock.json"), "utf8");
  if (!isAtLeast(version, oldestForTasks) && !lock.includes(`"node_modules/${pinnedPackage}"`)) throw tooOld(version);
}

/**
 * The path of the Node to run tasks on.
 * @param {string} root
 */
export function findNode(root) {
  const pinned = join(root, "node_modules", pinnedPackage, "bin", isWindows ? "node.exe" : "node");
  // A system with another C library has the file and can't run it.
  if (fs.existsSync(pinned) && spawnSync(pinned, ["--version"]).status === 0) return pinned;
  if (isAtLeast(process.versions.node, oldestForTasks)) return process.execPath;
  throw tooOld(process.versions.node);
}

/** @param {string} version */
function tooOld(version) {
  const platform = `${process.platform}-${process.arch}`;
  return problem(
    `Node ${version} is too old, and no Node for ${platform} comes with this repository; install Node 24 (https://nodejs.org) and run this again.`,
  );
}

/**
 * @param {string} version
 * @param {readonly number[]} oldest
 */
function isAtLeast(version, oldest) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
