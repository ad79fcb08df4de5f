// The life of what a request needs: its own session, from the first step to the last, whoever else is using
// the model; and the settings that reach the command line.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type AgentMessage } from "../src/index.ts";
import { say, use } from "./fixtures/scripted-model.ts";
import { makeStage, thrownBy } from "./stage.ts";
import { hasCli } from "./surroundings.ts";

const input = { type: "object" } as const;
const full = (name: string): string => `mcp__hawser__${name}`;
const socketsIn = (directory: string): string[] => fs.readdirSync(directory).filter((name) => name.endsWith(".sock"));

describe.runIf(hasCli)("a session", () => {
  it("R69 R71 R72 R73: is started and stopped by each request, with the tools of that request only", async () => {
    const stage = await makeStage(({ results }) => (results.length > 0 ? say("done") : [use(full("look"))]));
    const model = stage.create();
    const seen: string[][] = [];
    const look = defineTool({ name: "look", description: "", input, run: () => void seen.push(socketsIn(stage.directory)) });
    const other = defineTool({ name: "other", description: "", input, run: () => "" });
    model.setAgentToolsets([look, other]);
    expect(socketsIn(stage.directory)).toEqual([]);

    await model.request("one");
    await model.requestWithMetadata("two", { tools: ["look"] });
    const types: string[] = [];
    for await (const { type } of model.streamMessages("three")) {
      types.push(type);
      if (type === "result") expect(socketsIn(stage.directory)).toHaveLength(1);
    }
    expect(types.at(-1)).toBe("result");
    expect(seen.map((sockets) => sockets.length)).toEqual([1, 1, 1]);
    expect(new Set(seen.flat()).size).toBe(3);
    expect(socketsIn(stage.directory)).toEqual([]);
    const offered = stage.model.conversations
      .filter(({ results }) => results.length === 0)
      .map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([[full("look"), full("other")], [full("look")], [full("look"), full("other")]]);
  });

  it("R72: is stopped when the query throws, and when the reader leaves its loop", async () => {
    const stage = await makeStage(() => say("hello"));
    const model = stage.create({
      onMessage({ type }) {
        expect(socketsIn(stage.directory)).toHaveLength(1);
        if (type === "result") throw new RangeError("not like this");
      },
    });
    model.setAgentToolsets([defineTool({ name: "a", description: "", input, run: () => "" })]);
    expect(await thrownBy(model.request("one"))).toEqual(new RangeError("not like this"));
    expect(socketsIn(stage.directory)).toEqual([]);
    for await (const message of model.streamMessages("two")) if (message.type === "system") break;
    expect(socketsIn(stage.directory)).toEqual([]);
  });

  it("H14: two requests at once have two sessions, two processes and no word of each other", async () => {
    const stage = await makeStage(({ resultTexts, said }) =>
      resultTexts.length > 0 ? say(resultTexts[0]!.split("\n")[0]!) : [use(full("meet"), { me: said.includes("left") ? "left" : "right" })],
    );
    const model = stage.create();
    const both = Promise.withResolvers<string[]>();
    const met = new Set<string>();
    const meet = defineTool({
      name: "meet",
      description: "",
      input: { type: "object", properties: { me: { type: "string" } } },
      async run({ me }) {
        met.add(String(me));
        if (met.size === 2) both.resolve(socketsIn(stage.directory));
        return `${String(me)} of ${(await both.promise).length}`;
      },
    });
    model.setAgentToolsets([meet]);
    const texts = await Promise.all(["left", "right"].map(async (side) => (await model.request(side)).text));
    expect(texts).toEqual(["left of 2", "right of 2"]);
  });
});

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
