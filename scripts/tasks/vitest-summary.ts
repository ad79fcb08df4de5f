// A vitest reporter that writes the numbers of a run to the file that the environment names.
// A file that could not be loaded, or a group whose hook failed, counts as one failure: its tests
// never ran.

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule, TestResult, TestSuite } from "vitest/node";

export const summaryVariable = "HAWSER_TEST_SUMMARY";

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly name: string; readonly reason: string | undefined }[];
  readonly unhandledErrors: number;
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[summaryVariable];
    if (path === undefined) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    const summary: TestSummary = {
      passed: count(modules, "passed"),
      failed: count(modules, "failed") + modules.flatMap(ownAndGroups).filter((part) => part.errors().length > 0).length,
      skipped: skipped.map((test) => ({ name: test.fullName, reason: reasonOf(test.result()) })),
      unhandledErrors: unhandledErrors.length,
    };
    writeFileSync(path, JSON.stringify(summary));
  }
}

function count(modules: readonly TestModule[], state: "passed" | "failed"): number {
  return modules.reduce((total, module) => total + [...module.children.allTests(state)].length, 0);
}

const ownAndGroups = (module: TestModule): (TestModule | TestSuite)[] => [module, ...module.children.allSuites()];

const reasonOf = (result: TestResult): string | undefined => (result.state === "skipped" ? result.note : undefined);
