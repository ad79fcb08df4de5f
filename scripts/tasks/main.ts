// The tasks behind the npm scripts. Runs on the pinned Node, in a tree that `run.mjs` has made ready.

import { globSync } from "node:fs";
import { isProblem, problem, say } from "../setup/problem.mjs";
import { runProgram } from "../setup/program.mjs";
import { buildStep, isBuildStale } from "./build.ts";
import { runChecks } from "./checks.ts";
import { testAgents, testClients } from "./clients.ts";
import { buildDesktop, checkBuildMachine, checkTestMachine, leftOutStep, runDesktop, testDesktop } from "./desktop.ts";
import { demoShell, describeStart } from "./demo-shell.ts";
import { isFleetSoak, testFleet } from "./fleet.ts";
import { longTestFiles, longTestsVariable } from "./long-tests.ts";
import { packForProjects } from "./pack.ts";
import { releaseSteps } from "./release-check.ts";
import { printTotal, runSteps, toStep, type Step } from "./steps.ts";
import { runTests } from "./tests.ts";
import { root } from "./tool.ts";

const tasks: Record<string, (args: readonly string[]) => Promise<number>> = {
  async start(args) {
    await buildOrStop();
    const help = describeStart(args);
    if (help !== undefined) say(help);
    return runNode([...demoShell, ...args]);
  },

  async test(filters) {
    process.stdout.write(`Node ${process.version}, ${process.platform}-${process.arch}\n`);
    const built = await runSteps([buildStep]);
    const checks = filters.length > 0 ? [] : [await runChecks(), await runSteps([leftOutStep])];
    return printTotal([built, ...checks, await runTests(filters)]);
  },

  async check() {
    return printTotal([await runSteps([buildStep]), await runChecks()]);
  },

  async build() {
    await buildOrStop();
    return 0;
  },

  async pack() {
    await buildOrStop();
    return packForProjects();
  },

  /** Everything that a release needs but the publishing; what it makes lies in the folder `release`. */
  async "release-check"() {
    return printTotal([await runSteps([buildStep, ...releaseSteps]), await runTests(["test/scripts/own-project.test.ts"])]);
  },

  async soak() {
    const files = globSync("packages/*/test/soak/*.soak.ts", { cwd: root })
      .filter((file) => !isFleetSoak(file))
      .toSorted();
    const soaks = await runSteps(files.map(soakStep));
    return printTotal([soaks, await runTests(longTestFiles, { root, env: { [longTestsVariable]: "1" } })]);
  },

  async desktop(args) {
    checkBuildMachine();
    await buildOrStop();
    return runDesktop(args);
  },

  async "desktop-build"() {
    checkBuildMachine();
    await buildOrStop();
    return buildDesktop();
  },

  async "desktop-test"(filters) {
    checkTestMachine();
    return testDesktop(filters, [buildStep]);
  },

  async "clients-test"(filters) {
    return testClients(filters, [buildStep]);
  },

  async "agents-test"(filters) {
    return testAgents(filters, [buildStep]);
  },

  async "fleet-test"(filters) {
    return testFleet(filters, [buildStep], soakStep);
  },

  bench: (args) => runSource("bench/main.ts", args),
  protocols: (args) => runSource("scripts/protocols.ts", args),
  measure: (args) => runSource("scripts/measure.ts", args),
};

async function buildOrStop(): Promise<void> {
  if (isBuildStale()) say("building");
  const outcome = await buildStep.run();
  if (outcome.status === "failed") throw problem(`the build failed; correct this and run it again.\n${outcome.text}`);
}

// Packages import each other by name; the condition leads those names to the sources.
function runSource(file: string, args: readonly string[]): Promise<number> {
  return runNode(["--conditions=hawser-source", file, ...args]);
}

const runNode = (args: readonly string[]): Promise<number> => runProgram(process.execPath, args, { cwd: root, env: process.env });

const soakStep = (file: string): Step => ({ ...toStep(file, () => runSource(file, [])), isTalkative: true });

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (!task) throw problem(`there is no task "${name}"; use one of: ${Object.keys(tasks).join(", ")}.`);
  return task(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!isProblem(error)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
