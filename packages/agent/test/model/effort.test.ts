// How much a model is to think, in the words of each vendor.

import { expect, it } from "vitest";
import { createStep, only, readStep, startScriptedModel, type Api } from "./model-rig.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- requests are looked into without ceremony
const sent: Readonly<Record<Api, (body: any) => unknown>> = {
  messages: (body) => [body.thinking?.type, body.output_config?.effort],
  responses: (body) => body.reasoning?.effort,
  chat: (body) => body.reasoning_effort,
};

it.each([
  ["messages", ["adaptive", "high"]],
  ["responses", "high"],
  ["chat", "high"],
] as const)("%s: effort is handed on in the vendor's form, and not told where none is given", async (api, expected) => {
  await using rig = await startScriptedModel(api, [{ text: "Yes." }, { text: "Yes." }]);
  const told = await readStep(rig.model, createStep({ effort: "high" }));
  expect(told.error).toBeUndefined();
  expect(only(told.events, "notice")).toEqual([]);
  expect(sent[api](rig.server.requests[0]?.body)).toEqual(expected);
  await readStep(rig.model, createStep());
  expect(JSON.stringify(rig.server.requests[1]?.body)).not.toContain("effort");
});
