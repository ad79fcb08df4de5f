// What a turn has cost: only where the configuration has the prices of its model.

import { defineTool } from "@hawser/tools";
import { expect, it } from "vitest";
import { toCostUsd } from "../../src/runtime/turn-usage.ts";
import { openStage, say } from "./stage.ts";

it("a usage tells what the model says itself that it has cost, summed up over the steps, unless there are prices", async () => {
  const ofStep = async (prices?: Record<string, { inputPerMillion: number; outputPerMillion: number }>): Promise<unknown> => {
    const stage = openStage({
      prices,
      async *script({ messages }) {
        yield { type: "usage", inputTokens: 1_000, outputTokens: 100, costUsd: 0.25 };
        const isFirst = messages.at(-1)!.parts.length === 0;
        if (isFirst) yield { type: "tool_call", toolId: "t", toolName: "none", input: {} };
        else yield { type: "text", text: "done" };
      },
    });
    stage.send(say("a", "x"));
    await stage.endOf("a");
    await stage.close();
    return stage.of("a").findLast(({ type }) => type === "usage");
  };
  expect(await ofStep()).toMatchObject({ data: { inputTokens: 2_000, costUsd: 0.5 } });
  expect(await ofStep({ scripted: { inputPerMillion: 3, outputPerMillion: 15 } })).toMatchObject({ data: { costUsd: 0.009 } });
});

it.each([
  ["input and output each have their price", { inputPerMillion: 3, outputPerMillion: 15 }, 0, 3 + 15 * 2],
  ["what came from a cache has a price of its own", { inputPerMillion: 3, outputPerMillion: 15, cachedInputPerMillion: 1 }, 400_000, 32.2],
  ["what came from a cache costs as much as other input otherwise", { inputPerMillion: 3, outputPerMillion: 15 }, 400_000, 33],
  ["nothing costs nothing", { inputPerMillion: 0, outputPerMillion: 0 }, 0, 0],
])("%s", (_, prices, cachedInputTokens, cost) => {
  expect(toCostUsd({ inputTokens: 1_000_000, outputTokens: 2_000_000, cachedInputTokens }, prices)).toBeCloseTo(cost, 9);
});

const usageOf = async (prices: Record<string, { inputPerMillion: number; outputPerMillion: number }> | undefined): Promise<unknown> => {
  const stage = openStage({
    prices,
    script: () => [
      { type: "text", text: "Hello." },
      { type: "usage", inputTokens: 1_000, outputTokens: 100 },
    ],
  });
  stage.send(say("a", "hello"));
  await stage.endOf("a");
  await stage.close();
  return stage.of("a").find(({ type }) => type === "usage");
};

it("a usage tells the cost of the turn where the model has prices", async () => {
  expect(await usageOf({ scripted: { inputPerMillion: 3, outputPerMillion: 15 } })).toMatchObject({ data: { costUsd: 0.0045 } });
});

it.each([undefined, {}, { another: { inputPerMillion: 3, outputPerMillion: 15 } }])(
  "a usage tells no cost where its model has no prices: %j",
  async (prices) => {
    expect(await usageOf(prices)).not.toHaveProperty("data.costUsd");
  },
);

it("a usage tells how much of the context is taken after the last step, and not the sum of all steps", async () => {
  const stage = openStage({
    tools: [defineTool({ name: "look", description: "", input: { type: "object" }, run: () => "seen" })],
    script: (_step, count) =>
      count === 0
        ? [
            { type: "tool_call", toolId: "t", toolName: "look", input: {} },
            { type: "usage", inputTokens: 1_000, outputTokens: 100 },
          ]
        : [
            { type: "text", text: "Done." },
            { type: "usage", inputTokens: 1_200, outputTokens: 50 },
          ],
  });
  stage.send(say("a", "hello"));
  await stage.endOf("a");
  await stage.close();
  const told = stage.of("a").filter(({ type }) => type === "usage");
  expect(told).toMatchObject([{ data: { contextTokens: 1_100 } }, { data: { inputTokens: 2_200, contextTokens: 1_250 } }]);
});
