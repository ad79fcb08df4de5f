// The checks besides tests, each a tool that fails on its own account. Their settings lie in the
// root: .oxfmtrc.json, .oxlintrc.json, knip.json, tsconfig.json.

import { exactVersionsStep } from "./exact-versions.ts";
import { packageShapeStep } from "./package-shape.ts";
import { toStep, type Step } from "./steps.ts";
import { run, runTool } from "./tool.ts";

export const checkSteps: readonly Step[] = [
  toStep("types", () => runTool("typescript", "tsc", ["-p", "tsconfig.json"])),
  toStep("types of the page, for a browser", () => runTool("typescript", "tsc", ["-p", "packages/shell/src/page"])),
  toStep("types of the set-up, for an old Node", () => runTool("typescript", "tsc", ["-p", "scripts/setup"])),
  toStep("format", () => runTool("oxfmt", "oxfmt", ["--check"])),
  toStep("lint", () => runTool("oxlint", "oxlint", ["--type-aware", "--deny-warnings", "--report-unused-disable-directives"])),
  toStep("dead code", () => runTool("knip", "knip", ["--no-progress", "--no-config-hints"])),
  exactVersionsStep,
  packageShapeStep,
  toStep("generated files are up to date", () => run(process.execPath, ["--conditions=hawser-source", "scripts/protocols.ts", "--check"])),
];
