// A command line that misbehaves, on purpose or by accident: it is silent, deaf, dies at any moment, floods, writes what is no
// message. Every request ends with an error that says what happened, and nothing is left, which the stage checks.

import { join } from "node:path";
import { wireLimits } from "@hawser/wire";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  BridgeStartupError,
  type ClaudeCodeModel,
  type ClaudeCodeModelOptions,
  CLIExecutionError,
  CLIInterruptedError,
  CLIResponseParseError,
  CLITimeoutError,
  defineTool,
} from "../src/index.ts";
import { makeStage, thrownBy } from "./stage.ts";
import { processesOf, until } from "../../../test/kit/claude-code/surroundings.ts";

const cliPath = join(import.meta.dirname, "fixtures/odd-cli.mjs");
const tool = defineTool({ name: "a", description: "", input: { type: "object" }, run: () => "" });

async function makeOdd(deed: string, options: ClaudeCodeModelOptions = {}): Promise<{ model: ClaudeCodeModel; home: string }> {
  const stage = await makeStage(() => []);
  const env = { ...stage.options.env, ...options.env, HAWSER_TEST_ODD: deed };
  return { model: stage.create({ ...options, cliPath, env }), home: stage.home };
}

describe("a command line that is silent", () => {
  it.for(["mute", "silent"])("is ended by the time of the request: %s", async (deed) => {
    const { model } = await makeOdd(deed, { timeoutMs: 500 });
    expect(await thrownBy(model.request("go"))).toBeInstanceOf(CLITimeoutError);
  });

  it("and deaf to signals, is ended all the same", async () => {
    const { model, home } = await makeOdd("deaf");
    for await (const { type } of model.streamMessages("go")) {
      expect(type).toBe("system");
      break;
    }
    expect(processesOf(home)).toEqual([]);
  });

  it.for(["mute", "silent"])("can be aborted: %s", async (deed) => {
    // Longer than even a busy machine takes to end it.
    const { stopInputMs } = wireLimits;
    Object.assign(wireLimits, { stopInputMs: 40_000 });
    onTestFinished(() => void Object.assign(wireLimits, { stopInputMs }));
    const { model, home } = await makeOdd(deed);
    const controller = new AbortController();
    const request = thrownBy(model.request("go", { signal: controller.signal }));
    await until(() => processesOf(home).length > 0, "it runs");
    controller.abort();
    const abortedAt = performance.now();
    expect(await request).toBeInstanceOf(CLIInterruptedError);
    // It is not asked first to end by itself, which it would not do.
    expect(performance.now() - abortedAt).toBeLessThan(wireLimits.stopInputMs);
    expect(processesOf(home)).toEqual([]);
  });
});

describe("a command line that dies", () => {
  it.for([
    ["at once|7", { exitCode: 7, signal: null }],
    ["kill", { exitCode: null, signal: "SIGKILL" }],
    ["dies", { exitCode: 3 }],
  ] as const)("says how: %s", async ([deed, facts]) => {
    const { model } = await makeOdd(deed);
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect(error).toMatchObject({ facts });
  });

  it("has its last words kept, the end of them, whole", async () => {
    const { model } = await makeOdd("flood");
    const { message, facts } = (await thrownBy(model.request("go"))) as CLIExecutionError;
    expect(facts["stderr"]).toMatch(/^é+its last words$/);
    expect(message).toContain("its last words");
    expect(message.length).toBeLessThan(3_000);
  });

  it("takes what it has started with it", async () => {
    const { model } = await makeOdd("leaves a child");
    expect(await thrownBy(model.request("go"))).toMatchObject({ facts: { exitCode: 6 } });
  });

  it("does not tell the keys that it was given", async () => {
    const { model } = await makeOdd("secret", {
      env: { ANTHROPIC_API_KEY: "sk-ant-0123", MY_TOKEN: "sk-ant-0123-and-more", MODE: "is not known" },
    });
    const error = await thrownBy(model.request("go"));
    expect(JSON.stringify([(error as Error).message, error])).not.toContain("sk-ant");
    expect(error).toMatchObject({ facts: { stderr: "401: the key [redacted] of [redacted] is not known" } });
  });
});

describe("a command line that writes nonsense", () => {
  it.for(["at once|0", "ends", "noise", "half a line", 'message|{"type":"assistant","message":null}', 'message|{"type":5}'])(
    "and ends has given no answer: %s",
    async (deed) => {
      const { model } = await makeOdd(deed);
      const error = await thrownBy(model.request("go"));
      expect(error).toBeInstanceOf(CLIResponseParseError);
      expect((error as Error).message).toContain("without a result");
    },
  );

  it("R132 before its answer has answered: what isn't a message is skipped and told", async () => {
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const { model } = await makeOdd("noise, then an answer");
    expect((await model.request("go")).text).toBe("after the noise");
    const told = log.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith("[hawser] Claude Code: skipped"));
    expect(told).toHaveLength(7);
    expect(told[5]).toBe('[hawser] Claude Code: skipped a line on stdout that isn\'t a message: "\\u001b[2J"\n');
  });

  it("is ended when a line is longer than it may be", async () => {
    const { model } = await makeOdd("endless line");
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(CLIResponseParseError);
    expect(error).toMatchObject({ facts: { maxBytes: 67_108_864 } });
  });

  it("may write long lines one after the other", async () => {
    const { model } = await makeOdd("long lines");
    expect((await model.request("go")).text).toBe("after 80 lines");
  });

  it("has its numbers and texts taken for what they are", async () => {
    const result = { subtype: "success", result: "x", usage: 5, errors: 7, modelUsage: [], total_cost_usd: "much", num_turns: null };
    const { model } = await makeOdd(`result|${JSON.stringify(result)}`);
    expect((await model.requestWithMetadata("go")).metadata).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 0 },
      modelUsage: {},
      costUsd: 0,
      turns: 0,
    });
  });
});

describe("a command line that does not start the server of the tools", () => {
  it("H16: and says so, or says nothing of it", { timeout: 180_000 }, async () => {
    const statuses = ["failed", "needs-auth", "disabled", ""];
    // At once: each is waited for, for a moment, to say why.
    const errors = statuses.map(async (status) => {
      const { model } = await makeOdd(status === "" ? "silent" : `server|${status}`);
      model.setAgentToolsets([tool]);
      return thrownBy(model.request("go"));
    });
    for (const [at, error] of (await Promise.all(errors)).entries()) {
      expect(error).toBeInstanceOf(BridgeStartupError);
      expect(error).toMatchObject({ code: "start_failed", facts: { status: statuses[at] || "missing" } });
    }
  });

  it("yet, is waited for", async () => {
    const { model } = await makeOdd("server|pending", { timeoutMs: 1_000 });
    model.setAgentToolsets([tool]);
    expect(await thrownBy(model.request("go"))).toBeInstanceOf(CLITimeoutError);
  });
});
