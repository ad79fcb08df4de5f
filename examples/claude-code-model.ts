// Claude Code as a model, with functions of this process as its tools: a request, a value that fits a schema, and
// the AI SDK with an ordinary tool.
//   npx node --conditions=hawser-source examples/claude-code-model.ts --scripted
// runs it without a key, an account or a network: a scripted model answers. Without `--scripted` it uses your own
// account, as `claude` does: log in once with `claude`, or set ANTHROPIC_API_KEY.

import { ClaudeCodeModel, defineTool, type ClaudeCodeModelOptions } from "@hawser/claude-code";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const { options, close } = await chooseAccount();

// 1. A request. The function runs here, so it has everything that this process has.
let berths = 12;
const model = new ClaudeCodeModel({ ...options, systemPrompt: "You are the clerk of a harbour. Answer in one sentence." });
model.setAgentToolsets([
  defineTool({
    name: "free_berths",
    description: "How many berths are free, after so many ships have come in.",
    input: { type: "object", properties: { ships: { type: "number" } }, required: ["ships"] },
    run: ({ ships }) => `${(berths -= Number(ships))} berths`,
  }),
]);
const answer = await model.requestWithMetadata("Three ships come in. How many berths are free?");
say(`request: ${answer.text}`);
say(`berths in this process: ${berths}; turns: ${answer.metadata.turns}; cost: $${answer.metadata.costUsd.toFixed(4)}`);

// 2. A value instead of a text.
const { output } = await new ClaudeCodeModel(options).request("Name a harbour and its country.", {
  schema: z.object({ harbour: z.string(), country: z.string() }),
});
say(`value: ${output.harbour} in ${output.country}`);

// 3. The same class as a language model of the AI SDK, which runs the tool while Claude Code waits.
const tide = tool({
  description: "The tide at an hour of the day.",
  inputSchema: z.object({ hour: z.number() }),
  execute: ({ hour }) => (hour % 12 < 6 ? "low" : "high"),
});
const stream = streamText({
  model: new ClaudeCodeModel(options),
  prompt: "Is the tide high at nine?",
  tools: { tide },
  stopWhen: isStepCount(4),
});
process.stdout.write("stream: ");
for await (const text of stream.textStream) process.stdout.write(text);
say(`\nsteps: ${(await stream.steps).length}`);
await close();

/** Your account, or a scripted model that plays one in a folder of its own. */
async function chooseAccount(): Promise<{ options: ClaudeCodeModelOptions; close(): Promise<void> }> {
  if (!process.argv.includes("--scripted")) return { options: {}, close: () => Promise.resolve() };
  const { mkdtemp, rm } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const { startScriptedModel } = await import("../test/kit/claude-code/scripted-model.ts");
  const home = await mkdtemp(join(tmpdir(), "hawser-example-"));
  const server = await startScriptedModel(({ tools, resultTexts }) => {
    const [result] = resultTexts.map((text) => text.split("\n")[0] ?? "");
    const [offered = { name: "" }] = tools;
    if (offered.name.endsWith("free_berths"))
      return result === undefined
        ? [{ type: "tool_use", name: offered.name, input: { ships: 3 } }]
        : [{ type: "text", text: `There are ${result} left.` }];
    if (offered.name.endsWith("tide"))
      return result === undefined
        ? [{ type: "tool_use", name: offered.name, input: { hour: 9 } }]
        : [{ type: "text", text: `At nine the tide is ${result}.` }];
    return result === undefined
      ? [{ type: "tool_use", name: "StructuredOutput", input: { harbour: "Valletta", country: "Malta" } }]
      : [{ type: "text", text: "Done." }];
  });
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  return {
    options: { env, cwd: home, model: "claude-sonnet-4-5" },
    async close() {
      await server.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
