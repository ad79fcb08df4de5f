// Requests to the real command line, with functions of this process as its tools, over both transports.

import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { defineTool, CLIInterruptedError, CLITimeoutError, CLIExecutionError, type TransportType } from "../../src/index.ts";
import { say, use } from "../../../../test/kit/claude-code/scripted-model.ts";
import { itInSoak, makeStage, thrownBy } from "../stage.ts";
import { cliOf, hasCli, until } from "../../../../test/kit/claude-code/surroundings.ts";

const input = { type: "object" } as const;
const transports: readonly TransportType[] = ["stdio", "sdk"];
const full = (name: string): string => `mcp__hawser__${name}`;
const startingWith = (text: string): unknown => expect.stringMatching(new RegExp(`^${text}`));
/** Calls of tools that only read run side by side. */
const annotations = { readOnlyHint: true };
const whoami = defineTool({
  name: "whoami",
  description: "Who?",
  input: { type: "object", properties: { by: { type: "number" } } },
  annotations,
  run: ({ by }) => `${process.pid} ${String(by)}`,
});
const fails = defineTool({
  name: "fails",
  description: "",
  input,
  annotations,
  run: () => Promise.reject(new RangeError("the table is empty; load it first")),
});
const slow = defineTool({
  name: "slow",
  description: "",
  input,
  annotations,
  async run(_, { progress }) {
    for (let done = 1; done <= 6; done++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      progress(done, 6, `step ${done}`);
    }
    return "took its time";
  },
});

/** Two that wait for each other. */
function meeting() {
  const met = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const meets = (mine: "a" | "b", other: "a" | "b") =>
    defineTool({
      name: mine,
      description: "",
      input,
      annotations,
      async run() {
        met[mine].resolve();
        await met[other].promise;
        return `${mine} met ${other}`;
      },
    });
  return [meets("a", "b"), meets("b", "a")];
}

const waits = (started: () => void, ended: (reason: unknown) => void) =>
  defineTool({
    name: "waits",
    description: "",
    input,
    annotations,
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
  // How a request ends does not depend on the transport: in short, each end is shown over one of them.
  const itOver = (short: TransportType) => (transport === short ? it : itInSoak);

  it("R60 R69: lists the tools, calls functions of this process side by side and without a permission prompt, waits for a slow one that reports progress, tells the model of one that failed, and answers with text and metadata", async () => {
    const names = ["whoami", "a", "b", "fails", "slow"].map(full);
    const stage = await makeStage(({ resultTexts }) =>
      resultTexts.length > 0 ? say(`it said ${resultTexts.join(" and ")}`) : names.map((name) => use(name, { by: 2 }, `toolu_${name}`)),
    );
    // As with a real model: it would have to search for the tools that don't ask to be shown at once.
    const model = stage.create({ env: { ...stage.options.env, ENABLE_TOOL_SEARCH: "true" } });
    model.setAgentToolsets([whoami, ...meeting(), fails, slow], { transport });
    const { text, metadata, sessionId } = await model.requestWithMetadata("who are you?");
    const [asked, told] = stage.model.conversations;
    expect(asked!.tools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(asked!.said).toContain("who are you?");
    // Those that ran side by side come in the order of their ends.
    const results = new Map(
      told!.results.map(({ tool_use_id, is_error }, at) => [tool_use_id, [told!.resultTexts[at], is_error ?? false]]),
    );
    expect(names.map((name) => results.get(`toolu_${name}`))).toEqual([
      [startingWith(`${process.pid} 2`), false],
      [startingWith("a met b"), false],
      [startingWith("b met a"), false],
      [expect.stringContaining("the table is empty; load it first"), true],
      [startingWith("took its time"), false],
    ]);
    expect(text).toMatch(new RegExp(`^it said .*${process.pid} 2`, "s"));
    expect(text).toContain("took its time");
    expect(metadata).toMatchObject({
      sessionId,
      model: "claude-sonnet-4-5",
      // As the command line counts: one for each call, one for the answer.
      turns: names.length + 1,
      usage: { inputTokens: 20, outputTokens: 10 },
      warnings: [],
    });
    expect(metadata.costUsd).toBeGreaterThan(0);
  });

  itOver("sdk")(
    "rejects when it is aborted in the middle; the function learns of it, and one that does not listen holds nothing up",
    async () => {
      const stage = await makeStage(() => [use(full("waits")), use(full("deaf"))]);
      const model = stage.create();
      const controller = new AbortController();
      const reasons: unknown[] = [];
      let running = 0;
      const start = (): void => void (++running === 2 && controller.abort(new Error("enough")));
      const deaf = defineTool({
        name: "deaf",
        description: "",
        input,
        annotations,
        run() {
          start();
          return new Promise(() => {});
        },
      });
      model.setAgentToolsets([waits(start, (reason) => reasons.push(reason)), deaf], { transport });
      const error = await thrownBy(model.request("go", { signal: controller.signal }));
      expect(error).toBeInstanceOf(CLIInterruptedError);
      expect(error).toMatchObject({ code: "cancelled", cause: { message: "enough" } });
      expect(cliOf(stage.home)).toBeUndefined();
      await until(() => reasons.length === 1, "the function's signal was aborted");
    },
  );

  // In short: hostile-cli.test.ts.
  itInSoak("rejects when it takes too long", async () => {
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

  itOver("stdio")("rejects when the command line is killed, and leaves nothing", async () => {
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
