// The one entry behind every npm script: makes the working tree ready, then runs the task on the
// pinned Node. It is itself run by whatever Node the machine has, so this file and `setup/` keep
// to old syntax and Node's own modules. What is missing is said in one sentence with the next step.

import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adoptInstallation, install, isInstalled } from "./setup/install.mjs";
import { checkMachine, findNode } from "./setup/pinned-node.mjs";
import { isProblem, say } from "./setup/problem.mjs";
import { cleanEnvironment, runProgram } from "./setup/program.mjs";
import { withTreeLock } from "./setup/tree-lock.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

async function setUp() {
  checkMachine(root);
  if (isInstalled(root)) return;
  await withTreeLock(root, async (lock) => {
    // Another run may have done it while this one waited.
    if (!isInstalled(root) && !adoptInstallation(root)) await install(root, lock.share);
  });
}

/** @param {readonly string[]} args */
function runTask(args) {
  const node = findNode(root);
  const env = cleanEnvironment(process.env);
  // Whatever is started by name below, `node` first of all, is the repository's own. (Windows says `Path`.)
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === "PATH") || "PATH";
  env[pathName] = [dirname(node), join(root, "node_modules", ".bin"), env[pathName]].join(delimiter);
  return runProgram(node, [join(root, "scripts", "tasks", "main.ts"), ...args], { cwd: root, env });
}

// Runs at the end of an installation by hand. That must not fail for want of a build: the next task builds.
async function prepare() {
  try {
    if (adoptInstallation(root) && (await runTask(["build"])) !== 0) say("not built yet; the next `npm start` or `npm test` tries again");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
  return 0;
}

async function main() {
  const args = process.argv.slice(2);
  if (args[0] === "prepare") return prepare();
  await setUp();
  return runTask(args);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    if (!isProblem(error)) throw error;
    say(error.message);
    process.exitCode = error.exitCode;
  },
);
