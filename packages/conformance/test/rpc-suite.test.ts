// The rpc suite against a server that keeps the contract and does nothing beyond it, and against ones
// that break it in one way each. Our own server is tried in the tests of the command line.

import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runSuite, suites, type ScenarioResult, type Step, type Subject, type Suite } from "../src/index.ts";
import { rpcSubject } from "../src/rpc-subject.ts";
import { plainRpc } from "./fixtures/plain-rpc.ts";

const suite = suites["rpc"] as Suite;
const contractIds = suite.scenarios.filter(({ additive }) => !additive).map(({ id }) => id);
// Between pipes of this process nothing stops a writer: this one is tried with a process.
const needsPipe = "back-pressure";
const idsHere = contractIds.filter((id) => id !== needsPipe);

const run = async (subject: Subject, only: readonly string[], timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 12, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** In this process, since dozens of starts for each of many faults would take minutes. */
function plainRpcSubject(fault?: string): Subject {
  return rpcSubject({ command: "plain-rpc" }, ({ args = [] }) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const log: string[] = [];
    const exited = plainRpc({ args, input, output, log: (text) => void log.push(text) }, fault).then((code) => {
      output.end();
      return { code, signal: null };
    });
    const close = async (): Promise<void> => void input.end();
    return Promise.resolve({ input, output, process: { pid: 0, exited, kill: () => {} }, lastWords: () => log.join("\n"), close });
  });
}

const plainRpcProcess = (...words: string[]): Subject => {
  const program = join(import.meta.dirname, "fixtures", "plain-rpc-process.ts");
  return rpcSubject({ command: process.execPath, args: [program, ...words], stopInputMs: 500, stopSignalMs: 100 });
};

// A thousand calls for each fault would be most of the time; none of them needs so many.
const quickIds = idsHere.filter((id) => id !== "many-calls");

describe.concurrent("an rpc server that keeps the contract", () => {
  it("R77-R111: passes all that is not additive", async () => {
    const results = await run(plainRpcSubject(), idsHere);
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(idsOf(results, "passed")).toEqual(idsHere);
  });

  it("R110: passes what needs a process", async () => {
    expect(idsOf(await run(plainRpcProcess(), [needsPipe, "shutdown", "queue-size-0"]), "passed")).toHaveLength(3);
  });

  it("H21 H22 H30: is said not to support what is beyond the contract, and does not fail", async () => {
    const beyond = ["call-errors", "cancel-one-worker", "item-mutation", "operation-params", "ids-verbatim"];
    const results = await run(plainRpcSubject(), beyond, 6_000);
    expect(idsOf(results, "unsupported").toSorted()).toEqual(beyond.toSorted());
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
}

/** The same step with a tenth of what it sends, which is still far more than pipes take. */
function toFew(step: Step): Step {
  if (!("sendBytes" in step)) return step;
  const pieces = [step.sendBytes].flat();
  return { ...step, sendBytes: pieces.slice(0, pieces.length / 10) };
}

const faults: readonly Fault[] = [
  { name: "falsy-ids", fails: ["ids", "shutdown"] },
  {
    name: "error-always",
    fails: quickIds.filter((id) => !/^(?:op-|malformed|call-(?:refused|cut|usage|timeout)|workers|queue-size-|many|small)/.test(id)),
  },
  { name: "prints", fails: quickIds.filter((id) => !/^(?:workers|queue-size-)/.test(id)) },
  { name: "blank-lines", fails: ["blank-lines", "blank-spaces"] },
  { name: "no-auth-code", fails: ["call-codes"] },
  { name: "retries", fails: ["call-codes"] },
  { name: "one-status", fails: ["call-codes", "own-status"] },
  { name: "too-many-workers", fails: ["one-worker", "workers"] },
  { name: "drops-calls", fails: ["shutdown-drains"] },
  { name: "reads-after-shutdown", fails: ["shutdown", "shutdown-drains"] },
  {
    name: "wrong-exit",
    fails: ["workers-0", "workers--1", "workers-1.5", "workers-many", "queue-size-0", "queue-size--1", "queue-size-1.5", "queue-size-many"],
  },
];

describe.concurrent("rpc servers that break it", () => {
  it.each(faults)("a server with the fault $name fails exactly the scenarios that it breaks", async ({ name, fails }) => {
    // What never comes with these two is waited for in vain.
    const [only, timeoutMs] = ["reads-after-shutdown", "too-many-workers"].includes(name) ? [fails, 3_000] : [quickIds, 100_000];
    expect(idsOf(await run(plainRpcSubject(name), only, timeoutMs), "failed")).toEqual(fails);
  });
});

// Alone, and with a tenth of the calls: whether it reads is seen only if it has time to.
describe("an rpc server that reads on with a full queue", () => {
  it("R110: fails the scenario about it", async () => {
    const scenarios = suite.scenarios
      .filter(({ id }) => id === needsPipe)
      .map((scenario) => ({ ...scenario, steps: scenario.steps.map(toFew) }));
    const result = await runSuite({ ...suite, scenarios }, plainRpcProcess("reads-on"), { timeoutMs: 100_000 });
    expect(result.scenarios[0]?.failure?.got).toBe("at isInputFull: expected true, got false");
  });
});
