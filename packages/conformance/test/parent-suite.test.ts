// The parent suite against parents that keep the contract, in this language and in another, and
// against ones that break it in one way each.

import { describe, expect, it } from "vitest";
import { runSuite, suites, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { scenariosFor } from "./fault-scenarios.ts";
import { findPython, ourParent, ourParentInProcess, plainParentSubject, pythonParent } from "./subjects.ts";

const suite = suites["parent"] as Suite;
const allIds = suite.scenarios.map(({ id }) => id);

const run = async (subject: Subject, only: readonly string[] = allIds, timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 3, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** What parents by the bare contract do not do. */
const beyondPlain = ["hello-known", "error-classes", "too-large-goes-on", "huge-length-answered", "half-closed"];
const beyondPython = ["hello-known", "error-classes", "refused-frames-go-on", "too-large-goes-on", "huge-length-answered"];

describe.concurrent("parents that keep the contract", () => {
  it("R1-R35: our session passes every scenario, also the additive ones", async () => {
    const results = await run(ourParentInProcess());
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(idsOf(results, "passed")).toEqual(allIds);
  });

  it("R37-R51 R60: our session as a process passes what has to do with its files and its end", async () => {
    const only = suite.scenarios.slice(0, allIds.indexOf("call") + 1).map(({ id }) => id);
    const results = await run(await ourParent(), [...only, "closed-in-call"]);
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(idsOf(results, "passed")).toEqual([...only, "closed-in-call"]);
  });

  it("a parent that shares no code with ours passes all that is not additive", async () => {
    const results = await run(plainParentSubject());
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(idsOf(results, "unsupported")).toEqual(beyondPlain);
  });

  const python = findPython();
  if (python === undefined) process.stderr.write("python3 is not installed: the suite is not tried on a parent in another language\n");
  it.skipIf(python === undefined)("a parent written in Python passes all that is not additive", async () => {
    const results = await run(pythonParent(python ?? ""));
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(idsOf(results, "unsupported")).toEqual(beyondPython);
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
  readonly unsupported?: readonly string[];
  /** The scenario whose report is looked at, and what it says. */
  readonly scenario: string;
  readonly reason: RegExp;
  /** For a fault that is waited for. */
  readonly timeoutMs?: number;
}

const faults: readonly Fault[] = [
  {
    name: "interleaves",
    fails: ["early-requests"],
    scenario: "early-requests",
    reason: /\\"turn\\":2.*\(at result\.content\.0\.text: expected "waited"/,
  },
  {
    name: "closes-on-bad-json",
    fails: [],
    unsupported: ["refused-frames-go-on"],
    scenario: "refused-frames-go-on",
    reason: /^the end of its output$/,
  },
  {
    name: "dies-on-bad-json",
    fails: ["not-json", "not-utf8", "empty-frame"],
    unsupported: ["refused-frames-go-on"],
    scenario: "not-json",
    reason: /^no program is listening at .*\.sock/,
  },
  { name: "empty-content", fails: ["empty-result"], scenario: "empty-result", reason: /\(at result\.content: expected .*, got \[\]\)$/ },
  { name: "world-readable", fails: ["socket-file"], scenario: "socket-file", reason: /^at socket\.mode: expected "600", got "666"$/ },
  {
    name: "leaves-files",
    timeoutMs: 10_000,
    fails: ["terminate", "terminate-busy"],
    scenario: "terminate",
    reason: /^at socket: expected \{"\$absent":true\}, got \{"name":"claudecode_ipc_/,
  },
  {
    name: "hides-class",
    fails: ["tool-throws", "unknown-tool"],
    unsupported: ["refused-frames-go-on"],
    scenario: "tool-throws",
    reason: /\(at error\.type: expected "ValueError", got "Error"\)$/,
  },
  {
    name: "sends-too-much",
    fails: ["result-too-large"],
    unsupported: ["result-too-large-answered"],
    scenario: "result-too-large",
    reason: /^bytes that aren't a message \(frame of 104858\d\d bytes; the limit is 10485760/,
  },
];

// Without what needs tens of megabytes, unless that is the fault, and what this parent does not support anyway.
const quickIds = allIds.filter((id) => (!/large/.test(id) || id.startsWith("result-too")) && !beyondPlain.includes(id));

describe.concurrent("parents that break it", () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    "a parent with the fault $name fails exactly the scenarios that it breaks",
    async (fault) => {
      // Only what is broken may be waited for in vain; the rest has time enough for a busy machine.
      const ids = scenariosFor(quickIds, [...fault.fails, ...(fault.unsupported ?? [])], fault.at, faults.length);
      const [broken, whole] = [true, false].map((isBroken) => ids.filter((id) => fault.fails.includes(id) === isBroken));
      const results = [
        ...(await run(plainParentSubject(fault.name), broken, fault.timeoutMs)),
        ...(await run(plainParentSubject(fault.name), whole)),
      ];
      expect(idsOf(results, "failed")).toEqual(fault.fails);
      expect(idsOf(results, "unsupported")).toEqual(fault.unsupported ?? []);
      expect(results.find(({ id }) => id === fault.scenario)?.failure?.got).toMatch(fault.reason);
    },
  );
});
