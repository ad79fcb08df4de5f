// `hawser agent --model claude-code/…` with the real Claude Code and a scripted model on the loopback interface: the
// runtime's own tools, under the runtime's permissions, in a conversation whose next message resumes the session.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { say, startScriptedModel, use, type Script, type ScriptedModel } from "../../../../test/kit/claude-code/scripted-model.ts";
import { cliOf, environment, hasCli, until } from "../../../../test/kit/claude-code/surroundings.ts";
import { createClaudeCodeModels } from "../../src/agent/claude-code-models.ts";
import { makeStage, runIn, startIn, textOfEvents, toEvents, writeFile, type RunningProgram, type Stage } from "./agent-stage.ts";

const lines = (requests: readonly object[]): string => requests.map((request) => `${JSON.stringify(request)}\n`).join("");
const message = (id: string, text: string, conversationId = "harbour"): object => ({
  id,
  kind: "user_message",
  message: text,
  metadata: { conversationId },
});
const flags = ["agent", "--model", "claude-code/claude-sonnet-4-5"];

interface Scene {
  readonly stage: Stage;
  readonly model: ScriptedModel;
  start(args?: readonly string[], env?: NodeJS.ProcessEnv): RunningProgram;
}

async function makeScene(script: Script, files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const stage = makeStage(files);
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const env = environment(stage.home, model.url);
  const start = (args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): RunningProgram => {
    const running = startIn(stage, [...flags, ...args], { ...env, ...more });
    onTestFinished(() => void running.process.kill());
    return running;
  };
  return { stage, model, start };
}

describe.runIf(hasCli)("hawser agent with Claude Code as its model", () => {
  it("runs the runtime's tools under its permissions, and resumes with the conversation", async () => {
    const script: Script = ({ results, resultTexts, said }) => {
      if (results.length > 0) return say(`I saw ${resultTexts.join(" and ")}`);
      if (said.includes("again")) return say("as before");
      return [use("mcp__hawser__read_file", { path: "log.txt" }), use("mcp__hawser__write_file", { path: "new.txt", content: "x" })];
    };
    const { stage, model, start } = await makeScene(script, { "log.txt": "three boats" });
    const running = start(["--permissions", "deny"]);
    running.process.stdin.write(lines([message("1", "look"), message("2", "again")]));
    for (let turn = 1; turn <= 2; turn++) await running.printed('"type":"done"');
    running.process.stdin.end();
    const { stdout, stderr } = await running.ended;
    const events = toEvents(stdout);
    expect(stderr).toBe("");
    expect(events.filter(({ type }) => type === "tool_use")).toHaveLength(2);
    const text = textOfEvents(events.filter(({ id }) => id === "1"));
    expect(text).toContain("three boats");
    expect(existsSync(join(stage.folder, "new.txt"))).toBe(false);
    expect(events.filter(({ type }) => type === "done")).toHaveLength(2);
    const [first, , second] = model.conversations;
    expect(first!.tools.every(({ name }) => name.startsWith("mcp__hawser__"))).toBe(true);
    // What was said before is in the session, not in the text.
    expect(second!.messages.filter(({ role }) => role === "assistant")).toHaveLength(2);
    expect(second!.said).not.toContain("<conversation>");
    // What Claude Code says that it has cost, for each turn alone: the first took two requests of the same size, the second one.
    const costOf = (turn: string): unknown => events.findLast(({ type, id }) => type === "usage" && id === turn)?.data;
    expect(costOf("2")).toMatchObject({ costUsd: expect.closeTo(0.000105, 9) as number });
    expect(costOf("1")).toMatchObject({ costUsd: expect.closeTo(0.00021, 9) as number });
  });

  it("ends the command line of a turn that is cancelled while its tools wait, and of no other", async () => {
    const { stage, start } = await makeScene(({ results }) =>
      results.length > 0 ? say("written") : [use("mcp__hawser__write_file", { path: "new.txt", content: "x" })],
    );
    const running = start();
    const ask = async (id: string): Promise<string> => {
      running.process.stdin.write(lines([message(id, "write", `of ${id}`)]));
      await running.printed('"type":"permission_request"');
      const { data } = toEvents(running.stdout).findLast(({ type }) => type === "permission_request")!;
      return (data as { permissionId: string }).permissionId;
    };
    const permissionId = await ask("kept");
    const kept = cliOf(stage.home);
    expect(kept).toBeTypeOf("number");
    await ask("cancelled");
    const clis = (): number => [kept, cliOf(stage.home, kept)].filter((pid) => pid !== undefined).length;
    expect(clis()).toBe(2);
    running.process.stdin.write(lines([{ id: "end", kind: "cancel", target: "cancelled" }]));
    await until(() => clis() === 1, "the command line of the cancelled turn has ended");
    running.process.stdin.write(lines([{ id: "yes", kind: "permission_response", permissionId, decision: "allow" }]));
    await running.printed("written");
    running.process.stdin.end();
    await running.ended;
    expect(existsSync(join(stage.folder, "new.txt"))).toBe(true);
  });

  it("lets Claude Code use its own tools where HAWSER_CLAUDE_CODE_TOOLS names them, and says so", async () => {
    const { stage, model, start } = await makeScene(
      ({ resultTexts }) => (resultTexts.length > 0 ? say(resultTexts.join()) : [use("Read", { file_path: join(stage.folder, "log.txt") })]),
      { "log.txt": "three boats" },
    );
    const running = start([], { HAWSER_CLAUDE_CODE_TOOLS: "Read, Grep" });
    running.process.stdin.write(lines([message("1", "look")]));
    await running.printed('"type":"done"');
    const events = toEvents(running.stdout);
    expect(textOfEvents(events)).toContain("three boats");
    expect(events).toContainEqual(expect.objectContaining({ type: "progress", data: { message: "the model used its own tool Read" } }));
    const offered = model.conversations[0]!.tools.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(["Read", "Grep", "mcp__hawser__read_file"]));
    expect(offered).not.toContain("Bash");
  });

  it("says how to log in when Claude Code is not logged in", async () => {
    const { start } = await makeScene(() => say("never asked"));
    const running = start([], { ANTHROPIC_API_KEY: undefined });
    running.process.stdin.write(lines([message("1", "look")]));
    await running.printed('"type":"error"');
    const events = toEvents(running.stdout);
    expect(events.at(-1)).toMatchObject({ type: "error", error: expect.stringContaining("log in once with `claude`") as string });
  });
});

describe.runIf(hasCli && process.platform === "linux" && !existsSync("/etc/claude-code"))("list_models", () => {
  const noAccount = Object.keys(process.env).filter((name) => /^(?:ANTHROPIC|CLAUDE)_/.test(name));
  const without = Object.fromEntries(noAccount.map((name) => [name, undefined]));

  async function sonnetIn(stage: Stage): Promise<Record<string, unknown> | undefined> {
    const input = lines([{ id: "1", kind: "list_models" }]);
    const { stdout } = await runIn(stage, ["agent"], { input, env: without });
    const models = toEvents(stdout).flatMap((event) => (event["data"] as { models?: Record<string, unknown>[] } | undefined)?.models ?? []);
    return models.find((entry) => entry["model"] === "claude-code/sonnet");
  }

  it("says that Claude Code has no login where there is no sign of one, and leaves it available where there may be one", async () => {
    const stage = makeStage();
    const expected = { available: false, reason: expect.stringContaining("log in once with `claude`") as string };
    expect(await sonnetIn(stage)).toMatchObject(expected);
    writeFile(join(stage.home, ".claude/.credentials.json"), "{}");
    expect(await sonnetIn(stage)).toMatchObject({ available: true });
  });

  it.for([
    // It has been started there, which is no login.
    [false, ".claude.json", '{"numStartups": 3}', {}],
    [true, ".claude.json", '{"oauthAccount": {}}', {}],
    [true, "elsewhere/.credentials.json", "{}", { CLAUDE_CONFIG_DIR: "elsewhere" }],
    [true, "a variable", "", { CLAUDE_CODE_OAUTH_TOKEN: "x" }],
  ] as const)("takes for a sign of a login, %s: %s %s", async ([isSign, path, content, variables]) => {
    const stage = makeStage();
    if (content !== "") writeFile(join(stage.home, path), content);
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, join(stage.home, value)]));
    const provider = createClaudeCodeModels({ ...process.env, ...without, ...env, HOME: stage.home }, stage.folder);
    expect((await provider.missing("default"))?.includes("log in once with `claude`") ?? false).toBe(!isSign);
  });
});
