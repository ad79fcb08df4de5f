// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { formatScenario } from "./report.ts";
export { defaultConcurrency, defaultTimeoutMs, selectScenarios } from "./run-suite.ts";
