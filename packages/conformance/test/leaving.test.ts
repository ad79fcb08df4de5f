// Scenarios that end early without a failure, requests of the subject that are answered in passing, and what a subject gives to its
// scenarios.

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runSuite, type ScenarioResult, type Step, type Subject, type Suite } from "../src/index.ts";

interface Seen {
  readonly subject: Subject;
  /** What was written to it. */
  readonly lines: string[];
}

/** Says these messages at once, and writes down what it is told. */
function saying(...messages: readonly object[]): Seen {
  const lines: string[] = [];
  const open: Subject["open"] = () => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.on("data", (chunk: Buffer) => void lines.push(...chunk.toString().trim().split("\n")));
    output.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    return Promise.resolve({ input, output, given: { colour: "green" }, lastWords: () => "", close: () => Promise.resolve() });
  };
  return { subject: { name: "says", hasProcess: false, open }, lines };
}

async function run(subject: Subject, steps: readonly Step[], more: Partial<Suite> = {}): Promise<ScenarioResult | undefined> {
  const scenario = { id: "only", title: "one scenario", requirements: ["R5"], steps };
  const probe = { send: 1, expect: 1 };
  const suite: Suite = { protocol: "test", version: "1.0.0", codec: "ndjson", probe, given: ["colour"], scenarios: [scenario], ...more };
  return (await runSuite(suite, subject)).scenarios[0];
}

describe("leaving a scenario", () => {
  const skipped = { outcome: "skipped", reason: "it says no" } as const;

  it("a message that ends the scenario gives it the outcome and the reason, and the steps after it are not run", async () => {
    const steps: Step[] = [{ expect: { yes: true }, leaving: [{ when: { no: true }, ...skipped }] }, { expect: { never: 1 } }];
    expect(await run(saying({ no: true }).subject, steps)).toMatchObject({ ...skipped, id: "only" });
    expect(await run(saying({ yes: true }, { never: 1 }).subject, steps)).toMatchObject({ outcome: "passed" });
  });

  it("what is bound decides whether a scenario goes on, and without another way it fails", async () => {
    const unsupported = { outcome: "unsupported", reason: "it has no red" } as const;
    expect(await run(saying().subject, [{ given: { colour: "red" }, otherwise: unsupported }])).toMatchObject(unsupported);
    expect(await run(saying().subject, [{ given: { colour: "green" }, otherwise: unsupported }])).toMatchObject({ outcome: "passed" });
    const result = await run(saying().subject, [{ given: { colour: "red" } }]);
    expect([result?.outcome, result?.failure?.got]).toEqual(["failed", 'at colour: expected "red", got "green"']);
  });

  it("what the protocol never allows is a failure also where the scenario was left", async () => {
    const dialect = { requests: {}, notifications: {}, results: {} };
    const steps: Step[] = [{ expect: 1, leaving: [{ when: { method: "shout" }, ...skipped }] }];
    const result = await run(saying({ jsonrpc: "2.0", method: "shout" }).subject, steps, { dialect });
    expect([result?.outcome, result?.failure?.got]).toEqual(["failed", '"shout", which is no method that this protocol lets it use']);
  });
});

describe("answering in passing", () => {
  it("sends what the first fitting answer says, with what its pattern bound for it alone", async () => {
    const { subject, lines } = saying({ ask: "a", id: 1 }, { ask: "b", id: 2 }, { done: true });
    const answering = [
      { when: { ask: "b" }, send: { never: "mind" } },
      { when: { ask: { $type: "string" }, id: { $bind: "id" } }, send: { id: { $same: "id" }, colour: { $same: "colour" } } },
    ];
    expect(await run(subject, [{ expect: { done: true }, answering }])).toMatchObject({ outcome: "passed" });
    expect(lines).toEqual(['{"id":1,"colour":"green"}', '{"never":"mind"}']);
  });
});

describe("the longest wait of a step", () => {
  it("is the suite's own unless the run has one", async () => {
    const result = await run(saying().subject, [{ expect: 1 }], { timeoutMs: 50 });
    expect(result?.failure?.got).toBe("nothing within 50 ms");
  });
});
