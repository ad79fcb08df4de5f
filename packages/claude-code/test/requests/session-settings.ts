// Settings about the sessions of the command line and their limits, and what the real one makes of them. In short, that they are
// handed on: agent-sdk.test.ts.

import { describe, expect, it } from "vitest";
import { defineTool } from "../../src/index.ts";
import { say, use } from "../../../../test/kit/claude-code/scripted-model.ts";
import { makeStage, thrownBy } from "../stage.ts";
import { hasCli } from "../../../../test/kit/claude-code/surroundings.ts";

const input = { type: "object" } as const;
const full = (name: string): string => `mcp__hawser__${name}`;
const before = ({ messages }: { messages: readonly { role: string }[] }) =>
  say(`${messages.filter(({ role }) => role === "assistant").length} before`);

describe.runIf(hasCli)("sessions of the command line", () => {
  it("go on where continue or resume says so; in a copy, the original stays as it was", async () => {
    const stage = await makeStage(before);
    const first = await stage.create().request("one");
    const copy = await stage.create({ resume: first.sessionId, forkSession: true }).request("two");
    expect([copy.text, copy.sessionId === first.sessionId]).toEqual(["1 before", false]);
    // As it may be said for one request only: the original is as it was.
    expect((await stage.create().request("two", { resume: first.sessionId })).text).toBe("1 before");
    expect((await stage.create({ continue: true }).request("three")).text).toBe("2 before");
  });

  it("are not kept where persistSession is false", async () => {
    const stage = await makeStage(before);
    const model = stage.create({ persistSession: false });
    const { sessionId } = await model.request("one");
    expect(await thrownBy(model.request("two", { resume: sessionId }))).toMatchObject({ name: "CLIExecutionError" });
  });

  it.for([
    ["maxTurns", { maxTurns: 2 }, "error_max_turns"],
    ["maxBudgetUsd", { maxBudgetUsd: 0.000_001 }, "error_max_budget_usd"],
  ] as const)("stop at a limit that was set: %s", async ([name, options, subtype]) => {
    const stage = await makeStage(() => [use(full("again"))]);
    const model = stage.create(options);
    model.setAgentToolsets([defineTool({ name: "again", description: "", input, run: () => "again" })]);
    const error = await thrownBy(model.request("loop"));
    expect(error).toMatchObject({ name: "CLIExecutionError", facts: { subtype } });
    expect((error as Error).message).toContain(name);
    expect(stage.model.conversations).toHaveLength(name === "maxTurns" ? 2 : 1);
  });
});
