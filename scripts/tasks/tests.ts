// Runs vitest in a process of its own and counts what it did. The numbers come from a reporter, not
// from text; a run that crashed, or ended badly without naming a test, counts as one failure.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../setup/program.mjs";
import type { Counts } from "./steps.ts";
import { root, toolPath } from "./tool.ts";
import { summaryVariable, type TestSummary } from "./vitest-summary.ts";

/** Runs the tests whose file names contain one of the filters, or all. */
export async function runTests(filters: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-tests-"));
  try {
    const file = join(folder, "summary.json");
    const reporter = join(import.meta.dirname, "vitest-summary.ts");
    const colour = process.stdout.isTTY ? [] : ["--no-color"];
    const args = [toolPath("vitest", "vitest"), "run", "--reporter=default", `--reporter=${reporter}`, ...colour, ...filters];
    const code = await runProgram(process.execPath, args, { cwd: root, env: { ...process.env, [summaryVariable]: file } });
    return toCounts(readSummary(file), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSummary(file: string): TestSummary | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as TestSummary;
  } catch {
    return undefined;
  }
}

function toCounts(summary: TestSummary | undefined, code: number): Counts {
  const { passed = 0, failed = 0, skipped = [], unhandledErrors = 0 } = summary ?? {};
  for (const { name, reason } of skipped) if (reason !== undefined) process.stdout.write(`  skip  ${name}: ${reason}\n`);
  const withoutReason = skipped.filter(({ reason }) => reason === undefined).length;
  if (withoutReason > 0) process.stdout.write(`  skip  ${withoutReason} tests: left out by a filter, or marked without a reason\n`);
  if (unhandledErrors > 0) process.stdout.write(`  FAIL  ${unhandledErrors} errors that belong to no test\n`);
  const isUnexplained = failed + unhandledErrors === 0 && (code !== 0 || !summary);
  if (isUnexplained) process.stdout.write(`  FAIL  vitest ended with exit code ${code}${summary ? "" : " and no report"}\n`);
  return { passed, failed: failed + unhandledErrors + (isUnexplained ? 1 : 0), skipped: skipped.length };
}
