// A suite with a mistake in it is refused before anything runs, with the scenario and the step named.

import { describe, expect, it } from "vitest";
import { checkSuite, type Suite } from "../src/index.ts";

function suiteWith(...steps: unknown[]): Suite {
  const scenario = { id: "greeting", title: "greets", requirements: ["R5"], steps };
  return { protocol: "test", version: "1.0.0", codec: "ndjson", probe: { send: 1, expect: 1 }, scenarios: [scenario] } as Suite;
}

const refused: readonly [string, unknown, string][] = [
  ["an unknown step", { shout: 1 }, "a step has exactly one of send, sendBytes,"],
  ["a step with two verbs", { send: 1, expect: 1 }, "a step has exactly one of"],
  ["a step that is no object", "send", "a step is an object"],
  ["a modifier that does not belong", { send: 1, withinMs: 5 }, '"withinMs" does not belong to send'],
  ["an unknown matcher", { expect: { a: [{ $kind: "x" }] } }, 'unknown matcher "$kind"; known are $any,'],
  ["a matcher beside a field", { expect: { $any: true, a: 1 } }, 'unknown matcher "a"'],
  ["an unknown type", { expect: { $type: "date" } }, "$type takes one of string, number"],
  ["a pattern that does not compile", { expect: { $regex: "(" } }, "$regex takes a regular expression"],
  ["a range without bounds", { expect: { $number: {} } }, "$number takes an object with min, max or both"],
  ["a source below the top", { expect: { a: { b: { $source: "1" } } } }, "$source stands for a member at the top"],
  ["a mistake in skipping", { expect: 1, skipping: { $kind: 1 } }, 'unknown matcher "$kind"'],
  ["a mistake in one of several patterns", { expectAll: [1, { $kind: 1 }] }, 'unknown matcher "$kind"'],
  ["bytes that are no base64", { sendBytes: { base64: "?" } }, "sendBytes takes pieces"],
  ["a piece with both kinds of bytes", { sendBytes: [{ utf8: "a", base64: "YQ==" }] }, "sendBytes takes pieces"],
  ["chunks of no size", { sendSplit: 1 }, "sendSplit needs chunkBytes"],
  ["an exit that says nothing", { expectExit: {} }, "expectExit takes an object with code or signal"],
  ["a signal that is none", { signal: "TERM" }, "signal takes a signal's name"],
  ["a signal that no system has", { signal: "SIGTREM" }, "signal takes a signal's name"],
  ["an exit by a signal that no system has", { expectExit: { signal: "SIGTREM" } }, "expectExit takes an object with code or signal"],
  ["no steps to repeat", { repeat: 2, steps: [] }, "it has no steps"],
  ["a mistake inside a repeat", { repeat: 2, steps: [{ hop: 1 }] }, "step 1: a step has exactly one of"],
  ["an exit of another kind", { expectExit: { exitCode: 1 } }, "expectExit takes an object with code or signal"],
  ["a mistake in an alternative", { expect: { $either: [1, { $kind: 1 }] } }, 'unknown matcher "$kind"'],
  ["one alternative", { expect: { $either: [1] } }, "$either takes an array of patterns"],
  ["a mistake in facts", { expectFacts: { a: { $kind: 1 } } }, 'unknown matcher "$kind"'],
  ["a connection that nobody made", { send: 1, on: "second" }, 'no step connects "second"'],
  ["a connection to drop that nobody made", { repeat: 1, steps: [{ drop: "second" }] }, 'no step connects "second"'],
  ["a connection without a name", { connect: "" }, "connect takes a name"],
  [
    "an answer in passing with an unknown member",
    { expect: 1, answering: [{ when: 1, say: 1 }] },
    'there is no "say"; known are when, send',
  ],
  [
    "an answer in passing with a mistake in its pattern",
    { expect: 1, answering: [{ when: { $kind: 1 }, send: 1 }] },
    'unknown matcher "$kind"',
  ],
  [
    "an answer in passing with a name that nothing binds",
    { expect: 1, answering: [{ when: 1, send: { $same: "x" } }] },
    'nothing is bound to "x"',
  ],
  ["answers in passing that are no list", { expect: 1, answering: {} }, "answering and leaving take arrays"],
  ["another way to leave", { expect: 1, leaving: [{ when: 1, outcome: "failed", reason: "so" }] }, '"outcome" can\'t be this'],
  ["leaving without a reason", { given: 1, otherwise: { outcome: "skipped" } }, "a way to leave has an outcome and a reason"],
  ["a mistake in what must be given", { given: { a: { $kind: 1 } } }, 'unknown matcher "$kind"'],
  ["cases of nothing", { expect: { $cases: { by: "type" } } }, "$cases takes an object with `by`"],
  ["a name that nothing binds", { send: { $same: "session" } }, '$same: nothing is bound to "session"'],
];

describe("checkSuite", () => {
  it("takes a name that the suite says is given", () => {
    const suite = suiteWith({ send: { $same: "folder" } });
    expect(() => checkSuite(suite)).toThrow('nothing is bound to "folder"');
    expect(() => checkSuite({ ...suite, given: ["folder"] })).not.toThrow();
  });

  it("refuses a requirement that the suite's own rules don't have, and a mistake in what its subjects may say", () => {
    const suite = suiteWith({ send: 1 });
    expect(() => checkSuite({ ...suite, rules: {} })).toThrow('scenario greeting: the suite has no rule "R5"');
    const dialect = { requests: {}, notifications: { note: { params: { $kind: 1 } } }, results: {} };
    expect(() => checkSuite({ ...suite, dialect })).toThrow('suite test, note: unknown matcher "$kind"');
    expect(() => checkSuite({ ...suite, dialect: { ...dialect, notifications: {}, results: { ask: { $kind: 1 } } } })).toThrow(
      "result of ask",
    );
  });

  it.each(refused)("refuses %s and names the scenario", (_, step, message) => {
    expect(() => checkSuite(suiteWith(step))).toThrow(expect.objectContaining({ code: "usage" }));
    expect(() => checkSuite(suiteWith(step))).toThrow(/^scenario greeting/);
    expect(() => checkSuite(suiteWith(step))).toThrow(message);
  });

  it.each<[string, object, string]>([
    ["an unknown member", { files: 1 }, 'scenario greeting, setup: there is no "files"; known are schema,'],
    ["a number of paths that is right", { paths: 2 }, 'scenario greeting, setup: "paths" can\'t be this'],
    ["bytes that are no pieces", { schemaBytes: "[]" }, 'scenario greeting, setup: "schemaBytes" can\'t be this'],
    ["an answer with an unknown member", { answers: [{ when: 1, say: 2 }] }, 'scenario greeting, answer 1: there is no "say"'],
    [
      "an answer with a mistake in its pattern",
      { answers: [{ when: { $kind: 1 } }] },
      'scenario greeting, answer 1: unknown matcher "$kind"',
    ],
    ["an answer with a name that nothing binds", { answers: [{ when: 1, send: { $same: "x" } }] }, 'nothing is bound to "x"'],
  ])("refuses a setup with %s", (_, setup, message) => {
    const [scenario] = suiteWith({ send: 1 }).scenarios;
    const suite = { ...suiteWith(), scenarios: [{ ...scenario, setup }] } as unknown as Suite;
    expect(() => checkSuite(suite)).toThrow(message);
  });

  it.each<[string, unknown[], string]>([
    ["a value before it is bound", [{ send: { $same: "a" } }, { expect: { $bind: "a" } }], '$same: nothing is bound to "a" before this'],
    ["a value that another pattern binds in any order", [{ expectAll: [{ a: { $bind: "a" } }, { b: { $same: "a" } }] }], 'bound to "a"'],
    ["a value that was only sent", [{ send: { $bind: "a" } }, { expect: { $same: "a" } }], 'bound to "a"'],
    ["a value that stands in an exact one", [{ expect: { $equals: { $bind: "a" } } }, { expect: { $same: "a" } }], 'bound to "a"'],
    ["a connection that was dropped", [{ connect: "b" }, { drop: "b" }, { send: 1, on: "b" }], 'no step connects "b" before this'],
    ["a connection before it is made", [{ send: 1, on: "b" }, { connect: "b" }], 'no step connects "b" before this'],
  ])("refuses to use %s", (_, steps, message) => {
    expect(() => checkSuite(suiteWith(...steps))).toThrow(message);
  });

  it("lets a pattern use what an earlier member of it bound, and later steps what a repeat bound", () => {
    const steps = [{ repeat: 1, steps: [{ expect: { a: { $bind: "a" }, b: { $same: "a" } } }] }, { send: { $same: "a" } }];
    expect(() => checkSuite(suiteWith(...steps))).not.toThrow();
  });

  it("says which step it is", () => {
    expect(() => checkSuite(suiteWith({ send: 1 }, { expect: 1 }, { hop: 1 }))).toThrow(/^scenario greeting, step 3: /);
  });

  it("refuses a scenario without requirements, two of one id, and an unknown codec", () => {
    const [scenario] = suiteWith({ send: 1 }).scenarios;
    const base = suiteWith({ send: 1 });
    expect(() => checkSuite({ ...base, scenarios: [{ ...scenario, requirements: [] }] as unknown as Suite["scenarios"] })).toThrow(
      "names no requirement",
    );
    expect(() => checkSuite({ ...base, scenarios: [scenario, scenario] as Suite["scenarios"] })).toThrow("two of this id");
    expect(() => checkSuite({ ...base, codec: "xml" as "ndjson" })).toThrow("codec must be ndjson or length-prefix");
  });

  it("accepts every step and matcher that is documented", () => {
    const steps = [
      { send: { id: { $index: "a" } } },
      { sendBytes: [{ utf8: "a", times: 3 }, { base64: "YQ==" }] },
      { sendSplit: 1, chunkBytes: 1 },
      { expect: { a: { $type: "string", $bind: "a" }, b: { $absent: true }, c: { $source: "1" } }, skipping: { $any: true }, withinMs: 5 },
      { expectAll: [{ $regex: "^a" }, { $number: { min: 1, max: 2 } }, { $equals: { $kind: 1 } }, { $same: "a" }, { $index: true }] },
      { expectNothing: 5 },
      { repeat: 2, steps: [{ endInput: true }] },
      { signal: "SIGUSR1" },
      { expectExit: { code: 0 } },
      { expectExit: { signal: "SIGKILL" }, withinMs: 5 },
      { expectAlive: true },
      { connect: "second" },
      { send: { on: "nothing" }, on: "second" },
      { sendBytes: { utf8: "a" }, on: "second", orEnd: true },
      { expect: { $either: [1, { $some: 2 }, { $json: 3 }, { $length: 4 }] }, on: "second", orEnd: true },
      { endInput: true, on: "second" },
      { expectEnd: true, on: "second", withinMs: 5 },
      { drop: "second" },
      { removeSchema: true },
      { expectExit: { $either: [{ code: 1 }, { signal: "SIGTERM" }] } },
      { expectFacts: { open: 0 }, withinMs: 5 },
    ];
    expect(() => checkSuite(suiteWith(...steps))).not.toThrow();
  });
});
