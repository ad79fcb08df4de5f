// Runs vitest in a process of its own and counts what it did. The numbers come from a reporter, not
// from text; a run that crashed, or ended badly without naming a test, counts as one failure.

import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../setup/program.mjs";
import type { Counts } from "./steps.ts";
import { makeTestFolder, type TestFolder } from "./test-folder.ts";
import { root, toolPath } from "./tool.ts";
import { nameOf, runFailedAgain, type Unsteady } from "./unsteady.ts";
import { summaryVariable, type FileSummary, type TestSummary } from "./vitest-summary.ts";

export interface TestPlace {
  /** The folder whose vitest.config.ts counts. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Run {
  readonly code: number;
  readonly summary: TestSummary | undefined;
}

/** Runs the tests whose file names contain one of the filters, or all; and once more, alone, those that failed. */
export async function runTests(filters: readonly string[], place: TestPlace = { root, env: {} }): Promise<Counts> {
  process.stdout.write("  tests …\n");
  using folder = makeTestFolder();
  const run = await runVitest(filters, place, folder);
  const { files, unsteady } = await runFailedAgain(run.summary?.files ?? [], async (args) => {
    const { code, summary } = await runVitest(args, place, folder);
    const isExplained = code === 0 || summary?.files.some(({ failures }) => failures.length > 0);
    return isExplained && summary?.unhandledErrors === 0 ? summary : undefined;
  });
  return toCounts(run, files, unsteady);
}

async function runVitest(args: readonly string[], place: TestPlace, { path: TMPDIR }: TestFolder): Promise<Run> {
  const file = join(mkdtempSync(join(TMPDIR, "run-")), "summary.json");
  const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "vitest-summary.ts")}`];
  const code = await runProgram(process.execPath, [toolPath("vitest", "vitest"), "run", ...reporters, ...withoutHints, ...args], {
    cwd: place.root,
    env: { ...environment(), TMPDIR, ...place.env, [summaryVariable]: file },
  });
  return { code, summary: readSummary(file) };
}

// How the tests could be faster is no outcome of theirs.
const withoutHints = ["environment", "import", "transform", "isolate"].map((name) => `--experimental.diagnostics.${name}=false`);

// Wishes for colour that others have left in the environment count for a terminal only.
function environment(): NodeJS.ProcessEnv {
  if (process.stdout.isTTY) return process.env;
  const { FORCE_COLOR: _, ...others } = process.env;
  return { ...others, NO_COLOR: "1" };
}

function readSummary(file: string): TestSummary | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as TestSummary;
  } catch {
    return undefined;
  }
}

function toCounts({ code, summary }: Run, files: readonly FileSummary[], unsteady: readonly Unsteady[]): Counts {
  const unhandledErrors = summary?.unhandledErrors ?? 0;
  const skipped = files.flatMap((file) => file.skipped);
  const failures = files.flatMap((file) => file.failures.map((failure) => nameOf(file, failure)));
  for (const { name, reason } of skipped) if (reason !== undefined) process.stdout.write(`  skip  ${name}: ${reason}\n`);
  const withoutReason = skipped.filter(({ reason }) => reason === undefined).length;
  if (withoutReason > 0) process.stdout.write(`  skip  ${withoutReason} tests: left out by a filter, or marked without a reason\n`);
  const failed = failures.length + unhandledErrors;
  const isUnexplained = failed + unsteady.length === 0 && (code !== 0 || !summary);
  if (unhandledErrors > 0)
    failures.push(unhandledErrors === 1 ? "1 error that belongs to no test" : `${unhandledErrors} errors that belong to no test`);
  if (isUnexplained) failures.push(`vitest ended with exit code ${code}${summary ? "" : " and no report"}`);
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  return { passed, failed: failed + (isUnexplained ? 1 : 0), skipped: skipped.length, failures, unsteady };
}
