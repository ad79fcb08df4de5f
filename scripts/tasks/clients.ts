// Drives real MCP clients, and real agents and clients of ACP. They are large, so they are no dependencies of the repository: their exact versions are locked in
// `clients`, and `npm run test:clients` and `test:agents` install them into a folder of their own, once. None of their install scripts runs.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printTotal, runSteps, type Counts, type Step, type StepOutcome } from "./steps.ts";
import { runTests } from "./tests.ts";
import { root, run } from "./tool.ts";

const source = join(root, "clients");
const clientsVariable = "HAWSER_CLIENTS";
// Another folder, which is as it is, can be named.
const named = process.env[clientsVariable] ?? "";
const folder = named || join(root, "node_modules", ".cache", "hawser-clients");
const files = ["package.json", "package-lock.json"] as const;
// Written last, so that an interrupted installation is repeated.
const record = join(folder, "installed");

/** Installs the clients, runs those tests, and the one of Claude Code, which is installed anyway. */
export async function testClients(filters: readonly string[], before: readonly Step[]): Promise<number> {
  const counts = await runInstalled(filters.length > 0 ? filters : ["/clients.test", "mcp-conformance"], before);
  if (filters.length > 0 || counts.length === 1) return printTotal(counts);
  return printTotal([...counts, await runTests(["packages/hawser/test/expose-claude.test.ts"])]);
}

/** Real ACP agents behind the runtime and in the page, the ACP suite against each, and real ACP clients of `hawser acp`. */
export const testAgents = async (filters: readonly string[], before: readonly Step[]): Promise<number> =>
  printTotal(await runInstalled(filters.length > 0 ? filters : ["/agents", "/acp-clients"], before, [pythonStep]));

async function runInstalled(filters: readonly string[], before: readonly Step[], more: readonly Step[] = []): Promise<readonly Counts[]> {
  const steps = await runSteps([...before, { name: "clients and agents, about 1.9 GB at the first time", run: install }, ...more]);
  if (steps.failed > 0) return [steps];
  return [steps, await runTests(filters, { root: source, env: { [clientsVariable]: folder } })];
}

async function install(): Promise<StepOutcome> {
  if (named !== "") return { status: "skipped", text: `${clientsVariable} says where they are` };
  const wanted = `${process.platform}-${process.arch}\n${readFileSync(join(source, "package-lock.json"), "utf8")}`;
  if (existsSync(record) && readFileSync(record, "utf8") === wanted) return { status: "passed", text: "" };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(join(source, file), join(folder, file));
  const { code, output } = await run("npm", ["ci", "--ignore-scripts", "--include=optional", "--audit=false", "--fund=false"], folder);
  if (code === 0) writeFileSync(record, wanted);
  return { status: code === 0 ? "passed" : "failed", text: output };
}

const pythonSdk = "agent-client-protocol==0.12.1";
const pythonFolder = join(folder, "python");
const pythonStep: Step = { name: "the ACP library of Python", run: installPython };

/** Into a folder of its own, beside the clients. Without Python its tests are skipped, and so is this. */
async function installPython(): Promise<StepOutcome> {
  if (existsSync(join(pythonFolder, "acp"))) return { status: "passed", text: "" };
  if (named !== "") return { status: "skipped", text: `${clientsVariable} says where they are, and it is not there` };
  if (spawnSync("python3", ["-m", "pip", "--version"]).status !== 0) return { status: "skipped", text: "there is no python3 with pip" };
  const words = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--only-binary=:all:",
    "--target",
    pythonFolder,
    pythonSdk,
  ];
  const { status, stderr } = spawnSync("python3", words, { encoding: "utf8" });
  return { status: status === 0 ? "passed" : "failed", text: stderr };
}
