// The questions of an ACP agent: the same rules, the same question to the user, the same audit line as for our own tools.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyAgentResponse } from "@hawser/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, openRuntime, textOf, type Runtime } from "./runtime-stage.ts";

const options = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const question = (toolCallId: string, more: object = {}, offered: readonly object[] = options): string =>
  `ask ${JSON.stringify({ toolCall: { toolCallId, title: "git push", kind: "execute", rawInput: { command: "git push" }, ...more }, options: offered })}`;

type Asked = Extract<AnyAgentResponse, { type: "permission_request" }>;
const isQuestionOf =
  (id: string) =>
  (response: AnyAgentResponse): response is Asked =>
    response.type === "permission_request" && response.id === id;

async function askedIn(runtime: Runtime, id: string): Promise<Asked["data"]> {
  return ((await runtime.next(isQuestionOf(id))) as Asked).data;
}

const auditOf = (runtime: Runtime): Record<string, unknown>[] =>
  readFileSync(join(runtime.home, "data", "audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a question that no rule answers", () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime();
  });
  afterAll(() => runtime.close());

  it("G17 is put to the user as the agent puts it, with its options", async () => {
    const id = runtime.begin(question("q1", { locations: [{ path: "/w/a" }], content: [{ type: "diff", path: "/w/a", newText: "b" }] }));
    const { permissionId, ...data } = await askedIn(runtime, id);
    expect(data).toEqual({
      toolId: "q1",
      toolName: "execute",
      input: { command: "git push" },
      title: "git push",
      kind: "execute",
      locations: [{ path: "/w/a" }],
      diffs: [{ path: "/w/a", newText: "b" }],
      reason: "acp/scripted asks before it runs something, and no rule allows it.",
      options,
    });
    await runtime.ask({ kind: "permission_response", permissionId, decision: "allow" });
    expect(textOf(await runtime.endOf(id))).toBe('{"outcome":"selected","optionId":"yes"}');
    const types = runtime.of(id).map(({ type }) => type);
    // An agent that takes its time to start is followed by signs of life.
    expect(types.slice(types.indexOf("permission_request")).slice(0, 2)).toEqual(["permission_request", "progress"]);
    const others = types.filter((type) => type !== "progress");
    expect(others).toEqual(["tool_use", "permission_request", "token", "tool_result", "done"]);
  });

  it.each([
    [{ decision: "allow" }, "yes"],
    [{ decision: "allow_always" }, "always"],
    [{ decision: "deny" }, "no"],
    [{ decision: "allow_always", optionId: "always" }, "always"],
    [{ decision: "deny", optionId: "no" }, "no"],
  ])("the answer %j picks the option %s", async (answer, optionId) => {
    const id = runtime.begin(question("q2"));
    const { permissionId } = await askedIn(runtime, id);
    await runtime.ask({ kind: "permission_response", permissionId, ...answer });
    expect(textOf(await runtime.endOf(id))).toBe(JSON.stringify({ outcome: "selected", optionId }));
  });

  it("an option that there is not, or that means something else than the decision, is refused, and the question stays open", async () => {
    const id = runtime.begin(question("q3"));
    const { permissionId } = await askedIn(runtime, id);
    const answer = { kind: "permission_response", permissionId };
    expect(errorOf(await runtime.ask({ ...answer, decision: "allow", optionId: "maybe" }))).toContain('has no option "maybe"');
    expect(errorOf(await runtime.ask({ ...answer, decision: "deny", optionId: "yes" }))).toContain("means allow, not deny");
    await runtime.ask({ ...answer, decision: "allow", optionId: "yes" });
    expect(errorOf(await runtime.ask({ ...answer, decision: "deny" }))).toContain("unknown or expired");
    expect(textOf(await runtime.endOf(id))).toContain('"yes"');
  });

  it("`allow` never becomes always: without an option for once the agent is refused", async () => {
    const offered = options.filter(({ optionId }) => optionId !== "yes");
    const id = runtime.begin(question("q4", {}, offered));
    const { permissionId } = await askedIn(runtime, id);
    await runtime.ask({ kind: "permission_response", permissionId, decision: "allow" });
    expect(textOf(await runtime.endOf(id))).toContain('"no"');
  });

  it("at cancel every open question is answered with cancelled, and the turn has one end", async () => {
    const id = runtime.begin(`${question("q5")}\nwait`, "cancelled");
    await askedIn(runtime, id);
    await runtime.ask({ kind: "cancel", target: id });
    expect(errorOf(await runtime.endOf(id))).toContain("Cancelled by request");
    // The scripted agent has said how it was answered, after the turn's end, and takes the next message.
    expect(textOf(await runtime.say("say next", "cancelled"))).toBe("next");
  });

  it("a question for an unknown session is answered with cancelled, without a question to the user", async () => {
    const id = runtime.begin(`ask ${JSON.stringify({ sessionId: "nobody", toolCall: { toolCallId: "q6", title: "x" }, options })}`);
    expect(textOf(await runtime.endOf(id))).toBe('{"outcome":"cancelled"}');
    expect(runtime.of(id).some(({ type }) => type === "permission_request")).toBe(false);
  });

  it("every decision is in the audit log, under the name that rules use", async () => {
    await runtime.next(() => auditOf(runtime).length >= 9);
    expect(auditOf(runtime)[0]).toMatchObject({ toolName: "scripted__execute", toolId: "q1", decision: "allow", by: "the user" });
  });
});

describe("a question that time or rules answer", () => {
  it("G17 R135 one that is not answered in time counts as denied, and the turn goes on", async () => {
    const runtime = await openRuntime({ config: { limits: { permissionMs: 300 } } });
    const said = await runtime.say(`${question("t1")}\nsay  on`);
    expect(textOf(said)).toBe('{"outcome":"selected","optionId":"no"} on');
    await runtime.close();
    expect(auditOf(runtime)).toMatchObject([{ decision: "deny", via: "expired" }]);
  });

  it("--permissions deny rejects without asking, and a rule can still allow", async () => {
    const permissions = [{ tool: "scripted__read", decision: "allow" }];
    const runtime = await openRuntime({ args: ["--permissions=deny"], config: { permissions } });
    const said = await runtime.say(`${question("d1")}\n${question("d2", { kind: "read" })}`);
    expect(textOf(said)).toBe('{"outcome":"selected","optionId":"no"}\n\n{"outcome":"selected","optionId":"yes"}');
    expect(said.some(({ type }) => type === "permission_request")).toBe(false);
    await runtime.close();
    expect(auditOf(runtime)).toMatchObject([
      { toolName: "scripted__execute", decision: "deny", via: "mode" },
      { toolName: "scripted__read", decision: "allow", via: "rule" },
    ]);
  });

  it("G13 what denies our tools a file denies it to the agent: by its location, its change, or its argument, through links too", async () => {
    const permissions = [
      { tool: "scripted__*", decision: "allow" },
      { tool: "write_file", match: { path: "secret/**" }, decision: "deny" },
      { tool: "read_file", match: { path: "hidden.txt" }, decision: "deny" },
      { tool: "scripted__execute", match: { command: "rm *" }, decision: "deny" },
      { tool: "scripted__execute", match: { title: "git push *" }, decision: "deny" },
    ];
    const runtime = await openRuntime({ config: { permissions } });
    const work = join(runtime.home, "work");
    const { mkdirSync, symlinkSync, writeFileSync } = await import("node:fs");
    mkdirSync(join(work, "secret"));
    writeFileSync(join(work, "secret", "a"), "");
    symlinkSync(join(work, "secret", "a"), join(work, "link"));
    const cases: [object, string][] = [
      [{ kind: "edit", locations: [{ path: join(work, "secret/a") }] }, "no"],
      [{ kind: "edit", locations: [{ path: "link" }] }, "no"],
      [{ kind: "edit", content: [{ type: "diff", path: join(work, "secret/b"), newText: "x" }] }, "no"],
      [{ kind: "edit", rawInput: { file_path: "other/../secret/c" } }, "no"],
      [{ kind: "read", locations: [{ path: join(work, "secret/a") }] }, "yes"],
      [{ kind: "read", locations: [{ path: "hidden.txt" }] }, "no"],
      [{ kind: "delete", locations: [{ path: "hidden.txt" }] }, "no"],
      [{ kind: "edit", locations: [{ path: "open.txt" }] }, "yes"],
      [{ kind: "execute", rawInput: { command: "rm all" } }, "no"],
      [{ kind: "execute", rawInput: { command: "ls" } }, "yes"],
      [{ kind: "execute", title: "git push origin", rawInput: {} }, "no"],
    ];
    const said = await runtime.say(cases.map(([more], at) => `${question(`f${at}`, more)}\nsay  `).join("\n"));
    const picked = [...textOf(said).matchAll(/"optionId":"(\w+)"/g)].map(([, optionId]) => optionId);
    expect(picked).toEqual(cases.map(([, optionId]) => optionId));
    await runtime.close();
  });
});
