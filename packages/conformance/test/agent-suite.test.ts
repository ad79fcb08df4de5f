// The agent suite against a runtime that keeps the contract and does nothing beyond it, and against ones
// that break it in one way each. Our own runtime is tried in the tests of the command line.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { agentSubject } from "../src/command-subject.ts";
import { runSuite, suites, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { startPlainAgent } from "./fixtures/plain-agent.ts";

const suite = suites["agent"] as Suite;
const contractIds = suite.scenarios.filter(({ additive }) => !additive).map(({ id }) => id);

const run = async (subject: Subject, only: readonly string[], timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 16, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** In this process, since dozens of starts for each of many faults would take minutes. */
function plainAgentSubject(fault?: string): Subject {
  return agentSubject({ command: "plain-agent" }, () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const { ended, terminate } = startPlainAgent(input, output, fault);
    const exited = ended.then((code) => {
      output.end();
      return { code, signal: null };
    });
    const close = async (): Promise<void> => void input.end();
    return Promise.resolve({ input, output, process: { pid: 0, exited, kill: terminate }, lastWords: () => "", close });
  });
}

describe.concurrent("an agent runtime that keeps the contract", () => {
  it("R112-R147: passes all that is not additive, also with a ready that names no version", async () => {
    const results = await run(plainAgentSubject(), contractIds);
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(idsOf(results, "passed")).toEqual(contractIds);
  });

  it("H37 H40: is said not to support what is beyond the contract, and does not fail", async () => {
    const beyond = ["cancel-unknown", "conversations", "models", "broken-with-id", "odd-ids"];
    const results = await run(plainAgentSubject(), beyond, 6_000);
    expect(idsOf(results, "unsupported").toSorted()).toEqual(beyond.toSorted());
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
}

const withTurns = contractIds.filter((id) => /turn|texts|length|status-|tool|metadata|end-of/.test(id));

const withStatus = suite.scenarios
  .filter(({ additive, steps }) => !additive && /expectAlive|get_status/.test(JSON.stringify(steps)))
  .map(({ id }) => id);

const faults: readonly Fault[] = [
  { name: "odd-version", fails: ["ready"] },
  { name: "ready-twice", fails: contractIds },
  { name: "old-names", fails: ["tool-members"] },
  { name: "no-status", fails: withStatus },
  { name: "silent", fails: ["unknown-kind", "wrong-types"] },
  { name: "answers-garbage", fails: ["garbage", "much-garbage"] },
  { name: "dies-on-garbage", fails: ["garbage", "much-garbage"] },
  { name: "no-checks", fails: ["unknown-kind", "wrong-types"] },
  { name: "ends-twice", fails: withTurns },
  { name: "no-token-times", fails: withTurns },
  { name: "seconds", fails: contractIds },
  { name: "concurrent", fails: ["two-turns"] },
  { name: "keeps-history", fails: ["length"] },
  { name: "no-uptime", fails: ["status"] },
  { name: "drops-turns", fails: ["end-of-input", "terminate-in-turn"] },
  { name: "wrong-exit", fails: ["terminate-idle", "terminate-in-turn"] },
  { name: "prints", fails: contractIds },
  { name: "splits-separators", fails: ["separators"] },
  { name: "ignores-files", fails: ["attachment-missing"] },
];

describe.concurrent("agent runtimes that break it", () => {
  it.each(faults)("a runtime with the fault $name fails exactly the scenarios that it breaks", async ({ name, fails }) => {
    // Only what is broken may be waited for in vain; the rest has time enough for a busy machine.
    const whole = contractIds.filter((id) => !fails.includes(id));
    expect(idsOf(await run(plainAgentSubject(name), whole), "failed")).toEqual([]);
    expect(idsOf(await run(plainAgentSubject(name), fails, 3_000), "failed")).toEqual(fails);
  });
});
