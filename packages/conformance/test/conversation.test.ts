// Several connections to one subject, what is seen beside them, and outcomes that are no failure.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runSuite, type Scenario, type ScenarioResult, type Session, type Step, type Subject, type Suite } from "../src/index.ts";

interface Script {
  /** What the subject does with each connection; the first is its own input and output. */
  onConnection(input: PassThrough, output: PassThrough, number: number): void;
  readonly session?: Partial<Session>;
}

function scriptedSubject({ onConnection, session = {} }: Script): Subject {
  let connections = 0;
  const connect = (): { input: PassThrough; output: PassThrough } => {
    const channel = { input: new PassThrough(), output: new PassThrough() };
    onConnection(channel.input, channel.output, connections++);
    return channel;
  };
  const open = (): Session => ({
    ...connect(),
    connect: () => Promise.resolve(connect()),
    facts: () => ({ connections }),
    lastWords: () => "",
    close: () => Promise.resolve(),
    ...session,
  });
  return { name: "scripted", hasProcess: false, open: () => Promise.resolve(open()) };
}

/** Answers every line with the number of its connection. */
const numbered: Script = {
  onConnection: (input, output, number) => input.on("data", () => output.write(`{"from":${number}}\n`)).on("end", () => output.end()),
};

async function resultOf(subject: Subject, steps: readonly Step[], more: Partial<Scenario & Suite> = {}): Promise<ScenarioResult> {
  const scenario: Scenario = { id: "only", title: "one scenario", requirements: ["R5"], steps, ...(more.additive && { additive: true }) };
  const probe = { send: "?", expect: { from: { $type: "number" } } };
  const suite: Suite = { protocol: "test", version: "1.0.0", codec: "ndjson", probe, scenarios: [scenario], ...more };
  const result = (await runSuite(suite, subject, { timeoutMs: 20_000 })).scenarios[0];
  return result as ScenarioResult;
}

describe.concurrent("connections", () => {
  it("a step speaks on the connection that it names, and on the subject's own without a name", async () => {
    const steps: Step[] = [
      { connect: "a" },
      { connect: "b" },
      { send: 1, on: "b" },
      { expect: { from: 2 }, on: "b" },
      { send: 1 },
      { expect: { from: 0 } },
      { send: 1, on: "a" },
      { expectAll: [{ from: 1 }], on: "a" },
      { expectAlive: true, on: "b" },
      { expectFacts: { connections: 3 } },
    ];
    expect(await resultOf(scriptedSubject(numbered), steps)).toMatchObject({ outcome: "passed" });
  });

  it("a name that is connected again is a new connection, and the old one is closed", async () => {
    const steps: Step[] = [
      { repeat: 2, steps: [{ connect: "a" }] },
      { send: 1, on: "a" },
      { expect: { from: 2 }, on: "a" },
      { expectFacts: { closed: [1] } },
    ];
    const closed: number[] = [];
    const onConnection: Script["onConnection"] = (input, output, number) => {
      numbered.onConnection(input, output, number);
      input.once("close", () => closed.push(number));
    };
    expect(await resultOf(scriptedSubject({ onConnection, session: { facts: () => ({ closed }) } }), steps)).toMatchObject({
      outcome: "passed",
    });
  });

  it("an end is told from silence and from a message", async () => {
    const end: Step[] = [{ connect: "a" }, { endInput: true, on: "a" }, { expectEnd: true, on: "a" }];
    expect(await resultOf(scriptedSubject(numbered), end)).toMatchObject({ outcome: "passed" });
    const silence = await resultOf(scriptedSubject(numbered), [{ connect: "a" }, { expectEnd: true, on: "a", withinMs: 20 }]);
    expect(silence.failure?.got).toBe("nothing within 20 ms");
    const message = await resultOf(scriptedSubject(numbered), [{ send: 1 }, { expectEnd: true }]);
    expect(message.failure).toMatchObject({ verb: "expectEnd", got: '{"from":0}' });
  });

  it("orEnd accepts the end of a connection in place of a message and of a write, and nothing else", async () => {
    const hangsUp: Script = { onConnection: (input, output, number) => void (number === 1 && (input.destroy(), output.end())) };
    const steps: Step[] = [
      { connect: "a" },
      { sendBytes: { utf8: "x\n" }, on: "a", orEnd: true },
      { expect: { a: 1 }, on: "a", orEnd: true },
    ];
    expect(await resultOf(scriptedSubject(hangsUp), steps)).toMatchObject({ outcome: "passed" });
    const strict = await resultOf(scriptedSubject(hangsUp), [{ connect: "a" }, { sendBytes: { utf8: "x\n" }, on: "a" }]);
    expect(strict.failure?.got).toMatch(/^its input is closed/);
    const silent = await resultOf(scriptedSubject({ onConnection: () => {} }), [{ expect: { a: 1 }, orEnd: true, withinMs: 20 }]);
    expect(silent.failure?.got).toBe("nothing within 20 ms");
  });

  it("a message that is left over on any connection fails the scenario", async () => {
    const result = await resultOf(scriptedSubject(numbered), [{ connect: "a" }, { send: 1, on: "a" }, { expectNothing: 20 }]);
    expect(result.failure).toMatchObject({ verb: "end", expected: "nothing more", got: '{"from":1}' });
  });

  it("what came on a connection before it was dropped is of no interest", async () => {
    const steps: Step[] = [{ connect: "a" }, { send: 1, on: "a" }, { expectNothing: 20 }, { drop: "a" }, { expectAlive: true }];
    expect(await resultOf(scriptedSubject(numbered), steps)).toMatchObject({ outcome: "passed" });
  });

  it("a subject that takes no connections fails the step that asks for one", async () => {
    const { connect: _, ...session } = await scriptedSubject(numbered).open();
    const subject: Subject = { name: "alone", hasProcess: false, open: () => Promise.resolve(session) };
    const result = await resultOf(subject, [{ expectAlive: true }, { connect: "a" }]);
    expect(result.failure).toMatchObject({ step: "2", verb: "connect", got: "this kind of subject takes no further connections" });
  });
});

describe.concurrent("facts and faults", () => {
  it("facts are looked at again until they match, or the time is over", async () => {
    let looks = 0;
    const session = { facts: () => ({ looks: ++looks }) };
    expect(await resultOf(scriptedSubject({ ...numbered, session }), [{ expectFacts: { looks: 4 } }])).toMatchObject({ outcome: "passed" });
    const never = await resultOf(scriptedSubject({ ...numbered, session }), [{ expectFacts: { looks: 0 }, withinMs: 50 }]);
    expect(never.failure).toMatchObject({
      verb: "expectFacts",
      expected: '{"looks":0}',
      got: expect.stringMatching(/^at looks: expected 0, got \d+$/),
    });
  });

  it("a fault of the subject fails a scenario whose steps all held, and is the reason of one that failed", async () => {
    const subject = scriptedSubject({ ...numbered, session: { faults: () => ["two requests at once"] } });
    expect((await resultOf(subject, [{ expectAlive: true }])).failure).toMatchObject({
      step: "2",
      verb: "end",
      got: "two requests at once",
    });
    const failed = await resultOf(subject, [{ send: 1 }, { expect: { from: 9 } }]);
    expect(failed.failure).toMatchObject({ step: "2", verb: "expect", got: "two requests at once" });
  });

  it("a scenario that is additive is unsupported where others fail", async () => {
    const steps: Step[] = [{ send: 1 }, { expect: { from: 9 } }];
    const result = await resultOf(scriptedSubject(numbered), steps, { additive: true });
    expect(result).toMatchObject({ outcome: "unsupported", additive: true, failure: { verb: "expect" } });
    expect(await resultOf(scriptedSubject(numbered), [{ expectAlive: true }], { additive: true })).toMatchObject({ outcome: "passed" });
  });

  it("messages that mean nothing in a suite may come at any time, but can also be expected", async () => {
    const chatty: Script = {
      onConnection: (input, output) => input.on("data", () => output.write('{"note":1}\n{"from":0}\n{"note":2}\n')),
    };
    const more = { skipping: { note: { $any: true } } };
    const steps: Step[] = [{ send: 1 }, { expect: { from: 0 } }, { expectNothing: 20 }];
    expect(await resultOf(scriptedSubject(chatty), steps, more)).toMatchObject({ outcome: "passed" });
    const expected: Step[] = [{ send: 1 }, { expect: { note: 2 }, skipping: { from: 0 } }];
    expect(await resultOf(scriptedSubject(chatty), expected, more)).toMatchObject({ outcome: "passed" });
    const strict = await resultOf(scriptedSubject(chatty), steps);
    expect(strict.failure?.got).toMatch(/^\{"note":1\}/);
  });
});
