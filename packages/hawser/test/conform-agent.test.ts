// `hawser conform agent` with real programs: our own runtime, and one that is none; and the whole suite against our runtime in this
// process, where a start takes no time.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveAgent } from "@hawser/agent/internal";
import { runSuite, suites, type Suite } from "@hawser/conformance";
import { describe, expect, it } from "vitest";
// What it is started with is no part of the package.
import { agentSubject } from "../../conformance/src/command-subject.ts";
import { longTestsVariable } from "../../../scripts/tasks/long-tests.ts";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { runtimeHere } from "./runtime-here.ts";
import { start, type Ended } from "./run-hawser.ts";

// In the form that starts quickly: it is started for every scenario.
const program = builtHawser;
const hawser = [process.execPath, program];
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);

const isLong = process.env[longTestsVariable] !== undefined;
const ends = ["end-of-input", "terminate-idle", "terminate-in-turn", "permission-at-end"];

/** What asks before it changes something was never allowed to. */
const expectNoNote = (): void => expect(existsSync(join(process.cwd(), "hawser-conform-note.txt"))).toBe(false);

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
  it("R112-R147 H31-H40: our runtime passes every scenario with the offline model, also the additive ones", async () => {
    const start = runtimeHere({}, (transport, parts, lifecycle) => serveAgent(transport, parts, { lifecycle }));
    const suite = suites["agent"] as Suite;
    const { scenarios } = await runSuite(suite, agentSubject({ command: "agent" }, start), { timeoutMs: 50_000, concurrency: 8 });
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(40);
    expectNoNote();
  }, 300_000);

  it("R112 R146 R147: `hawser agent` passes where a process and its pipes take part; in the long form all", async () => {
    const chosen = isLong ? [] : only("ready", "turn", "texts", "pieces", "much-garbage", "too-long", ...ends, "permission-deny", "cancel");
    const { code, stdout, stderr } = await conform("--json", "--jobs", "4", "--timeout", "50000", ...chosen, "--", ...hawser, "agent");
    const { passed, scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect([code, stderr, passed]).toEqual([0, "", scenarios.length]);
    expectNoNote();
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
