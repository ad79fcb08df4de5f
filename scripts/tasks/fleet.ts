// The long tests of a fleet: clusters, faults and programs in other languages. They set themselves up: a NATS server from the PATH or the user's
// cache, where it is put once after its digest was checked, and Python packages in a folder of their own. None of it is a dependency.

import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printTotal, runSteps, type Step, type StepOutcome } from "./steps.ts";
import { runTests } from "./tests.ts";
import { root, run } from "./tool.ts";

const soakPattern = "packages/fleet/test/soak/*.soak.ts";

/** Whether `test:fleet` runs this soak; `test:soak` runs the others. */
export const isFleetSoak = (file: string): boolean => file.startsWith("packages/fleet/");

/** Runs the files whose names contain one of the filters, or all: first `*.fleet.ts`, then the soaks. */
export async function testFleet(filters: readonly string[], before: readonly Step[], toSoak: (file: string) => Step): Promise<number> {
  const steps = await runSteps([...before, serverStep, pythonStep]);
  if (steps.failed > 0) return printTotal([steps]);
  const isMeant = (file: string): boolean => filters.length === 0 || filters.some((filter) => file.includes(filter));
  const find = (pattern: string): string[] => globSync(pattern, { cwd: root }).filter(isMeant).toSorted();
  const files = find("packages/*/test/**/*.fleet.ts");
  const tests = files.length > 0 ? [await runTests(files, { root: join(root, "packages", "fleet"), env: {} })] : [];
  return printTotal([steps, ...tests, await runSteps(find(soakPattern).map(toSoak))]);
}

const serverStep: Step = {
  name: "nats-server, 7 MB at the first time",
  async run(): Promise<StepOutcome> {
    const program = "const { findServer } = await import('./packages/fleet/src/server/find-server.ts'); console.log(await findServer());";
    const { code, output } = await run(process.execPath, ["--conditions=hawser-source", "--input-type=module", "--eval", program]);
    return { status: code === 0 ? "passed" : "failed", text: output };
  },
};

/** Exact versions of what the tests with Python import. Wheels run nothing when they are installed; nkeys is published as sources only. */
const pythonPackages = ["nats-py==2.16.0", "nkeys==0.2.1", "synadia-ai-agents==0.8.1"];
const pythonFolder = join(root, "node_modules", ".cache", "hawser-fleet-python");

/** Without Python its tests are skipped, and so is this. */
const pythonStep: Step = {
  name: "packages of Python",
  async run(): Promise<StepOutcome> {
    // Written last, so that an interrupted installation is repeated.
    const record = join(pythonFolder, "installed");
    const wanted = pythonPackages.join("\n");
    if (existsSync(record) && readFileSync(record, "utf8") === wanted) return { status: "passed", text: "" };
    if (spawnSync("python3", ["-m", "pip", "--version"]).status !== 0) return { status: "skipped", text: "there is no python3 with pip" };
    rmSync(pythonFolder, { recursive: true, force: true });
    const options = ["--quiet", "--disable-pip-version-check", "--only-binary=:all:", "--no-binary=nkeys", "--target", pythonFolder];
    const { code, output } = await run("python3", ["-m", "pip", "install", ...options, ...pythonPackages]);
    if (code === 0) writeFileSync(record, wanted);
    return { status: code === 0 ? "passed" : "failed", text: output };
  },
};
