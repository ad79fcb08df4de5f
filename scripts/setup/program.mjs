// Runs one program to its end. A signal that asks this process to end is passed on, and the end of
// the program is awaited, so that nothing goes on working in the tree behind the user's back.

import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * @typedef {object} ProgramOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {number} [outputFd] Gets stdout and stderr; without it both are inherited, and so is stdin.
 * @property {(pid: number) => void} [onStart]
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
    });
    if (child.pid !== undefined && options.onStart) options.onStart(child.pid);
    const release = passSignalsOn(child);
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

/** @param {import("node:child_process").ChildProcess} child */
function passSignalsOn(child) {
  // A terminal sends SIGINT to the whole group: the program has it already, and a second one means "at once".
  const stay = () => {};
  const passOn = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
  process.on("SIGINT", stay);
  process.on("SIGTERM", passOn);
  process.on("SIGHUP", passOn);
  return () => {
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
