// Runs one program to its end. A signal that asks this process to end is passed on, and the end of
// the program is awaited, so that nothing goes on working in the tree behind the user's back. A program
// that is to end at once has a process group of its own, which is killed when it does not obey.

import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * @typedef {object} ProgramOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {number} [outputFd] Gets stdout and stderr; without it both are inherited, and so is stdin.
 * @property {(pid: number) => void} [onStart]
 * @property {(signal: NodeJS.Signals) => void} [onInterrupt] With it, a signal ends the program and all that it started.
 */

/**
 * Resolves with the exit code (128 + number after a signal); rejects when the program can't be started.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ProgramOptions} options
 * @returns {Promise<number>}
 */
export function runProgram(command, args, options) {
  return new Promise((resolve, reject) => {
    const { outputFd } = options;
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: outputFd === undefined ? "inherit" : ["ignore", outputFd, outputFd],
      // Only `npm.cmd` needs it; its arguments are our own constants.
      shell: process.platform === "win32" && command === "npm",
      detached: hasOwnGroup(options),
    });
    if (child.pid !== undefined && options.onStart) options.onStart(child.pid);
    const release = options.onInterrupt ? endOnSignals(child, options.onInterrupt) : passSignalsOn(child);
    child.once("error", (error) => {
      release();
      reject(error);
    });
    child.once("close", (code, signal) => {
      release();
      resolve(code === null ? 128 + (signal === null ? 0 : constants.signals[signal]) : code);
    });
  });
}

// On Windows a group of its own would be a window of its own.
const hasOwnGroup = (/** @type {ProgramOptions} */ options) => options.onInterrupt !== undefined && process.platform !== "win32";

const parentPollMs = 1000;

/** How long a program that was told to end may tidy up. */
const killAfterMs = 2000;

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {(signal: NodeJS.Signals) => void} onInterrupt
 */
function endOnSignals(child, onInterrupt) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    onInterrupt(signal);
    killGroup(child, timer ? "SIGKILL" : "SIGTERM");
    timer = timer || setTimeout(() => killGroup(child, "SIGKILL"), killAfterMs);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, end);
  return () => {
    if (timer) clearTimeout(timer);
    for (const signal of signals) process.off(signal, end);
  };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function killGroup(child, signal) {
  try {
    if (process.platform === "win32" || child.pid === undefined) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}

/** @param {import("node:child_process").ChildProcess} child */
function passSignalsOn(child) {
  const passOn = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
  // A terminal sends SIGINT to the whole group: the program has it already, and a second one means "at once".
  const stay = (/** @type {NodeJS.Signals} */ signal) => void (process.stdin.isTTY || passOn(signal));
  // A shell between npm and us dies of a signal without passing it on.
  const parent = process.ppid;
  const watch = setInterval(() => void (process.ppid !== parent && passOn("SIGTERM")), parentPollMs);
  process.on("SIGINT", stay);
  process.on("SIGTERM", passOn);
  process.on("SIGHUP", passOn);
  return () => {
    clearInterval(watch);
    process.off("SIGINT", stay);
    process.off("SIGTERM", passOn);
    process.off("SIGHUP", passOn);
  };
}

/**
 * The environment of a task: the user's own, without what npm adds for its scripts and without
 * options that would change how every Node below behaves.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function cleanEnvironment(environment) {
  const dropped = /^(?:npm_.*|INIT_CWD|NODE|NODE_OPTIONS|NODE_PATH|NODE_ENV|HAWSER_DEBUG|VITEST.*)$/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !dropped.test(name)));
}
