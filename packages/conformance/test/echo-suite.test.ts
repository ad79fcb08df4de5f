// The echo suite against implementations that keep the contract, in this process, in another and in
// another language, and against ones that break it in one way each.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createStreamTransport, ndjson, serveEcho } from "@hawser/wire/internal/node";
import { runSuite, streamsSubject, suites, type RunSuiteOptions, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { scenariosFor } from "./fault-scenarios.ts";
import { findPython, ourEcho, plainEchoSubject, pythonSubject } from "./subjects.ts";

const echoSuite = suites["echo"] as Suite;
const allIds = echoSuite.scenarios.map(({ id }) => id);
const needingProcess = ["end-idle", "end-drains", "terminate"];

const run = async (subject: Subject, options: RunSuiteOptions = {}): Promise<readonly ScenarioResult[]> =>
  // Time enough for a busy machine: only the server that never answers has to be waited for.
  (await runSuite(echoSuite, subject, { concurrency: 4, timeoutMs: 100_000, ...options })).scenarios;

const failures = (results: readonly ScenarioResult[]): unknown => results.filter(({ outcome }) => outcome === "failed");
const failedIds = (results: readonly ScenarioResult[]): string[] =>
  results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
const reasonOf = (results: readonly ScenarioResult[], id: string): string | undefined =>
  results.find((result) => result.id === id)?.failure?.got;

describe.concurrent("implementations that keep the contract", () => {
  it("G1 G2 G5 G6 G8 G14: our echo server passes every scenario", async () => {
    const results = await run(await ourEcho());
    expect(failures(results)).toEqual([]);
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(allIds.map((id) => [id, "passed"]));
  });

  it("a server that shares no code with ours passes every scenario", async () => {
    const results = await run(plainEchoSubject());
    expect(failures(results)).toEqual([]);
    expect(results).toHaveLength(allIds.length);
  });

  it("an implementation in this process passes, and what needs a process is skipped with a reason", async () => {
    const subject = streamsSubject("serveEcho in this process", () => {
      const input = new PassThrough();
      const output = new PassThrough();
      void serveEcho(createStreamTransport({ readable: input, writable: output, codec: ndjson, ownsStreams: false }));
      return { input, output };
    });
    const results = await run(subject);
    expect(failures(results)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === "skipped").map(({ id, reason }) => [id, reason])).toEqual(
      needingProcess.map((id) => [id, "needs a process to signal or to see exit"]),
    );
  });

  const python = findPython();
  if (python === undefined) process.stderr.write("python3 is not installed: the suite is not tried on a server in another language\n");
  it.skipIf(python === undefined)("a server written in Python passes every scenario", async () => {
    const results = await run(pythonSubject(python ?? ""));
    expect(failures(results)).toEqual([]);
    expect(results).toHaveLength(allIds.length);
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
  /** What the report says about one of them. */
  readonly scenario: string;
  readonly reason: RegExp;
  readonly options?: RunSuiteOptions;
}

const faults: readonly Fault[] = [
  { name: "answers-twice", fails: allIds, scenario: "blank-lines", reason: /"crlf".* \(the same message a second time\)$/ },
  {
    name: "wrong-id",
    fails: [
      ...["malformed", "too-large", "invalid-utf8", "duplicate-id", "interleaved"],
      ...["cancel-overtakes", "cancel-stream", "status-busy", "end-drains", "terminate"],
    ],
    scenario: "too-large",
    reason: /\(at id: expected "big", got no such member\)$/,
  },
  {
    name: "never-answers",
    fails: allIds,
    scenario: "shapes",
    reason: /^nothing within 1000 ms$/,
    options: { timeoutMs: 1_000, concurrency: 13 },
  },
  {
    name: "dies-mid-line",
    fails: allIds,
    scenario: "shapes",
    reason: /^a message that was cut off: \{"id":"shape".*; it exited with code 3$/,
  },
  {
    name: "prints-noise",
    fails: ["malformed", "too-large", "too-deep", "invalid-utf8"],
    scenario: "malformed",
    reason: /^bytes that aren't a message \(not valid JSON.*\): warning: bad line$/,
  },
  {
    name: "ignores-cancel",
    fails: ["duplicate-id", "interleaved", "cancel-overtakes", "cancel-stream", "status-busy"],
    scenario: "interleaved",
    reason: /"cancelled":0\} \(it matches none of them\)$/,
  },
  { name: "exits-1", fails: ["end-idle", "end-drains"], scenario: "end-idle", reason: /^an exit with code 1$/ },
];

describe.concurrent("implementations that break it", () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    "a server with the fault $name fails exactly the scenarios that it breaks",
    async (fault) => {
      const only = scenariosFor(allIds, fault.fails, fault.at, faults.length);
      const results = await run(plainEchoSubject(fault.name), { ...fault.options, only });
      expect(failedIds(results)).toEqual(fault.fails);
      expect(reasonOf(results, fault.scenario)).toMatch(fault.reason);
    },
  );
});
