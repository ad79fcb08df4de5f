// Drives real MCP clients. They are large, so they are no dependencies of the repository: their exact versions are locked in
// `clients`, and `npm run test:clients` installs them into a folder of their own, once. None of their install scripts runs.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printTotal, runSteps, type Step, type StepOutcome } from "./steps.ts";
import { runTests } from "./tests.ts";
import { root, run } from "./tool.ts";

const source = join(root, "clients");
const folder = join(root, "node_modules", ".cache", "hawser-clients");
const files = ["package.json", "package-lock.json"] as const;
// Written last, so that an interrupted installation is repeated.
const record = join(folder, "installed");

/** Installs the clients, runs those tests, and the one of Claude Code, which is installed anyway. */
export async function testClients(filters: readonly string[], before: readonly Step[]): Promise<number> {
  const steps = await runSteps([...before, { name: "clients, about 700 MB at the first time", run: install }]);
  if (steps.failed > 0) return printTotal([steps]);
  const tests = await runTests(filters, { root: source, env: { HAWSER_CLIENTS: folder } });
  if (filters.length > 0) return printTotal([steps, tests]);
  return printTotal([steps, tests, await runTests(["packages/hawser/test/expose-claude.test.ts"])]);
}

async function install(): Promise<StepOutcome> {
  const wanted = `${process.platform}-${process.arch}\n${readFileSync(join(source, "package-lock.json"), "utf8")}`;
  if (existsSync(record) && readFileSync(record, "utf8") === wanted) return { status: "passed", text: "" };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(join(source, file), join(folder, file));
  const { code, output } = await run("npm", ["ci", "--ignore-scripts", "--include=optional", "--audit=false", "--fund=false"], folder);
  if (code === 0) writeFileSync(record, wanted);
  return { status: code === 0 ? "passed" : "failed", text: output };
}
