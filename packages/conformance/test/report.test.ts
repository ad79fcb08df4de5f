// The report for people: one line per scenario, the reason of a failure, colour only on a terminal.

import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { formatScenario, formatSummary, toExitCode, type ScenarioResult, type SuiteResult } from "../src/internal.ts";

const pipe = new PassThrough();
const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8, hasColors: () => true });

const passed: ScenarioResult = { id: "split", title: "bytes may be split", requirements: ["R5", "WIR-01"], outcome: "passed", ms: 12 };
const failure = {
  step: "2",
  verb: "expect",
  expected: '{"id":"a"}',
  got: "nothing within 5000 ms",
  lastWords: "boom",
  sent: ['{"id":"z"}', '{"id":"a"}'],
};
const failed: ScenarioResult = { ...passed, outcome: "failed", failure };
const skipped: ScenarioResult = { ...passed, outcome: "skipped", reason: "needs a process" };
const summary: SuiteResult = {
  ...{ protocol: "echo", version: "1.0.0", subject: "node server.js", ms: 1_234 },
  ...{ passed: 1, failed: 0, unsupported: 0, skipped: 0, scenarios: [passed] },
};

// Whoever runs the tests may have wishes about colour.
beforeAll(() => {
  for (const name of ["FORCE_COLOR", "NO_COLOR", "NODE_DISABLE_COLORS"]) vi.stubEnv(name, undefined);
});
afterAll(() => vi.unstubAllEnvs());

describe("report", () => {
  it("gives a scenario one line with its mark, id, title, requirements and time", () => {
    expect(formatScenario(passed, pipe)).toBe("✓ split  bytes may be split (R5 WIR-01) 12 ms\n");
    expect(formatScenario({ ...passed, requirements: [] }, pipe)).toBe("✓ split  bytes may be split 12 ms\n");
  });

  it("says why a scenario is not supported where it says so itself", () => {
    const unsupported: ScenarioResult = { ...passed, outcome: "unsupported", failure };
    expect(formatScenario(unsupported, pipe)).toBe("~ split  bytes may be split (not supported; beyond the contract)\n");
    const reason = "it does not advertise splitting";
    expect(formatScenario({ ...unsupported, reason }, pipe)).toBe(`~ split  bytes may be split (not supported; ${reason})\n`);
  });

  it("says of a failure what was sent before it, which step, what was expected, what came and what the subject said", () => {
    expect(formatScenario(failed, pipe)).toBe(
      [
        "✗ split  bytes may be split (R5 WIR-01) 12 ms",
        '    sent      {"id":"z"}',
        '    sent      {"id":"a"}',
        "    step 2, expect",
        '    expected  {"id":"a"}',
        "    got       nothing within 5000 ms",
        "    stderr    boom",
        "",
      ].join("\n"),
    );
  });

  it("says why a scenario was skipped", () => {
    expect(formatScenario(skipped, pipe)).toBe("- split  bytes may be split (R5 WIR-01) 12 ms\n    skipped: needs a process\n");
  });

  it("tells an additive scenario that is not supported from a failure, in one line", () => {
    const text = formatScenario({ ...passed, additive: true, outcome: "unsupported", failure }, pipe);
    expect(text).toBe("~ split  bytes may be split (not supported; beyond the contract)\n");
    expect(formatSummary({ ...summary, unsupported: 3 }, pipe)).toContain("1 passed, 0 failed, 3 not supported in");
    expect(toExitCode({ ...summary, unsupported: 3 })).toBe(0);
  });

  it("ends with a line that counts", () => {
    expect(formatSummary(summary, pipe)).toBe("\necho 1.0.0: 1 passed, 0 failed in 1.2 s  node server.js\n");
    expect(formatSummary({ ...summary, skipped: 2 }, pipe)).toContain("1 passed, 0 failed, 2 skipped in");
  });

  it("uses colour on a terminal", () => {
    expect(formatScenario(passed, terminal)).toContain("\u001b[32m✓");
    expect(formatSummary({ ...summary, failed: 1 }, terminal)).toContain("\u001b[31m1 passed, 1 failed");
  });

  it("means exit code 0 only when nothing failed", () => {
    expect(toExitCode(summary)).toBe(0);
    expect(toExitCode({ ...summary, failed: 1 })).toBe(1);
  });
});
