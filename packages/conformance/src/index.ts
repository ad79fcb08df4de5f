// Executable contracts: a protocol's scenarios as data, and the runner that tries them on any
// implementation, in any language.

export type { AcpPrompts } from "./acp-subject.ts";
export { checkSuite } from "./check-suite.ts";
export { commandSubject } from "./command-subject.ts";
export type { CommandSubjectOptions } from "./command-subject.ts";
export { formatSummary, toExitCode } from "./report.ts";
export { runSuite } from "./run-suite.ts";
export type { Failure, RunSuiteOptions, ScenarioResult, SuiteResult } from "./run-suite.ts";
export type { Rule, Scenario, Step, Suite } from "./scenario.ts";
export type { Answer, Setup } from "./scenario.ts";
export { streamsSubject } from "./subject.ts";
export type { Session, StreamPair, Subject } from "./subject.ts";
export { subjectFor, suites } from "./suites.ts";
export type { SubjectForOptions } from "./suites.ts";
