// What requests end with when they fail: each class of error, raised by what really raises it.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  BridgeStartupError,
  ClaudeCodeError,
  CLIExecutionError,
  CLIInterruptedError,
  CLINotFoundError,
  CLIResponseParseError,
  defineTool,
  IPCToolExecutionError,
  isClaudeCodeAvailable,
  StructuredOutputError,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
} from "../../src/index.ts";
import { say } from "../../../../test/kit/claude-code/scripted-model.ts";
import { isLong, itInSoak, makeStage, thrownBy } from "../stage.ts";
import { hasCli } from "../../../../test/kit/claude-code/surroundings.ts";

const input = { type: "object" } as const;
const oddCli = join(import.meta.dirname, "../fixtures/odd-cli.mjs");
const unstreamedCli = join(import.meta.dirname, "../fixtures/unstreamed-cli.mjs");
const silent = (): readonly [] => [];

/** A request to a command line that does something odd. */
async function oddly(deed: string, options: { schema?: object } = {}): Promise<unknown> {
  const stage = await makeStage(silent);
  const model = stage.create({ cliPath: oddCli, env: { ...stage.options.env, HAWSER_TEST_ODD: deed } });
  return thrownBy(model.request("go", options as { schema?: Record<string, unknown> }));
}

describe("the command line is not there", () => {
  it("CLINotFoundError says where it looked: the path that was given", async () => {
    const stage = await makeStage(silent);
    const model = stage.create({ cliPath: "nowhere/claude" });
    model.setAgentToolsets([defineTool({ name: "a", description: "", input, run: () => "" })]);
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(CLINotFoundError);
    expect(error).toMatchObject({ code: "start_failed", facts: { searched: [join(stage.home, "nowhere/claude")] } });
    expect((error as Error).message).toContain(join(stage.home, "nowhere/claude"));
    expect(isClaudeCodeAvailable({ ...stage.options, cliPath: "nowhere/claude" })).toBe(false);
  });

  it("AgentSDKNotInstalledError says how to install it, and everything else works without it", async () => {
    const program = join(import.meta.dirname, "../fixtures/without-agent-sdk.ts");
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program]);
    expect(JSON.parse(stdout)).toEqual({
      tools: ["count"],
      isAvailable: false,
      error: "AgentSDKNotInstalledError",
      message: "the Claude Agent SDK is not installed; run: npm install @anthropic-ai/claude-agent-sdk",
      searched: ["/none/bin/claude", "/none/home/.local/bin/claude", "/none/home/.claude/local/claude"],
    });
  });

  it("CLIExecutionError names a working directory that does not exist", async () => {
    const stage = await makeStage(silent);
    const error = await thrownBy(stage.create({ cwd: join(stage.home, "gone"), cliPath: oddCli }).request("go"));
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect((error as Error).message).toContain("gone does not exist");
  });
});

describe("the command line says something odd", () => {
  it("CLIResponseParseError: a result without a text", async () => {
    const error = await oddly(`result|${JSON.stringify({ subtype: "success", is_error: false })}`);
    expect(error).toBeInstanceOf(CLIResponseParseError);
    expect((error as Error).message).toContain("has no text");
  });

  it.for([
    [`result|${JSON.stringify({ subtype: "error_max_turns", is_error: true, errors: [] })}`, { subtype: "error_max_turns" }, "maxTurns"],
    [`result|${JSON.stringify({ subtype: "error_during_execution", is_error: true, errors: ["broke"] })}`, {}, "broke"],
  ] as const)("CLIExecutionError: %s", async ([deed, facts, reason]) => {
    const error = await oddly(deed);
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect(error).toMatchObject({ facts, message: expect.stringContaining(reason) as string });
  });

  it("StructuredOutputError: an answer without a value that fits", async () => {
    const schema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
    const result = { subtype: "success", is_error: false, result: "I would rather not", structured_output: { count: "many" } };
    const error = await oddly(`result|${JSON.stringify(result)}`, { schema });
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect(error).toMatchObject({ facts: { text: "I would rather not" }, message: expect.stringContaining("/count") as string });
  });
});

it("CLIInterruptedError: a signal that was aborted before keeps everything from beginning", async () => {
  const stage = await makeStage(silent);
  // There is no command line to be missed.
  const error = await thrownBy(stage.create({ cliPath: "nowhere/claude" }).request("go", { signal: AbortSignal.abort() }));
  expect(error).toBeInstanceOf(CLIInterruptedError);
});

describe("tools that are not there", () => {
  it("ToolsetNotRegisteredError and ToolNotFoundError, before anything is started", async () => {
    const stage = await makeStage(silent);
    const model = stage.create({ cliPath: "nowhere/claude" });
    expect(await thrownBy(model.request("go", { tools: ["a"] }))).toBeInstanceOf(ToolsetNotRegisteredError);
    model.setAgentToolsets([defineTool({ name: "b", description: "", input, run: () => "" })]);
    expect(await thrownBy(model.request("go", { tools: ["a"] }))).toBeInstanceOf(ToolNotFoundError);
  });
});

// Else the model is told, and goes on: both-transports.ts.
it("IPCToolExecutionError with toolErrors: throw", async () => {
  const stage = await makeStage(silent);
  const strict = stage.create({ toolErrors: "throw", cliPath: unstreamedCli });
  const run = (): Promise<never> => Promise.reject(new RangeError("no such boat"));
  strict.setAgentToolsets([defineTool({ name: "double", description: "", input, run })], { transport: "sdk" });
  const error = await thrownBy(strict.request("go"));
  expect(error).toBeInstanceOf(IPCToolExecutionError);
  expect(error).toMatchObject({
    message: 'tool "double" failed: no such boat',
    facts: { tool: "double" },
    cause: expect.any(RangeError) as unknown,
  });
});

describe.runIf(hasCli && isLong)("the real command line", () => {
  // In short: hostile-cli.test.ts.
  itInSoak("H16: BridgeStartupError when it reports the server of the tools as failed", async () => {
    const stage = await makeStage(() => say("without tools"));
    const model = stage.create({ bridgeCommand: [process.execPath, "-e", "process.exit(2)", "--"] });
    model.setAgentToolsets([defineTool({ name: "a", description: "", input, run: () => "" })]);
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(BridgeStartupError);
    expect((error as Error).message).toContain('"hawser"');
  });

  // In short: one that is not logged in, in language-model.ts.
  itInSoak("CLIExecutionError says how to log in where a key is refused", async () => {
    const stage = await makeStage(() => ({ blocks: [], status: 401 }));
    const error = await thrownBy(stage.create().request("go"));
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect((error as Error).message).toMatch(/log in once with `claude`, or set ANTHROPIC_API_KEY$/);
  });

  // In short: step-life.test.ts.
  itInSoak("CLIExecutionError with the status and words of an API that refuses", async () => {
    const stage = await makeStage(() => ({ blocks: [], status: 400 }));
    const error = await thrownBy(stage.create().request("go"));
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect((error as Error).message).toContain("scripted failure");
    expect((error as Error).message).not.toContain("log in");
  });
});

it("CLIInterruptedError by the interrupt handler, also while the command line is silent", async () => {
  const stage = await makeStage(silent);
  const seen: string[] = [];
  const model = stage.create({
    cliPath: oddCli,
    env: { ...stage.options.env, HAWSER_TEST_ODD: "silent" },
    interruptHandler: () => seen.length > 0,
    onMessage: ({ type }) => void seen.push(type),
  });
  const error = await thrownBy(model.request("go"));
  expect(error).toBeInstanceOf(CLIInterruptedError);
  expect(error).toBeInstanceOf(ClaudeCodeError);
  // It was not a message that brought the end.
  expect(seen).toEqual(["system"]);
});
