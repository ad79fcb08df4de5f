// Arguments of a model's call that would take JavaScript too long to list: the call is refused, and the model learns why.

import { expect, it, onTestFinished } from "vitest";
import { toolLimits } from "../../../tools/src/limits.ts";
import { startScriptedModel } from "../model/model-rig.ts";
import { openStage, say } from "./stage.ts";

it("SEC-05: a call with more members in one object than are allowed is refused and not run; a list of as many is run", async () => {
  const { argumentMembers } = toolLimits;
  toolLimits.argumentMembers = 1_000;
  onTestFinished(() => void (toolLimits.argumentMembers = argumentMembers));
  const items = Array.from({ length: 1_001 }, (_, n) => n + 1);
  const wide = JSON.stringify({ value: Object.fromEntries(items.map((n) => [`m${n}`, n])) });
  const long = JSON.stringify({ value: items });
  await using scripted = await startScriptedModel("messages", [
    {
      calls: [
        { id: "c1", name: "count", rawArguments: wide },
        { id: "c2", name: "count", rawArguments: long },
      ],
    },
    { text: ["end"] },
  ]);
  const { model } = scripted;
  const models = { current: model.name, pick: () => Promise.resolve(model), list: () => Promise.resolve([]) };
  const seen: unknown[] = [];
  const count = { name: "count", description: "", input: { type: "object" }, run: (args: unknown) => void seen.push(args) };
  const stage = openStage({ models, tools: [count] });
  stage.send(say("t", "go", "c"));
  await stage.endOf("t");
  expect(seen).toEqual([{ value: items }]);
  const results = stage.of("t").filter(({ type }) => type === "tool_result");
  expect(results).toMatchObject([
    {
      data: { toolId: "c1", isError: true, error: expect.stringContaining("an object has more than 1000 members; send a list instead") },
    },
    { data: { toolId: "c2" } },
  ]);
  await stage.close();
});
