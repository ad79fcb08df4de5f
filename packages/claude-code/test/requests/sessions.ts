// The life of what a request needs: its own session, from the first step to the last.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../src/index.ts";
import { say, use } from "../../../../test/kit/claude-code/scripted-model.ts";
import { makeStage, thrownBy } from "../stage.ts";
import { hasCli } from "../../../../test/kit/claude-code/surroundings.ts";

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

    await model.requestWithMetadata("one", { tools: ["look"] });
    const types: string[] = [];
    for await (const { type } of model.streamMessages("two")) {
      types.push(type);
      if (type === "result") expect(socketsIn(stage.directory)).toHaveLength(1);
    }
    expect(types.at(-1)).toBe("result");
    expect(seen.map((sockets) => sockets.length)).toEqual([1, 1]);
    expect(new Set(seen.flat()).size).toBe(2);
    expect(socketsIn(stage.directory)).toEqual([]);
    const offered = stage.model.conversations
      .filter(({ results }) => results.length === 0)
      .map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([[full("look")], [full("look"), full("other")]]);
  });
});

it("R72: a session is stopped when the query throws, and when the reader leaves its loop", async () => {
  const stage = await makeStage(() => []);
  const answer = [{ type: "result", subtype: "success", result: "hello" }];
  const model = stage.create({
    cliPath: join(import.meta.dirname, "../fixtures/odd-cli.mjs"),
    env: { ...stage.options.env, HAWSER_TEST_ODD: `messages|${JSON.stringify(answer)}` },
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
