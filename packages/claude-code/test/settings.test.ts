// Settings of a model and of a request, and what the real command line makes of them.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool as agentSdkTool } from "@anthropic-ai/claude-agent-sdk";
import { tool as aiSdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type AgentMessage, type CanUseTool } from "../src/index.ts";
import { say, use } from "./fixtures/scripted-model.ts";
import { makeStage, thrownBy } from "./stage.ts";
import { hasCli } from "./surroundings.ts";

const input = { type: "object" } as const;
const full = (name: string): string => `mcp__hawser__${name}`;
const before = ({ messages }: { messages: readonly { role: string }[] }) =>
  say(`${messages.filter(({ role }) => role === "assistant").length} before`);

describe.runIf(hasCli)("settings", () => {
  it("offer no tool of the command line and expand no prompt unless asked; what is asked for arrives", async () => {
    const stage = await makeStage(({ results }) => (results.length > 0 ? say("done") : [use("Read", { file_path: "/etc/hostname" })]));
    fs.writeFileSync(join(stage.home, "secret.txt"), "the harbour's secret");
    const messages: AgentMessage[] = [];
    await stage.create({ systemPrompt: "You count boats." }).request("/help @secret.txt");
    const [plain] = stage.model.conversations;
    expect(plain!.tools).toEqual([]);
    expect(plain!.said).toContain("/help @secret.txt");
    expect(plain!.said).not.toContain("the harbour's secret");
    expect(plain!.system).toContain("You count boats.");

    const asked = stage.create({
      allowedTools: ["Read"],
      systemPrompt: { append: "And ships." },
      toolRestrictions: { Read: { file_path: /^\/srv\// } },
      onMessage: (message) => void messages.push(message),
    });
    await asked.request([
      { role: "system", content: "Be brief." },
      { role: "user", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "third" },
    ]);
    const [first, second] = stage.model.conversations.filter(({ said }) => said.includes("third"));
    expect(first!.tools.map(({ name }) => name)).toEqual(["Read"]);
    expect(first!.system).toMatch(/And ships\..*Be brief\./s);
    expect(first!.said).toMatch(/\[user\]\nfirst\n\n\[assistant\]\nsecond[\s\S]*third/);
    expect(second!.results[0]).toMatchObject({ is_error: true });
    expect(second!.resultTexts[0]).toContain('may not be called with this "file_path"; it must match /^\\/srv\\//');
    expect(messages.map(({ type }) => type)).toContain("assistant");
  });

  it("restrict the parameters of registered tools, too", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(resultTexts.join(" | ")) : ["red", "blue"].map((colour) => use(full("paint"), { colour })),
    );
    const model = stage.create({ toolRestrictions: { paint: { colour: ["red"] } } });
    model.setAgentToolsets([defineTool({ name: "paint", description: "", input, run: ({ colour }) => `painted ${String(colour)}` })]);
    const { text } = await model.request("paint");
    expect(text).toContain("painted red");
    expect(text).toContain('allowed are: "red"');
    expect(text).not.toContain("painted blue");
  });

  it("resume a session, and stop at the limits that were set", async () => {
    const stage = await makeStage(({ messages, said }) =>
      said.includes("loop") ? [use(full("again"))] : say(`${messages.filter(({ role }) => role === "assistant").length} before`),
    );
    const model = stage.create({ maxTurns: 2 });
    model.setAgentToolsets([defineTool({ name: "again", description: "", input, run: () => "again" })]);
    const { sessionId, text } = await model.request("one");
    expect([text, (await model.request("two", { resume: sessionId })).text]).toEqual(["0 before", "1 before"]);
    expect(await thrownBy(model.request("loop"))).toMatchObject({ name: "CLIExecutionError", facts: { subtype: "error_max_turns" } });
  });

  it("a schema makes the answer a value: given as such, or recovered from a text", async () => {
    const schema = z.object({ boats: z.number() });
    const stage = await makeStage(({ said, results }) =>
      said.includes("plainly") || results.length > 0
        ? say('There are ```json\n{"boats": 4}\n``` of them')
        : [use("StructuredOutput", { boats: 3 })],
    );
    const model = stage.create();
    const { output } = await model.request("count", { schema });
    expect(output.boats).toBe(3);
    // It insists on its own way of answering until it gives up; the value is there all the same.
    expect((await model.request("count, plainly", { schema })).output).toEqual({ boats: 4 });
  });
});

describe.runIf(hasCli)("what a request runs in", () => {
  it("is the model, the folder and the environment that were given", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(resultTexts[0]!) : [use("Bash", { command: "echo $HARBOUR ${GONE-gone} in $PWD" })],
    );
    const env = { ...stage.options.env, HARBOUR: "Valletta", GONE: undefined };
    const { text } = await stage.create({ allowedTools: ["Bash"], model: "claude-harbour-1", env }).request("go");
    expect(text).toContain(`Valletta gone in ${fs.realpathSync(stage.home)}`);
    expect(stage.model.conversations[0]!.model).toBe("claude-harbour-1");
  });

  it("has no settings of a project unless they are asked for", async () => {
    const stage = await makeStage(() => say("fine"));
    fs.writeFileSync(join(stage.home, "CLAUDE.md"), "Boats are counted in dozens.");
    await stage.create().request("one");
    await stage.create({ settingSources: ["project"] }).request("two");
    expect(stage.model.conversations.map(({ said, system }) => `${said} ${system}`.includes("in dozens"))).toEqual([false, true]);
  });

  it("calls tools of all three kinds", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(resultTexts.join(" and ")) : ["ours", "ai", "agent"].map((name) => use(full(name), { n: 2 })),
    );
    const model = stage.create();
    model.setAgentToolsets({
      ours: defineTool({ name: "ours", description: "", input: z.object({ n: z.number() }), run: ({ n }) => `ours ${n}` }),
      ai: aiSdkTool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => `ai ${n}` }),
      agent: agentSdkTool("agent", "", { n: z.number() }, ({ n }) => Promise.resolve({ content: [{ type: "text", text: `agent ${n}` }] })),
    });
    expect((await model.request("go")).text).toMatch(/ours 2.*ai 2.*agent 2/s);
  });
});

describe.runIf(hasCli)("permissions", () => {
  const reads = (path: string) => (conversation: { resultTexts: readonly string[] }) =>
    conversation.resultTexts.length > 0 ? say(conversation.resultTexts[0]!) : [use("Read", { file_path: path })];

  it("deny what is not allowed, and the metadata says so", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(resultTexts[0]!) : [use("Bash", { command: "touch here" })],
    );
    const { metadata } = await stage.create({ builtinTools: ["Bash"] }).requestWithMetadata("go");
    expect(metadata.warnings).toEqual(["a call of Bash was denied"]);
    expect(fs.existsSync(join(stage.home, "here"))).toBe(false);
  });

  it.for(["allow", "deny"] as const)("are asked of canUseTool, whose answer counts: %s", async (behavior) => {
    const outside = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "hawser-out-"));
    fs.writeFileSync(join(outside, "log.txt"), "three boats");
    const stage = await makeStage(reads(join(outside, "log.txt")));
    const asked: string[] = [];
    const canUseTool: CanUseTool = (name, given) => {
      asked.push(name);
      return Promise.resolve(behavior === "allow" ? { behavior, updatedInput: given } : { behavior, message: "not yours" });
    };
    const { text } = await stage.create({ builtinTools: ["Read"], canUseTool }).request("go");
    fs.rmSync(outside, { recursive: true });
    expect(asked).toEqual(["Read"]);
    expect(text).toContain(behavior === "allow" ? "three boats" : "not yours");
  });

  it("never offer a registered tool that is disallowed", async () => {
    const stage = await makeStage(() => say("fine"));
    const model = stage.create({ disallowedTools: ["hide"] });
    model.setAgentToolsets(["show", "hide"].map((name) => defineTool({ name, description: "", input, run: () => "" })));
    await model.request("go");
    expect(stage.model.conversations[0]!.tools.map(({ name }) => name)).toEqual([full("show")]);
  });
});

describe.runIf(hasCli)("sessions of the command line", () => {
  it("go on where continue or resume says so; in a copy, the original stays as it was", async () => {
    const stage = await makeStage(before);
    const first = await stage.create().request("one");
    const copy = await stage.create({ resume: first.sessionId, forkSession: true }).request("two");
    expect([copy.text, copy.sessionId === first.sessionId]).toEqual(["1 before", false]);
    expect((await stage.create({ resume: first.sessionId }).request("two")).text).toBe("1 before");
    expect((await stage.create({ continue: true }).request("three")).text).toBe("2 before");
  });

  it("are not kept where persistSession is false", async () => {
    const stage = await makeStage(before);
    const model = stage.create({ persistSession: false });
    const { sessionId } = await model.request("one");
    expect(await thrownBy(model.request("two", { resume: sessionId }))).toMatchObject({ name: "CLIExecutionError" });
  });

  it("stop at a budget", async () => {
    const stage = await makeStage(() => [use(full("again"))]);
    const model = stage.create({ maxBudgetUsd: 0.000_001 });
    model.setAgentToolsets([defineTool({ name: "again", description: "", input, run: () => "again" })]);
    const error = await thrownBy(model.request("loop"));
    expect(error).toMatchObject({ name: "CLIExecutionError", facts: { subtype: "error_max_budget_usd" } });
    expect((error as Error).message).toContain("maxBudgetUsd");
  });
});
