// The ACP suite against an agent that keeps the protocol and offers all of it, and against ones that break one rule each. Agents that
// run as programs of their own are in the tests of the command line.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { acpSubject, type AcpSubjectOptions } from "../src/acp-subject.ts";
import { runSuite, suites, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { startPlainAcp } from "./fixtures/plain-acp.ts";

const suite = suites["acp"] as Suite;
const allIds = suite.scenarios.map(({ id }) => id);
const contractIds = suite.scenarios.filter(({ additive }) => !additive).map(({ id }) => id);

const run = async (subject: Subject, only: readonly string[], timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 16, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** In this process, since dozens of starts for each of many faults would take minutes. */
function plainAcpSubject(fault?: string, options: Partial<AcpSubjectOptions> = {}): Subject {
  return acpSubject({ command: "plain-acp", ...options }, ({ env }) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const { ended, terminate } = startPlainAcp(input, output, String(env?.["XDG_DATA_HOME"]), fault);
    const exited = ended.then((code) => {
      output.end();
      return { code, signal: null };
    });
    async function close(): Promise<void> {
      input.end();
      terminate();
      await exited;
    }
    return Promise.resolve({ input, output, process: { pid: 0, exited, kill: terminate }, lastWords: () => "", close });
  });
}

describe.concurrent("an ACP agent that keeps the protocol", () => {
  it("passes every scenario", async () => {
    const results = await run(plainAcpSubject(), allIds);
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
}

const idsWith = (text: RegExp): string[] =>
  suite.scenarios.filter(({ additive, steps }) => !additive && text.test(JSON.stringify(steps))).map(({ id }) => id);

const withSessions = idsWith(/session\/new/).filter((id) => id !== "wrong-params");
void withSessions;

const faults: readonly Fault[] = [
  { name: "prints", fails: contractIds },
];

describe.concurrent("ACP agents that break it", () => {
  it.each(faults)("an agent with the fault $name fails exactly the scenarios that it breaks", async ({ name, fails }) => {
    // Only what is broken may be waited for in vain; the rest has time enough for a busy machine.
    const whole = contractIds.filter((id) => !fails.includes(id));
    expect(idsOf(await run(plainAcpSubject(name), whole), "failed")).toEqual([]);
    expect(idsOf(await run(plainAcpSubject(name), fails, 3_000), "failed")).toEqual(fails);
  });
});
