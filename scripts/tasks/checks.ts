// The checks besides tests, each a tool that fails on its own account and changes nothing, so that two of
// them run at a time. Their settings lie in the root: .oxfmtrc.json, .oxlintrc.json, knip.json, tsconfig.json.

import { exactVersionsStep } from "./exact-versions.ts";
import { packageShapeStep } from "./package-shape.ts";
import { runSteps, toStep, type Counts, type Step } from "./steps.ts";
import { run, runTool } from "./tool.ts";

const lintArguments = ["--type-aware", "--deny-warnings", "--report-unused-disable-directives"];

// The longest first, so that none is left alone at the end.
const checkSteps: readonly Step[] = [
  toStep("lint", () => runTool("oxlint", "oxlint", lintArguments)),
  toStep("types", () => runTool("typescript", "tsc", ["-p", "tsconfig.json"])),
  packageShapeStep,
  toStep("dead code", () => runTool("knip", "knip", ["--no-progress", "--no-config-hints"])),
  toStep("types of the page, for a browser", () => runTool("typescript", "tsc", ["-p", "packages/shell/src/page"])),
  toStep("types of the set-up, for an old Node", () => runTool("typescript", "tsc", ["-p", "scripts/setup"])),
  toStep("format", () => runTool("oxfmt", "oxfmt", ["--check"])),
  toStep("generated files are up to date", () => run(process.execPath, ["--conditions=hawser-source", "scripts/protocols.ts", "--check"])),
  exactVersionsStep,
];

export const runChecks = (): Promise<Counts> => runSteps(checkSteps, 2);
