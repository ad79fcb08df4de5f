// Requests to the real command line, with functions of this process as its tools, over both transports.

import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { defineTool, CLIInterruptedError, CLITimeoutError, CLIExecutionError, type TransportType } from "../src/index.ts";
import { say, use } from "./fixtures/scripted-model.ts";
import { makeStage, thrownBy } from "./stage.ts";
import { cliOf, hasCli, until } from "./surroundings.ts";

const input = { type: "object" } as const;
const transports: readonly TransportType[] = ["stdio", "sdk"];
const full = (name: string): string => `mcp__hawser__${name}`;
const waits = (started: () => void, ended: (reason: unknown) => void) =>
  defineTool({
    name: "waits",
    description: "",
    input,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          ended(signal.reason);
          reject(signal.reason as Error);
        });
        started();
      }),
  });

describe.runIf(hasCli).each(transports)("a request over %s", (transport) => {
  it("R60 R69: lists the tools, calls a function of this process without a permission prompt, and answers with text and metadata", async () => {
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(`it said ${resultTexts[0]}`) : [use(full("whoami"), { by: 2 })],
    );
    const model = stage.create();
    model.setAgentToolsets(
      [
        defineTool({
          name: "whoami",
          description: "Who?",
          input: { type: "object", properties: { by: { type: "number" } } },
          run: ({ by }) => `${process.pid} ${String(by)}`,
        }),
      ],
      { transport },
    );
    const { text, metadata, sessionId } = await model.requestWithMetadata("who are you?");
    expect(text).toContain(`it said ${process.pid} 2`);
    expect(stage.model.conversations[0]!.tools.map(({ name }) => name)).toEqual([full("whoami")]);
    expect(stage.model.conversations[0]!.said).toContain("who are you?");
    expect(metadata).toMatchObject({
      sessionId,
      model: "claude-sonnet-4-5",
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 10 },
      warnings: [],
    });
    expect(metadata.costUsd).toBeGreaterThan(0);
  });

  it("runs parallel calls side by side, and tells the model of one that failed", async () => {
    const stage = await makeStage(({ results }) =>
      results.length > 0 ? say("all there") : ["a", "b", "fails"].map((name) => use(full(name))),
    );
    const model = stage.create();
    const met = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
    const meets = (mine: "a" | "b", other: "a" | "b") =>
      defineTool({
        name: mine,
        description: "",
        input,
        annotations: { readOnlyHint: true },
        async run() {
          met[mine].resolve();
          await met[other].promise;
          return `${mine} met ${other}`;
        },
      });
    const fails = defineTool({
      name: "fails",
      description: "",
      input,
      run: () => Promise.reject(new RangeError("the table is empty; load it first")),
    });
    model.setAgentToolsets([meets("a", "b"), meets("b", "a"), fails], { transport });
    await expect(model.request("go")).resolves.toMatchObject({ text: "all there" });
    const { results, resultTexts } = stage.model.conversations.at(-1)!;
    // Those that ran side by side come in the order of their ends.
    expect(resultTexts.map((text) => text.split("\n")[0] ?? "").toSorted()).toEqual([
      "a met b",
      "b met a",
      expect.stringContaining("the table is empty; load it first"),
    ]);
    expect(results.map(({ is_error }) => is_error ?? false)).toEqual([false, false, true]);
  });

  it("waits for a slow tool that reports progress", async () => {
    const stage = await makeStage(({ resultTexts }) => (resultTexts.length > 0 ? say(resultTexts[0]!) : [use(full("slow"))]));
    const model = stage.create();
    const slow = defineTool({
      name: "slow",
      description: "",
      input,
      async run(_, { progress }) {
        for (let done = 1; done <= 6; done++) {
          await new Promise((resolve) => setTimeout(resolve, 200));
          progress(done, 6, `step ${done}`);
        }
        return "took its time";
      },
    });
    model.setAgentToolsets([slow], { transport });
    expect((await model.request("go")).text).toContain("took its time");
  });

  it("rejects when it is aborted in the middle, and the function learns of it", async () => {
    const stage = await makeStage(() => [use(full("waits"))]);
    const model = stage.create();
    const controller = new AbortController();
    const reasons: unknown[] = [];
    model.setAgentToolsets(
      [
        waits(
          () => controller.abort(new Error("enough")),
          (reason) => reasons.push(reason),
        ),
      ],
      { transport },
    );
    const error = await thrownBy(model.request("go", { signal: controller.signal }));
    expect(error).toBeInstanceOf(CLIInterruptedError);
    expect(error).toMatchObject({ code: "cancelled", cause: { message: "enough" } });
    await until(() => reasons.length === 1, "the function's signal was aborted");
    expect(cliOf(stage.home)).toBeUndefined();
  });

  it("rejects when it takes too long", async () => {
    const stage = await makeStage(() => [use(full("waits"))]);
    const model = stage.create({ timeoutMs: 2_000 });
    model.setAgentToolsets(
      [
        waits(
          () => {},
          () => {},
        ),
      ],
      { transport },
    );
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(CLITimeoutError);
    expect(error).toMatchObject({ code: "timeout", facts: { timeoutMs: 2_000 } });
  });

  it("rejects when the command line is killed, and leaves nothing", async () => {
    const stage = await makeStage(() => [use(full("waits"))]);
    const model = stage.create();
    const seen: string[] = [];
    const kill = (): void => {
      seen.push(...fs.readdirSync(stage.directory));
      process.kill(cliOf(stage.home)!, "SIGKILL");
    };
    model.setAgentToolsets([waits(kill, () => {})], { transport });
    const error = await thrownBy(model.request("go"));
    expect(error).toBeInstanceOf(CLIExecutionError);
    expect(error).toMatchObject({ facts: { signal: "SIGKILL" }, message: expect.stringContaining("SIGKILL") as string });
    // Over stdio there was something to leave behind.
    expect(seen.some((name) => name.endsWith(".sock"))).toBe(transport === "stdio");
    expect(fs.readdirSync(stage.directory)).toEqual([]);
  });
});
