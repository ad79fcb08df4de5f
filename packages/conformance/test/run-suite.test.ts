// The runner with subjects that would make a careless one hang, fill its memory or lie.

import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { commandSubject, runSuite, streamsSubject, type Failure, type Step, type Subject, type Suite } from "../src/index.ts";
import { isRunning } from "../../../test/kit/processes.ts";
import { fixtureSubject } from "./subjects.ts";

const probe = { send: { id: "p", kind: "echo", value: 1 }, expect: { id: "p", type: "echoed" } };

function suiteOf(steps: readonly Step[], codec: Suite["codec"] = "ndjson"): Suite {
  const scenario = { id: "only", title: "one scenario", requirements: ["R5"], steps };
  return { protocol: "test", version: "1.0.0", codec, probe, scenarios: [scenario] };
}

/** Time enough for a process to start on a busy machine. */
const patientMs = 100_000;

async function failureOf(subject: Subject, steps: readonly Step[], timeoutMs = patientMs): Promise<Failure | undefined> {
  const result = await runSuite(suiteOf(steps), subject, { timeoutMs });
  return result.scenarios[0]?.failure;
}

/** The subject, the ids of the processes that it started, and where their output is read. */
function watched(subject: Subject): { subject: Subject; pids: number[]; outputs: Socket[] } {
  const pids: number[] = [];
  const outputs: Socket[] = [];
  const open = async (): ReturnType<Subject["open"]> => {
    const session = await subject.open();
    if (session.process) pids.push(session.process.pid);
    outputs.push(session.output as Socket);
    return session;
  };
  return { subject: { ...subject, open }, pids, outputs };
}

describe.concurrent("subjects that misbehave", () => {
  it("a subject that never reads fails the step that writes, and is stopped although it ignores SIGTERM", async () => {
    const { subject, pids } = watched(fixtureSubject("misbehave.ts", "silent"));
    const failure = await failureOf(subject, [{ sendBytes: { utf8: "x", times: 4_000_000 } }, { expectAlive: true }], 700);
    expect(failure).toEqual({
      step: "1",
      verb: "sendBytes",
      expected: "the subject takes 4000000 bytes",
      got: "it did not read them within 700 ms",
      sent: [`${"x".repeat(240)}… (4000000 bytes)`],
    });
    expect(pids.map(isRunning)).toEqual([false]);
  });

  it("a subject that prints garbage fails with a bounded excerpt without control characters", async () => {
    const failure = await failureOf(fixtureSubject("misbehave.ts", "garbage"), [{ expectAlive: true }]);
    expect(failure?.got).toBe("bytes that aren't a message (not valid UTF-8; encode each line as UTF-8): \\u001b[2J\uFFFD\uFFFD\\u0000");
  });

  it("a subject that floods is not read without end, and fails at the next step", async () => {
    const { subject, pids, outputs } = watched(fixtureSubject("misbehave.ts", "floods"));
    const failure = await failureOf(subject, [
      { expect: { type: "noise" } },
      { endInput: true },
      { expectExit: { code: 0 }, withinMs: 1_000 },
    ]);
    expect(failure).toMatchObject({ step: "3", verb: "expectExit", got: '{"type":"noise"}' });
    // Ten thousand messages are kept, and what was already on its way.
    expect(outputs.map(({ bytesRead }) => bytesRead < 2_000_000)).toEqual([true]);
    expect(pids.map(isRunning)).toEqual([false]);
  });

  it("a subject that writes one line without end fails when the line is too long", async () => {
    const failure = await failureOf(fixtureSubject("misbehave.ts", "long-line"), [{ expect: { $any: true } }], 20_000);
    expect(failure?.got).toMatch(
      /^bytes that aren't a message \(line of \d+ bytes.*; the limit is 10485760.*\): x{299}… \(\d+ characters\)$/,
    );
  });

  it("a subject that dies is reported with its exit code and its last words", async () => {
    const failure = await failureOf(fixtureSubject("misbehave.ts", "dies"), [{ expect: { $any: true } }]);
    expect(failure).toEqual({
      step: "1",
      verb: "expect",
      expected: '{"$any":true}',
      got: "the end of its output; it exited with code 9",
      lastWords: "can't find the configuration",
    });
  });

  it("what a subject leaves behind is found and killed", async ({ expect }) => {
    const failure = await failureOf(fixtureSubject("misbehave.ts", "leaves-child"), [{ expectExit: { code: 0 } }]);
    expect(failure?.got).toBe("it exited, but something that it started keeps its output open");
    const grandchild = Number(failure?.lastWords);
    expect(grandchild).toBeGreaterThan(1);
    await expect.poll(() => isRunning(grandchild), { timeout: patientMs }).toBe(false);
  });

  it("a subject that can't be started ends the run with one error that names it", async () => {
    const subject = commandSubject({ command: "no-such-program-anywhere" });
    await expect(runSuite(suiteOf([{ expectAlive: true }]), subject)).rejects.toMatchObject({
      code: "start_failed",
      message: "can't start no-such-program-anywhere: there is no such program; check the name and the PATH",
    });
  });

  it("a session that can't be opened for another reason fails its scenario only", async () => {
    const subject = streamsSubject("refuses", () => Promise.reject(new Error("connection refused")));
    const failure = await failureOf(subject, [{ expectAlive: true }]);
    expect(failure).toEqual({ step: "1", verb: "start", expected: "the scenario can be run", got: "connection refused" });
  });
});

describe.concurrent("steps", () => {
  const echo = (): Subject => fixtureSubject("our-echo.ts");

  it("R5: the same steps run over length-prefixed frames, also byte by byte", async () => {
    const subject = fixtureSubject("our-echo.ts", "length-prefix");
    const suite = suiteOf(
      [
        { sendSplit: { id: "a", kind: "echo", value: "é" }, chunkBytes: 1 },
        { expect: { id: "a", type: "echoed", value: "é" } },
        { sendBytes: [{ base64: "AAAAAg==" }, { utf8: "{}" }] },
        { expect: { type: "error", code: "invalid_message" } },
        { expectAlive: true },
        { endInput: true },
        { expectExit: { code: 0 } },
      ],
      "length-prefix",
    );
    const result = await runSuite(suite, subject, { timeoutMs: patientMs });
    expect(result.scenarios[0]).toMatchObject({ outcome: "passed" });
  });

  it("what a pattern binds can be sent and expected again", async () => {
    const steps: Step[] = [
      { send: { id: "first", kind: "echo", value: { token: "t-1" } } },
      { expect: { id: { $bind: "id" }, value: { token: { $bind: "token", $type: "string" } } } },
      { send: { id: { $same: "id" }, kind: "echo", value: [{ $same: "token" }] } },
      { expect: { id: { $same: "id" }, value: ["t-1"] } },
      { expectAlive: true },
    ];
    expect(await failureOf(echo(), steps)).toBeUndefined();
  });

  it("expectNothing fails when something comes, and holds when nothing does", async () => {
    expect(await failureOf(echo(), [{ expectAlive: true }, { expectNothing: 50 }])).toBeUndefined();
    const failure = await failureOf(echo(), [{ send: { id: "x", kind: "status" } }, { expectNothing: 5_000 }]);
    expect(failure).toMatchObject({ verb: "expectNothing", expected: "nothing for 5000 ms", got: expect.stringContaining('"running":0') });
  });

  it("messages to be skipped may be many, but not without end", async () => {
    const piece = { id: "f", type: "piece" };
    const stream = (count: number): Step => ({ send: { id: "f", kind: "stream", count, bytes: 10 } });
    expect(await failureOf(echo(), [stream(2_000), { expect: { type: "done" }, skipping: piece }])).toBeUndefined();
    const endless: Step[] = [stream(100_000_000), { expect: piece }, { skipping: piece, expect: { type: "done" }, withinMs: 400 }];
    const failure = await failureOf(echo(), endless);
    expect(failure).toMatchObject({ verb: "expect", got: "only messages that are skipped, for 400 ms" });
  });

  it("a message that no step expected fails the exit that it comes before", async () => {
    const failure = await failureOf(echo(), [{ send: { id: "z", kind: "status" } }, { endInput: true }, { expectExit: { code: 0 } }]);
    expect(failure).toMatchObject({ step: "3", verb: "expectExit", got: expect.stringContaining('"id":"z"') });
  });

  it("a message that is left over when all steps are done fails the scenario", async () => {
    const subject = streamsSubject("says two things", () => {
      const output = new PassThrough();
      output.write('{"id":"x"}\n{"id":"y"}\n');
      return { input: new PassThrough(), output };
    });
    expect(await failureOf(subject, [{ expect: { id: "x" } }])).toEqual({
      step: "2",
      verb: "end",
      expected: "nothing more",
      got: '{"id":"y"}',
    });
  });

  it("a failure inside a repeat names the step and the repetition", async () => {
    const failure = await failureOf(echo(), [
      {
        repeat: 3,
        steps: [{ send: { id: { $index: "r" }, kind: "status" } }, { expect: { id: { $index: "r" }, running: { $number: { max: 0 } } } }],
      },
      { repeat: 3, steps: [{ send: { id: "r", kind: "echo", value: { $index: true } } }, { expect: { value: { $number: { max: 1 } } } }] },
    ]);
    expect(failure).toMatchObject({ step: "2.2 in repetition 3", verb: "expect", got: expect.stringContaining("at value: expected") });
  });

  it("an exit by a signal is told from an exit with a code", async () => {
    const steps: Step[] = [{ expectAlive: true }, { signal: "SIGKILL" }, { expectExit: { signal: "SIGKILL" } }];
    expect(await failureOf(echo(), steps)).toBeUndefined();
    const failure = await failureOf(echo(), [{ expectAlive: true }, { signal: "SIGKILL" }, { expectExit: { code: 0 } }]);
    expect(failure?.got).toBe("an exit with SIGKILL");
  });
});

describe("runs", () => {
  it("reports in the suite's order, runs on after a failure and counts", async () => {
    const scenario = (id: string, steps: Step[]): Suite["scenarios"][number] => ({ id, title: id, requirements: ["R5"], steps });
    const suite: Suite = {
      ...suiteOf([]),
      scenarios: [
        scenario("slow", [{ send: { id: "s", kind: "sleep", ms: 400 } }, { expect: { id: "s", type: "done" } }]),
        scenario("wrong", [{ send: { id: "s", kind: "status" } }, { expect: { id: "other" } }]),
        scenario("quick", [{ expectAlive: true }]),
      ],
    };
    const seen: string[] = [];
    const options = { timeoutMs: patientMs, concurrency: 3, onResult: ({ id }: { id: string }) => void seen.push(id) };
    const result = await runSuite(suite, fixtureSubject("our-echo.ts"), options);
    expect(seen).toEqual(["slow", "wrong", "quick"]);
    expect(result).toMatchObject({ protocol: "test", passed: 2, failed: 1, skipped: 0 });
    const only = await runSuite(suite, fixtureSubject("our-echo.ts"), { timeoutMs: patientMs, only: ["quick"] });
    expect(only.scenarios.map(({ id }) => id)).toEqual(["quick"]);
  });

  it("refuses an id that the suite does not have", async () => {
    const run = runSuite(suiteOf([{ expectAlive: true }]), fixtureSubject("our-echo.ts"), { only: ["nope"] });
    await expect(run).rejects.toMatchObject({ code: "usage", message: 'the test suite has no scenario "nope"; it has: only' });
  });
});
