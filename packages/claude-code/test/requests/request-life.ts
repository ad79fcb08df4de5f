// Requests that are ended at an odd moment, that overlap, or whose functions misbehave: each ends as it should, and none has
// anything to do with another. The stage checks that nothing is left.

import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { claudeCodeLimits } from "../../src/limits.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIInterruptedError, defineTool } from "../../src/index.ts";
import { say, use } from "../../../../test/kit/claude-code/scripted-model.ts";
import { itInSoak, makeStage, thrownBy } from "../stage.ts";
import { cliOf, hasCli, processesOf, until } from "../../../../test/kit/claude-code/surroundings.ts";

const cliPath = join(import.meta.dirname, "../fixtures/odd-cli.mjs");
const unstreamedCli = join(import.meta.dirname, "../fixtures/unstreamed-cli.mjs");
const input = { type: "object" } as const;
const full = (name: string): string => `mcp__hawser__${name}`;
const result = (text: string): string => `result|${JSON.stringify({ subtype: "success", result: text })}`;

describe("an abort", () => {
  it.for(["stdio", "sdk"] as const)(
    "while the session of the tools starts over %s keeps the command line from starting",
    async (transport) => {
      const stage = await makeStage(() => []);
      let looks = 0;
      const env = {
        // Looked at for a command line that is to be started.
        get HAWSER_TEST_LOOK() {
          return `${++looks}`;
        },
      };
      const model = stage.create({ cliPath, env });
      looks = 0;
      model.setAgentToolsets([defineTool({ name: "a", description: "", input, run: () => "" })], { transport });
      const controller = new AbortController();
      const request = thrownBy(model.request("go", { signal: controller.signal }));
      controller.abort(new Error("at once"));
      expect(await request).toMatchObject({ name: "CLIInterruptedError", cause: { message: "at once" } });
      expect(looks).toBe(0);
    },
  );

  it("is heard while the message callback takes its time", async () => {
    const stage = await makeStage(() => []);
    const controller = new AbortController();
    const onMessage = (): Promise<void> => {
      controller.abort();
      return new Promise(() => {});
    };
    const model = stage.create({ cliPath, onMessage, env: { ...stage.options.env, HAWSER_TEST_ODD: "silent" } });
    expect(await thrownBy(model.request("go", { signal: controller.signal }))).toBeInstanceOf(CLIInterruptedError);
  });

  itInSoak("in the middle of an answer of the real command line ends it", async () => {
    const stage = await makeStage(() => say("a long answer"));
    const controller = new AbortController();
    const error = await thrownBy(
      (async () => {
        for await (const { type } of stage.create().streamMessages("go", { signal: controller.signal, includePartialMessages: true }))
          if (type === "stream_event") controller.abort();
      })(),
    );
    expect(error).toBeInstanceOf(CLIInterruptedError);
    expect(cliOf(stage.home)).toBeUndefined();
  });

  it("is what a request ends with, though a function fails because of it", async () => {
    const stage = await makeStage(() => []);
    const controller = new AbortController();
    const run = (): never => {
      controller.abort();
      throw new RangeError("the second cause");
    };
    const model = stage.create({ toolErrors: "throw", cliPath: unstreamedCli });
    model.setAgentToolsets([defineTool({ name: "double", description: "", input, run })], { transport: "sdk" });
    expect(await thrownBy(model.request("go", { signal: controller.signal }))).toBeInstanceOf(CLIInterruptedError);
  });
});

it("an interrupt handler is asked before anything is started, and not any more when the request is over", async () => {
  const stage = await makeStage(() => []);
  let asked = 0;
  const model = stage.create({
    cliPath,
    interruptHandler: () => ++asked < 0,
    env: { ...stage.options.env, HAWSER_TEST_ODD: result("fine") },
  });
  await model.request("go");
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 2 * claudeCodeLimits.claudeInterruptPollMs));
  expect(asked).toBe(before);
  const eager = stage.create({ directory: join(stage.home, "nowhere"), interruptHandler: () => true });
  eager.setAgentToolsets([defineTool({ name: "a", description: "", input, run: () => "" })]);
  expect(await thrownBy(eager.request("go"))).toBeInstanceOf(CLIInterruptedError);
});

describe.runIf(hasCli)("requests at the same time", () => {
  it("R73 H14: have two sessions, two processes and the tools that each was given, whatever is registered meanwhile, and no word of each other, nor do calls of one function", async () => {
    const stage = await makeStage(({ resultTexts, tools }) => {
      const own = tools.find(({ name }) => name !== full("greet"))!.name;
      return resultTexts.length > 0
        ? say(resultTexts.map((text) => text.split("\n")[0]).join(" | "))
        : [use(own), use(full("greet"), { me: own })];
    });
    const model = stage.create();
    const both = Promise.withResolvers<number>();
    const met = new Set<string>();
    const clis = new Set<number | undefined>();
    const meet = (name: string) =>
      defineTool({
        name,
        description: "",
        input,
        async run() {
          met.add(name);
          clis.add(cliOf(stage.home, [...clis][0]));
          if (met.size === 2) both.resolve(fs.readdirSync(stage.directory).filter((file) => file.endsWith(".sock")).length);
          return `this is ${name} of ${await both.promise}`;
        },
      });
    const greet = defineTool({
      name: "greet",
      description: "",
      input: { type: "object", properties: { me: { type: "string" } } },
      run: async ({ me }) => `${String(me)} of ${await both.promise}`,
    });
    model.setAgentToolsets([meet("one"), meet("two"), greet]);
    const requests = ["one", "two"].map((name) => model.request("go", { tools: [name, "greet"] }));
    model.setAgentToolsets([meet("three")], { serverName: "other" });
    const texts = (await Promise.all(requests)).map(({ text }) => text);
    expect(texts).toEqual(["one", "two"].map((name) => `this is ${name} of 2 | ${full(name)} of 2`));
    expect(clis.size).toBe(2);
    expect(clis).not.toContain(undefined);
    const offered = stage.model.conversations
      .map(({ tools }) =>
        tools
          .map(({ name }) => name)
          .toSorted()
          .join(),
      )
      .toSorted();
    expect(offered).toEqual(["one", "one", "two", "two"].map((name) => `${full("greet")},${full(name)}`));
  });
});

describe("many requests", () => {
  it("at once share a model and a signal, without a listener too many, then or afterwards", { timeout: 180_000 }, async () => {
    const stage = await makeStage(() => []);
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const model = stage.create({ cliPath, env: { ...stage.options.env, HAWSER_TEST_ODD: result("fine") } });
    await model.request("go");
    const listeners = (): number[] => process.eventNames().map((event) => process.listenerCount(event));
    const before = listeners();
    const { signal } = new AbortController();
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await model.request("go", { signal })).text));
    expect(texts).toEqual(Array.from({ length: 20 }, () => "fine"));
    expect(listeners()).toEqual(before);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("of every kind of end leave a program free to end", { timeout: 180_000 }, async () => {
    const stage = await makeStage(() => []);
    const program = join(import.meta.dirname, "../fixtures/ends-by-itself.ts");
    const args = ["--conditions=hawser-source", program, stage.home, stage.directory];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, ...stage.options.env },
      timeout: 170_000,
    });
    const ends = JSON.parse(stdout) as Record<string, unknown>;
    expect(ends).toEqual({
      answered: "fine",
      left: "left",
      died: "CLIExecutionError",
      late: "CLITimeoutError",
      aborted: "CLIInterruptedError",
      missing: "CLINotFoundError",
      stepAborted: "Error",
      stepCancelled: "cancelled",
    });
    await until(() => processesOf(stage.home).length === 0, "no process is left");
  });
});
