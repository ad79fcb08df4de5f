// One set-up at a time in a working tree. The lock is a file that names the processes at work;
// when none of them lives any more (a killed run), the next one takes the lock over.

import fs from "node:fs";
import { join } from "node:path";
import { problem, say } from "./problem.mjs";

const pollMs = 200;
const maxWaitMs = 15 * 60_000;
// Between creating a lock file and writing into it lies next to nothing; an empty one this old is a leftover.
const unwrittenMs = 10_000;

/**
 * @typedef {object} TreeLock
 * @property {(pid: number) => void} share Names a child that works in the tree: the lock holds while it lives.
 */

/**
 * Runs `action` while holding the tree's lock.
 * @template Result
 * @param {string} root
 * @param {(lock: TreeLock) => Promise<Result>} action
 * @returns {Promise<Result>}
 */
export async function withTreeLock(root, action) {
  const path = join(root, ".hawser", "setup.lock");
  try {
    fs.mkdirSync(join(root, ".hawser"), { recursive: true });
    fs.accessSync(join(root, ".hawser"), fs.constants.W_OK);
  } catch (error) {
    throw problem(`${root} can't be written to (${codeOf(error)}); give it to your user, or work in a copy, and run this again.`);
  }
  await acquire(path);
  try {
    return await action({ share: (pid) => fs.writeFileSync(path, `${process.pid}\n${pid}\n`) });
  } finally {
    fs.rmSync(path, { force: true });
  }
}

/** @param {string} path */
async function acquire(path) {
  const giveUpAt = Date.now() + maxWaitMs;
  let isAnnounced = false;
  while (!tryCreate(path, `${process.pid}\n`)) {
    const owners = readOwners(path);
    if (owners !== undefined && !owners.some(isAlive)) {
      breakLock(path, owners);
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw problem(`${path} has been held for a quarter of an hour; end the other run or remove that file, then run this again.`);
    }
    if (!isAnnounced) say("another run is setting up this tree; waiting for it");
    isAnnounced = true;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * @param {string} path
 * @param {string} content
 */
function tryCreate(path, content) {
  try {
    fs.writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Who holds the lock; undefined when that can't be told yet.
 * @param {string} path
 * @returns {number[] | undefined}
 */
function readOwners(path) {
  try {
    const owners = fs.readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number);
    if (owners.length > 0 && owners.every(Number.isInteger)) return owners;
    return Date.now() - fs.statSync(path).mtimeMs > unwrittenMs ? [] : undefined;
  } catch {
    return undefined; // released in the meantime
  }
}

/**
 * Removes a dead lock. Two runs may find it dead at once: the second must not remove the lock that
 * the first has taken by then, so the removal has a lock of its own, held for a moment.
 * @param {string} path
 * @param {number[]} owners
 */
function breakLock(path, owners) {
  const breaker = `${path}.breaker`;
  if (!tryCreate(breaker, "")) {
    try {
      if (Date.now() - fs.statSync(breaker).mtimeMs > unwrittenMs) fs.unlinkSync(breaker);
    } catch {
      // The other run is done with it.
    }
    return;
  }
  try {
    if (String(readOwners(path)) === String(owners)) fs.unlinkSync(path);
  } finally {
    fs.unlinkSync(breaker);
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;
