// A vitest reporter that writes what became of each file to the path that the environment names.
// A file that could not be loaded, or a group whose hook failed, counts as one failure: its tests
// never ran.

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule, TestResult } from "vitest/node";

export const summaryVariable = "HAWSER_TEST_SUMMARY";

export interface TestSummary {
  readonly files: readonly FileSummary[];
  readonly unhandledErrors: number;
}

export interface FileSummary {
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly TestFailure[];
  readonly skipped: readonly { readonly name: string; readonly reason: string | undefined }[];
}

export interface TestFailure {
  /** Which test or group of the file; the file itself has none. */
  readonly name: string | undefined;
  readonly isTest: boolean;
  readonly message: string;
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[summaryVariable];
    if (path === undefined) return;
    const summary: TestSummary = { files: modules.map(toFileSummary), unhandledErrors: unhandledErrors.length };
    writeFileSync(path, JSON.stringify(summary));
  }
}

function toFileSummary(module: TestModule): FileSummary {
  const { children } = module;
  return {
    file: module.relativeModuleId,
    passed: [...children.allTests("passed")].length,
    failures: failuresOf(module),
    skipped: [...children.allTests("skipped")].map((test) => ({ name: test.fullName, reason: reasonOf(test.result()) })),
  };
}

function failuresOf(module: TestModule): TestFailure[] {
  const groups = [...module.children.allSuites()].filter((group) => group.errors().length > 0);
  const tests = [...module.children.allTests("failed")];
  return [
    ...(module.errors().length > 0 ? [{ name: undefined, isTest: false, message: messageOf(module.errors()) }] : []),
    ...groups.map((group) => ({ name: group.fullName, isTest: false, message: messageOf(group.errors()) })),
    ...tests.map((test) => ({ name: test.fullName, isTest: true, message: messageOf(test.result().errors) })),
  ];
}

const messageOf = (errors: readonly { readonly message: string }[] = []): string => errors[0]?.message ?? "";

const reasonOf = (result: TestResult): string | undefined => (result.state === "skipped" ? result.note : undefined);
