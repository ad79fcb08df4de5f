// What is held of an agent's tool calls: bounded, whatever the agent tells of them.

import type { DelegatedEvent } from "@hawser/agent";
import { expect, it } from "vitest";
import { createToolUses } from "../src/agents/tool-uses.ts";
import { acpLimits } from "../src/limits.ts";

function begin() {
  const events: DelegatedEvent[] = [];
  const uses = createToolUses("acp/test", (event) => Promise.resolve(void events.push(event)));
  return { events, uses };
}

const contentOf = (text: string) => [{ type: "content", content: { type: "text", text } }];

it("G10 an id that is far too long ends the turn, and is not held", async () => {
  const { uses } = begin();
  const update = uses.update({ toolCallId: "x".repeat(acpLimits.acpIdChars + 1), rawInput: { a: 1 } });
  await expect(update).rejects.toMatchObject({ code: "model_failed" });
});

it("G10 holds few places in files, and none with an endless path", async () => {
  const { events, uses } = begin();
  const locations = [{ path: "p".repeat(1_000_000) }, ...Array.from({ length: 100_000 }, (_, at) => ({ path: `file ${at}` }))];
  await uses.update({ toolCallId: "a", rawInput: { a: 1 }, locations });
  const [use] = events;
  expect(use?.type === "tool_use" && use.locations?.length).toBe(acpLimits.acpLocationEntries - 1);
});

it("content that is told again and again replaces what was told before, and the last of it is the result", async () => {
  const { events, uses } = begin();
  await uses.update({ toolCallId: "a", rawInput: { a: 1 } });
  const piece = "y".repeat(100_000);
  for (let told = 0; told * piece.length < 2 * acpLimits.acpHeldChars; told++)
    await uses.update({ toolCallId: "a", content: contentOf(`${told} ${piece}`) });
  await uses.update({ toolCallId: "a", status: "completed", content: contentOf(`the end ${piece}`) });
  expect(events.at(-1)).toMatchObject({ type: "tool_result", result: `the end ${piece}` });
});

it("each of two questions about a use waits for its one announcement", async () => {
  const announcing = Promise.withResolvers<void>();
  const steps: string[] = [];
  const uses = createToolUses("acp/test", ({ type }) => {
    steps.push(type);
    return announcing.promise;
  });
  const call = { toolCallId: "a", title: "x", rawInput: { a: 1 } };
  const asked = [1, 2].map(async () => steps.push((await uses.ask(call))?.state ?? "none"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual(["tool_use"]);
  announcing.resolve();
  await Promise.all(asked);
  expect(steps).toEqual(["tool_use", "announced", "announced"]);
});

it("a question about a use that ends while it is announced is not asked any more", async () => {
  const announcing = Promise.withResolvers<void>();
  const uses = createToolUses("acp/test", ({ type }) => (type === "tool_use" ? announcing.promise : Promise.resolve()));
  const ended = uses.update({ toolCallId: "a", rawInput: { a: 1 }, status: "completed" });
  const asked = uses.ask({ toolCallId: "a", title: "x" });
  announcing.resolve();
  await ended;
  expect(await asked).toBeUndefined();
});
