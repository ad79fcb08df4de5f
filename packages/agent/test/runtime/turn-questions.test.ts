// Questions about a tool's use within a turn: what is shown is what runs, and no question leaves a host in silence.

import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Tool } from "@hawser/tools";
import type { ToolCall, Verdict } from "../../src/permissions/policy.ts";
import { createQuestions } from "../../src/runtime/questions.ts";
import { openStage, say, textOf, toolResultsIn, type Script } from "./stage.ts";
import { asking, write, writing } from "./write-question.ts";

describe("questions to the user", () => {
  it("shows what will be executed, waits, and runs the tool once it is allowed", async () => {
    const stage = openStage({ tools: [write], decide: asking, script: writing });
    stage.send(say("t1", "write"));
    const question = await stage.next(({ type }) => type === "permission_request");
    expect(question).toMatchObject({
      id: "t1",
      data: { toolId: "w1", toolName: "write_file", input: { path: "a.txt", content: "x" }, reason: "it changes files" },
    });
    const { permissionId } = (question as { data: { permissionId: string } }).data;
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow_always", via: "shortcut" });
    expect((await stage.endOf("p1")).type).toBe("done");
    await stage.endOf("t1");
    stage.send({ id: "p2", kind: "permission_response", permissionId, decision: "allow" });
    expect(await stage.endOf("p2")).toMatchObject({ type: "error", error: expect.stringContaining("expired") as string });
    await stage.close();
    expect(textOf(stage.of("t1"))).toBe("written");
    // A page that comes back sees that the question is answered.
    const types = stage.of("t1").map(({ type }) => type);
    expect(types.slice(types.indexOf("permission_request"), types.indexOf("tool_result"))).toEqual(["permission_request", "progress"]);
    expect(stage.notes).toEqual(["always write_file", "allow_always write_file: the user, by shortcut"]);
  });

  it.each([
    ["deny", "denied: the user said no", "deny write_file: the user, by host"],
    [undefined, "denied: nobody answered within 0.05 seconds", "deny write_file: nobody answered within 0.05 seconds, by expired"],
  ] as const)("answered with %s: the tool does not run, its result says so, and the turn goes on", async (decision, said, note) => {
    let runs = 0;
    const counting = { ...write, run: () => void runs++ };
    const stage = openStage({ tools: [counting], decide: asking, script: writing, limits: { permissionMs: decision ? 60_000 : 50 } });
    stage.send(say("t1", "write"));
    const question = await stage.next(({ type }) => type === "permission_request");
    const { permissionId } = (question as { data: { permissionId: string } }).data;
    if (decision) stage.send({ id: "p1", kind: "permission_response", permissionId, decision });
    expect((await stage.endOf("t1")).type).toBe("done");
    await stage.close();
    // It never ran, so it has no time.
    const denied = { toolId: "w1", toolName: "write_file", result: null, isError: true, error: said };
    expect(stage.of("t1").find(({ type }) => type === "tool_result")).toMatchObject({ data: denied });
    expect(stage.of("t1").some((response) => response.type === "tool_result" && "durationMs" in response.data)).toBe(false);
    expect(runs).toBe(0);
    expect(stage.notes).toEqual([note]);
  });

  it("the time of a tool is that of its run: neither the thinking of the user nor the tools before it are in it", async () => {
    const calls = ["w1", "w2"].map((toolId) => ({ type: "tool_call", toolId, toolName: "write_file", input: {} }) as const);
    const script: Script = (step) => (toolResultsIn(step).length > 0 ? [{ type: "text", text: "written" }] : calls);
    const decide = ({ toolId }: ToolCall): Verdict => (toolId === "w1" ? asking() : { decision: "allow", reason: "" });
    const stage = openStage({ tools: [write], decide, script });
    stage.send(say("t1", "write"));
    const question = await stage.next(({ type }) => type === "permission_request");
    await setTimeout(200);
    const answeredAt = performance.now();
    const { permissionId } = (question as { data: { permissionId: string } }).data;
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow" });
    await stage.endOf("t1");
    const sinceAnswer = performance.now() - answeredAt;
    await stage.close();
    const times = stage.of("t1").flatMap((response) => (response.type === "tool_result" ? [response.data.durationMs ?? Infinity] : []));
    expect(times).toHaveLength(2);
    for (const time of times) expect(time).toBeLessThanOrEqual(Math.ceil(sinceAnswer));
  });

  it("R135 a host that has not shown that it answers is not left in silence: its question ends early, and the turn goes on", async () => {
    const stage = openStage({
      tools: [write],
      decide: asking,
      script: writing,
      limits: { permissionMs: 60_000, permissionUnprovenMs: 50 },
    });
    stage.send(say("t1", "write"));
    expect((await stage.endOf("t1")).type).toBe("done");
    await stage.close();
    expect(stage.notes).toEqual(["deny write_file: nobody answered within 0.05 seconds, by expired"]);
  });

  it.each([
    ["says so in a request's metadata", { id: "s1", kind: "get_status", metadata: { answersPermissions: true } }],
    ["has answered one, even too late", { id: "s1", kind: "permission_response", permissionId: "gone", decision: "deny" }],
  ])("R135 a host that %s has the whole time", async (_how, proof) => {
    const stage = openStage({ tools: [write], decide: asking, script: writing, limits: { permissionMs: 60_000, permissionUnprovenMs: 0 } });
    stage.send(proof);
    await stage.endOf("s1");
    stage.send(say("t1", "write"));
    const { permissionId } = ((await stage.next(({ type }) => type === "permission_request")) as { data: { permissionId: string } }).data;
    // With no time at all it would have ended before this was answered.
    stage.send({ id: "s2", kind: "get_status" });
    await stage.endOf("s2");
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow" });
    await stage.endOf("t1");
    await stage.close();
    expect(stage.notes).toEqual(["allow write_file: the user, by host"]);
  });

  it("R135 only `true` says so: a host with another value is not left in silence", async () => {
    const stage = openStage({
      tools: [write],
      decide: asking,
      script: writing,
      limits: { permissionMs: 60_000, permissionUnprovenMs: 50 },
    });
    stage.send({ ...say("t1", "write"), metadata: { answersPermissions: "yes" } });
    expect((await stage.endOf("t1")).type).toBe("done");
    await stage.close();
    expect(stage.notes).toEqual(["deny write_file: nobody answered within 0.05 seconds, by expired"]);
  });

  it("R135 the time counts from the last response that every host knows", async () => {
    const questions = createQuestions({ permissionMs: 60_000, permissionUnprovenMs: 5 });
    let looks = 0;
    const { promise: asked, resolve: show } = Promise.withResolvers<string>();
    const { promise: stillHeard, resolve: goOn } = Promise.withResolvers<void>();
    // Told something anew each time that the clock looks.
    const heardAt = (): number => {
      if (++looks === 4) goOn();
      return performance.now();
    };
    const outcome = questions.ask({ signal: new AbortController().signal, heardAt }, (permissionId) => Promise.resolve(show(permissionId)));
    const permissionId = await asked;
    await stillHeard;
    questions.answer({ permissionId, decision: "allow" });
    expect(await outcome).toMatchObject({ decision: "allow" });
  });

  it.each([
    ["click", "click"],
    ["key", "key"],
    ["word", "word"],
    ["rule", "host"],
    ["", "host"],
    [undefined, "host"],
  ])("the audit log says how it was answered: a host that says %j is noted as %s", async (via, noted) => {
    const stage = openStage({ tools: [write], decide: asking, script: writing });
    stage.send(say("t1", "write"));
    const { permissionId } = ((await stage.next(({ type }) => type === "permission_request")) as { data: { permissionId: string } }).data;
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow", ...(via !== undefined && { via }) });
    await stage.endOf("t1");
    await stage.close();
    expect(stage.notes).toEqual([`allow write_file: the user, by ${noted}`]);
  });

  it("an answer that can't be remembered is noted as one for this call, and the host is told", async () => {
    const stage = openStage({ tools: [write], decide: asking, script: writing, allowAlways: () => false });
    stage.send(say("t1", "write"));
    const { permissionId } = ((await stage.next(({ type }) => type === "permission_request")) as { data: { permissionId: string } }).data;
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow_always" });
    await stage.endOf("t1");
    await stage.close();
    expect(stage.of("t1").find(({ type }) => type === "progress")).toMatchObject({
      data: { message: "allowed once; this call can't be remembered" },
    });
    expect(stage.notes).toEqual(["allow write_file: the user, by host"]);
  });

  it("a question that ends with its turn is noted as cancelled", async () => {
    const stage = openStage({ tools: [write], decide: asking, script: writing });
    stage.send(say("t1", "write"));
    await stage.next(({ type }) => type === "permission_request");
    stage.send({ id: "c1", kind: "cancel", target: "t1" });
    await stage.endOf("t1");
    await stage.close();
    expect(stage.notes).toEqual(["deny write_file: the turn ended before an answer came, by cancelled"]);
  });

  it("a rule that denies needs no question", async () => {
    const stage = openStage({ tools: [write], decide: () => ({ decision: "deny", reason: "rule 1 says no" }), script: writing });
    stage.send(say("t1", "write"));
    await stage.endOf("t1");
    await stage.close();
    expect(textOf(stage.of("t1"))).toBe("denied: rule 1 says no");
    expect(stage.notes).toEqual(["deny write_file: rule 1 says no, by rule"]);
    expect(stage.responses.some(({ type }) => type === "permission_request")).toBe(false);
  });

  it("denies when the input has ended, since nobody can answer any more", async () => {
    const stage = openStage({ tools: [write], decide: asking, script: writing });
    stage.send(say("t1", "write"));
    await stage.close();
    expect(textOf(stage.of("t1"))).toContain("denied: the input has ended");
    expect(stage.notes).toEqual([expect.stringMatching(/^deny write_file: the input has ended.*, by closed$/)]);
  });

  it("WIR-12 what is shown is what is executed, although the model holds on to its input", async () => {
    const input = { path: "a.txt" };
    const seen: unknown[] = [];
    const watching: Tool = { ...write, run: (args) => void seen.push(args) };
    const stage = openStage({
      tools: [watching],
      decide: asking,
      script: (step) => (toolResultsIn(step).length > 0 ? [] : [{ type: "tool_call", toolId: "w", toolName: "write_file", input }]),
    });
    stage.send(say("t1", "write"));
    const question = await stage.next(({ type }) => type === "permission_request");
    input.path = "/etc/passwd";
    const { permissionId } = (question as { data: { permissionId: string } }).data;
    stage.send({ id: "p1", kind: "permission_response", permissionId, decision: "allow" });
    await stage.endOf("t1");
    await stage.close();
    expect(seen).toEqual([{ path: "a.txt" }]);
  });
});
