// `hawser conform agent` with real programs: our own runtime, and one that is none.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { start, type Ended } from "./run-hawser.ts";

// In the form that starts quickly: it is started for every scenario.
const program = builtHawser;
const hawser = [process.execPath, program];
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);

interface Report {
  readonly passed: number;
  readonly scenarios: readonly { id: string; outcome: string; failure?: object }[];
}

function conform(...args: string[]): Promise<Ended> {
  const running = start(["conform", "agent", ...args], {}, [program]);
  running.process.stdin.end();
  return running.ended;
}

describe("hawser conform agent", () => {
  it("R112-R147 H31-H40: passes `hawser agent` with the offline model in every scenario, also the additive ones", async () => {
    const { code, stdout, stderr } = await conform("--json", "--jobs", "4", "--timeout", "50000", "--", ...hawser, "agent");
    const { passed, scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect([code, stderr, passed]).toEqual([0, "", scenarios.length]);
    expect(passed).toBeGreaterThan(40);
    // What asks before it changes something was never allowed to.
    expect(existsSync(join(process.cwd(), "hawser-conform-note.txt"))).toBe(false);
  }, 300_000);

  it("exits 1 for a program that is no agent runtime", async () => {
    const { code, stdout } = await conform(...only("ready", "turn"), "--", process.execPath, "-e", "0");
    expect(stdout).toContain("agent 1.0.0: 0 passed, 2 failed in");
    expect(code).toBe(1);
  });

  it("shows the scenarios and marks what is additive", async () => {
    const { stdout } = await conform("--list");
    expect(stdout).toMatch(/^cancel +\(additive\) cancel ends its target/m);
    expect(stdout).toMatch(/^turn +a message is answered with tokens and one done/m);
  });
});
