// Settings of a model and of a request, and what the real command line makes of them.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool as agentSdkTool } from "@anthropic-ai/claude-agent-sdk";
import { tool as aiSdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type SdkMessage, type CanUseTool } from "../../src/index.ts";
import { say, use, type Conversation } from "../../../../test/kit/claude-code/scripted-model.ts";
import { itInSoak, makeStage } from "../stage.ts";
import { hasCli } from "../../../../test/kit/claude-code/surroundings.ts";

const input = { type: "object" } as const;
const full = (name: string): string => `mcp__hawser__${name}`;

describe.runIf(hasCli)("settings", () => {
  it("offer no tool of the command line, expand no prompt and take none of a project unless asked; what is asked for arrives", async () => {
    const stage = await makeStage(({ results }) => (results.length > 0 ? say("done") : [use("Read", { file_path: "/etc/hostname" })]));
    fs.writeFileSync(join(stage.home, "secret.txt"), "the harbour's secret");
    fs.writeFileSync(join(stage.home, "CLAUDE.md"), "Boats are counted in dozens.");
    const isInDozens = ({ said, system }: Conversation): boolean => `${said} ${system}`.includes("in dozens");
    const messages: SdkMessage[] = [];
    await stage.create({ systemPrompt: "You count boats." }).request("/help @secret.txt");
    const [plain] = stage.model.conversations;
    expect(plain!.tools).toEqual([]);
    expect(plain!.said).toContain("/help @secret.txt");
    expect(plain!.said).not.toContain("the harbour's secret");
    expect(plain!.system).toContain("You count boats.");
    expect(isInDozens(plain!)).toBe(false);

    const asked = stage.create({
      expandPrompts: true,
      allowedTools: ["Read"],
      settingSources: ["project"],
      systemPrompt: { append: "And ships." },
      toolRestrictions: { Read: { file_path: /^\/srv\// } },
      onMessage: (message) => void messages.push(message),
    });
    await asked.request([
      { role: "system", content: "Be brief." },
      { role: "user", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "third, look at @secret.txt" },
    ]);
    const [first, second] = stage.model.conversations.filter(({ said }) => said.includes("third"));
    expect(first!.tools.map(({ name }) => name)).toEqual(["Read"]);
    expect(isInDozens(first!)).toBe(true);
    expect(first!.said).toContain("the harbour's secret");
    expect(first!.system).toMatch(/And ships\..*Be brief\./s);
    expect(first!.said).toMatch(/\[user\]\nfirst\n\n\[assistant\]\nsecond[\s\S]*third/);
    expect(second!.results[0]).toMatchObject({ is_error: true });
    expect(second!.resultTexts[0]).toContain('may not be called with this "file_path"; it must match /^\\/srv\\//');
    expect(messages.map(({ type }) => type)).toContain("assistant");
  });

  it("restrict the parameters of registered tools, too; call those of all three kinds, and never offer one that is disallowed", async () => {
    const paints = ["red", "blue"].map((colour) => use(full("paint"), { colour }));
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0
        ? say(resultTexts.join(" | "))
        : [...paints, ...["ours", "ai", "agent"].map((name) => use(full(name), { n: 2 }))],
    );
    const model = stage.create({ toolRestrictions: { paint: { colour: ["red"] } }, disallowedTools: ["hide"] });
    model.setAgentToolsets({
      paint: defineTool({ name: "paint", description: "", input, run: ({ colour }) => `painted ${String(colour)}` }),
      hide: defineTool({ name: "hide", description: "", input, run: () => "" }),
      ours: defineTool({ name: "ours", description: "", input: z.object({ n: z.number() }), run: ({ n }) => `ours ${n}` }),
      ai: aiSdkTool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => `ai ${n}` }),
      agent: agentSdkTool("agent", "", { n: z.number() }, ({ n }) => Promise.resolve({ content: [{ type: "text", text: `agent ${n}` }] })),
    });
    const { text } = await model.request("paint");
    expect(text).toContain("painted red");
    expect(text).toContain('allowed are: "red"');
    expect(text).not.toContain("painted blue");
    expect(text).toMatch(/ours 2.*ai 2.*agent 2/s);
    const offered = stage.model.conversations[0]!.tools.map(({ name }) => name);
    expect(offered.toSorted()).toEqual(["agent", "ai", "ours", "paint"].map(full));
  });

  // In short: structured-output.test.ts.
  itInSoak("a schema makes the answer a value, though it was given as a text", async () => {
    const stage = await makeStage(() => say('There are ```json\n{"boats": 4}\n``` of them'));
    // It insists on its own way of answering until it gives up; the value is there all the same.
    const { output } = await stage.create().request("count, plainly", { schema: z.object({ boats: z.number() }) });
    expect(output.boats).toBe(4);
  });
});

describe.runIf(hasCli)("what a request runs in, and may do there", () => {
  it("is the model, the folder and the environment that were given; what is not allowed is denied, and the metadata says so", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0
        ? say(resultTexts[0]!)
        : [
            use("Bash", { command: "echo $HARBOUR ${GONE-gone} in $PWD" }),
            use("Write", { file_path: join(stage.home, "here"), content: "x" }),
          ],
    );
    const env = { ...stage.options.env, HARBOUR: "Valletta", GONE: undefined };
    const options = { allowedTools: ["Bash"], builtinTools: ["Bash", "Write"], model: "claude-harbour-1", env };
    const { text, metadata } = await stage.create(options).requestWithMetadata("go");
    expect(text).toContain(`Valletta gone in ${fs.realpathSync(stage.home)}`);
    expect(stage.model.conversations[0]!.model).toBe("claude-harbour-1");
    expect(metadata.warnings).toEqual(["a call of Write was denied"]);
    expect(fs.existsSync(join(stage.home, "here"))).toBe(false);
  });

  // In short, that it is handed on: agent-sdk.test.ts. So it is with session-settings.ts.
  itInSoak("is asked of canUseTool, whose answer counts", async () => {
    const outside = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "hawser-out-"));
    const paths = ["ours.txt", "theirs.txt"].map((name) => join(outside, name));
    for (const path of paths) fs.writeFileSync(path, "three boats");
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(resultTexts.join(" | ")) : paths.map((path, at) => use("Read", { file_path: path }, `toolu_read_${at}`)),
    );
    const asked: string[] = [];
    const canUseTool: CanUseTool = (name, given) => {
      asked.push(`${name} ${String(given["file_path"])}`);
      const isOurs = given["file_path"] === paths[0];
      return Promise.resolve(isOurs ? { behavior: "allow", updatedInput: given } : { behavior: "deny", message: "not yours" });
    };
    await stage.create({ builtinTools: ["Read"], canUseTool }).request("go");
    fs.rmSync(outside, { recursive: true });
    expect(asked.toSorted()).toEqual(paths.map((path) => `Read ${path}`));
    const { results, resultTexts } = stage.model.conversations.at(-1)!;
    const textFor = (at: number): string | undefined =>
      resultTexts[results.findIndex((result) => result.tool_use_id === `toolu_read_${at}`)];
    expect(textFor(0)).toContain("three boats");
    expect(textFor(1)).toContain("not yours");
    expect(textFor(1)).not.toContain("three boats");
  });
});
