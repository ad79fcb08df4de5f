// One set-up at a time in a working tree. The lock is a file that names the processes at work;
// when none of them lives any more (a killed run), the next one takes the lock over. Its first line is the space in which
// these pids mean something: about those of another container on the same tree, signs of life in the file's time decide.

import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { problem, say } from "./problem.mjs";

const pollMs = 200;
const maxWaitMs = 15 * 60_000;
// Between creating a lock file and writing into it lies next to nothing; an empty one this old is a leftover.
const unwrittenMs = 10_000;
const beatMs = 5_000;
const silenceMs = 60_000;

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
  const beat = setInterval(() => touch(path), beatMs);
  try {
    return await action({ share: (pid) => fs.writeFileSync(path, `${processSpace()}\n${process.pid}\n${pid}\n`) });
  } finally {
    clearInterval(beat);
    fs.rmSync(path, { force: true });
  }
}

/** @param {string} path */
async function acquire(path) {
  const giveUpAt = Date.now() + maxWaitMs;
  let isAnnounced = false;
  while (!tryCreate(path, `${processSpace()}\n${process.pid}\n`)) {
    const leftBehind = readLeftBehind(path);
    if (leftBehind !== undefined) {
      breakLock(path, leftBehind);
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
 * What stands in a lock that nobody holds any more; undefined for one that is held, or was released in the meantime.
 * @param {string} path
 * @returns {string | undefined}
 */
function readLeftBehind(path) {
  try {
    const content = fs.readFileSync(path, "utf8");
    const silentMs = Date.now() - fs.statSync(path).mtimeMs;
    const [space, ...owners] = content.split("\n").filter(Boolean);
    if (owners.length > 0 && space === processSpace()) return owners.map(Number).some(isAlive) ? undefined : content;
    return silentMs > (owners.length > 0 ? silenceMs : unwrittenMs) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** One boot of one machine, and one PID namespace of it: a container that shares the tree counts its processes for itself. */
function processSpace() {
  try {
    return `${fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${fs.readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return `${process.platform} ${os.hostname()}`;
  }
}

/** @param {string} path */
function touch(path) {
  try {
    fs.utimesSync(path, new Date(), new Date());
  } catch {
    // The tree was removed; the run will say so.
  }
}

/**
 * Removes a dead lock. Two runs may find it dead at once: the second must not remove the lock that
 * the first has taken by then, so the removal has a lock of its own, held for a moment.
 * @param {string} path
 * @param {string} leftBehind
 */
function breakLock(path, leftBehind) {
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
    if (readLeftBehind(path) === leftBehind) fs.unlinkSync(path);
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
