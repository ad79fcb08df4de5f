// The bridge suite against bridges that keep the contract and against ones that break it in one way each.

import { describe, expect, it } from "vitest";
import { runSuite, suites, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { scenariosFor } from "./fault-scenarios.ts";
import { ourBridge, plainBridgeSubject } from "./subjects.ts";

const suite = suites["bridge"] as Suite;
const allIds = suite.scenarios.map(({ id }) => id);

// Time enough for a busy machine; what is wrong is seen at once, so nobody waits for it. Few at once: the tests
// of this file run side by side, each with a process per scenario, and a process has times to keep.
const run = async (subject: Subject, only: readonly string[] = allIds, timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 3, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** What a bridge by the bare contract does not do. */
const beyondContract = ["schema-duplicate", "answer-no-content", "progress", "cancel"];

describe.concurrent("bridges that keep the contract", () => {
  it("R1-R46 R57 R58: our bridge passes every scenario, also the additive ones", async () => {
    const results = await run(ourBridge());
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(idsOf(results, "passed")).toEqual(allIds);
  });

  it("H3: without reconnects and with one connection it keeps the contract, and says what it does not support", async () => {
    const only = [...["parallel", "many-calls", "lost-in-call", "lost-in-answer", "lost-idle"], "reconnect", "reconnect-idle"];
    const results = await run(ourBridge("--reconnect", "never", "--connections", "1"), only);
    expect(idsOf(results, "failed")).toEqual([]);
    expect(idsOf(results, "unsupported")).toEqual(["reconnect", "reconnect-idle"]);
  });

  it("a bridge that shares no code with ours passes all that is not additive", async () => {
    const within = allIds.filter((id) => !beyondContract.includes(id));
    expect((await run(plainBridgeSubject(), within)).filter(({ failure }) => failure)).toEqual([]);
    // Two of these are waited for in vain.
    expect(idsOf(await run(plainBridgeSubject(), beyondContract, 10_000), "unsupported")).toEqual(beyondContract);
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
  readonly unsupported?: readonly string[];
  /** What the report says about the first of them. */
  readonly reason: RegExp;
}

const faults: readonly Fault[] = [
  {
    name: "two-requests",
    fails: ["parallel", "many-calls"],
    reason: /^a second request on a connection before the first was answered: .*"p1".* while .*"p0".* waits$/,
  },
  { name: "loses-is-error", fails: ["is-error"], reason: /\(at result\.isError: expected true, got false\)$/ },
  {
    name: "replays",
    fails: ["lost-in-call", "lost-in-answer"],
    unsupported: ["reconnect"],
    reason: /^at requests: expected \{"\$either".*, got \[\{"method":"call_tool".*"last".*"last"/,
  },
  {
    name: "prints",
    fails: ["error-answer", "unknown-tool", "unknown-members"],
    reason: /^bytes that aren't a message .*: warning: the tool failed$/,
  },
  { name: "eager", fails: ["list"], reason: /^at connections: expected 0, got 1$/ },
  { name: "connects-each-time", fails: ["byte-length", "reuse", "error-answer"], reason: /^at connections: expected 1, got 4$/ },
  { name: "char-length", fails: ["byte-length", "values"], reason: /^a frame that can't be read / },
];

// Without what needs tens of megabytes or, with this bridge, a wait for its end: the faults have to do with neither.
const quickIds = allIds.filter((id) => !/large/.test(id) && !beyondContract.includes(id));

describe.concurrent("bridges that break it", () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    "a bridge with the fault $name fails exactly the scenarios that it breaks",
    async ({ name, fails, unsupported = [], reason, at }) => {
      const results = await run(plainBridgeSubject(name), scenariosFor(quickIds, [...fails, ...unsupported], at, faults.length));
      expect(idsOf(results, "failed")).toEqual(fails);
      expect(idsOf(results, "unsupported")).toEqual(unsupported);
      expect(results.find(({ id }) => id === fails[0])?.failure?.got).toMatch(reason);
    },
  );
});
