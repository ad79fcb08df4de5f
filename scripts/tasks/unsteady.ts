// The net below the tests. What failed is run once more, file by file and without the tests that held, when everything else is
// over: machines are shared. What holds then is unsteady, which is a bug to be fixed; the run may be green nevertheless, so that
// it tells of the change and not of the machine. It is named with its first failure, and steps.ts bounds how many there may be.

import type { FileSummary, TestFailure, TestSummary } from "./vitest-summary.ts";

export interface Unsteady {
  readonly name: string;
  readonly firstFailure: string;
}

// With more, something is broken, and another look at all of it would only take time.
const mostReruns = 10;

interface Judged {
  readonly files: readonly FileSummary[];
  readonly unsteady: readonly Unsteady[];
}

/** One run of vitest; undefined when it ended badly, other than by tests that failed. */
type RunVitest = (args: readonly string[]) => Promise<TestSummary | undefined>;

/** The files as they are after the second run. */
export async function runFailedAgain(files: readonly FileSummary[], runVitest: RunVitest): Promise<Judged> {
  const count = files.reduce((sum, { failures }) => sum + failures.length, 0);
  if (count === 0 || count > mostReruns) return { files, unsteady: [] };
  process.stdout.write(`\n  ${count === 1 ? "the failure" : `${count} failures`} once more, alone …\n`);
  const judged: { file: FileSummary; unsteady: readonly Unsteady[] }[] = [];
  for (const file of files) judged.push(await judge(file, runVitest));
  return { files: judged.map(({ file }) => file), unsteady: judged.flatMap(({ unsteady }) => unsteady) };
}

// What failed outside a test may have kept tests from running: then the file is run again, and its second run counts.
async function judge(file: FileSummary, runVitest: RunVitest): Promise<{ file: FileSummary; unsteady: readonly Unsteady[] }> {
  if (file.failures.length === 0) return { file, unsteady: [] };
  if (file.failures.some(({ isTest }) => !isTest)) {
    const again = await runAgain(file, [], runVitest);
    return again?.failures.length === 0
      ? { file: again, unsteady: file.failures.map((failure) => toUnsteady(file, failure)) }
      : { file, unsteady: [] };
  }
  const names = file.failures.map(({ name = "" }) => toPattern(name));
  const again = await runAgain(file, [`--testNamePattern=^(?:${names.join("|")})$`], runVitest);
  const isHeld = ({ name }: TestFailure): boolean => again !== undefined && !again.failures.some((failure) => failure.name === name);
  const held = file.failures.filter(isHeld);
  const failures = file.failures.filter((failure) => !held.includes(failure));
  const unsteady = held.map((failure) => toUnsteady(file, failure));
  return { file: { ...file, failures, passed: file.passed + held.length }, unsteady };
}

/** What became of the file this time, if tests of it ran, and nothing failed but tests. */
async function runAgain({ file }: FileSummary, choice: readonly string[], runVitest: RunVitest): Promise<FileSummary | undefined> {
  const summary = await runVitest([file, ...choice]);
  const again = summary?.files.find((other) => other.file === file);
  return again && again.passed > 0 && again.failures.every(({ isTest }) => isTest) ? again : undefined;
}

const toUnsteady = (file: FileSummary, failure: TestFailure): Unsteady => ({ name: nameOf(file, failure), firstFailure: failure.message });

export const nameOf = ({ file }: FileSummary, { name }: TestFailure): string => (name === undefined ? file : `${file}: ${name}`);

const toPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
