// A vitest reporter that writes the numbers of a run to the file that the environment names.
// A file that could not be loaded, or a group whose hook failed, counts as one failure: its tests
// never ran.

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule, TestResult, TestSuite } from "vitest/node";

export const summaryVariable = "HAWSER_TEST_SUMMARY";

export interface TestSummary {
  readonly passed: number;
  /** One name for each failure. */
  readonly failures: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string | undefined }[];
  readonly unhandledErrors: number;
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[summaryVariable];
    if (path === undefined) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    const summary: TestSummary = {
      passed: modules.reduce((total, module) => total + [...module.children.allTests("passed")].length, 0),
      failures: modules.flatMap(failuresOf),
      skipped: skipped.map((test) => ({ name: test.fullName, reason: reasonOf(test.result()) })),
      unhandledErrors: unhandledErrors.length,
    };
    writeFileSync(path, JSON.stringify(summary));
  }
}

function failuresOf(module: TestModule): string[] {
  const groups: TestSuite[] = [...module.children.allSuites()].filter((group) => group.errors().length > 0);
  const names = [...groups, ...module.children.allTests("failed")].map(({ fullName }) => `${module.relativeModuleId}: ${fullName}`);
  return module.errors().length > 0 ? [module.relativeModuleId, ...names] : names;
}

const reasonOf = (result: TestResult): string | undefined => (result.state === "skipped" ? result.note : undefined);
