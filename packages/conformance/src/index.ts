// Executable contracts: a protocol's scenarios as data, and the runner that tries them on any
// implementation, in any language.

export { checkSuite } from "./check-suite.ts";
export { commandSubject } from "./command-subject.ts";
export type { CommandSubjectOptions } from "./command-subject.ts";
export { formatScenario, formatSummary, toExitCode } from "./report.ts";
export { defaultConcurrency, defaultTimeoutMs, runSuite, selectScenarios } from "./run-suite.ts";
export type { Failure, RunSuiteOptions, ScenarioResult, SuiteResult } from "./run-suite.ts";
export type { Scenario, Step, Suite } from "./scenario.ts";
export type { Answer, Setup } from "./setup.ts";
export { streamsSubject } from "./streams-subject.ts";
export type { StreamPair } from "./streams-subject.ts";
export type { Session, Subject } from "./subject.ts";
export { subjectFor } from "./subject-for.ts";
export type { SubjectForOptions } from "./subject-for.ts";
export { suites } from "./suites.ts";
