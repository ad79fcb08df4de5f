// G10 in extremes: whatever comes within the limits, the process stays below its bound, and goes on.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import type { ScriptedAnswer, ScriptedServer } from "../../../../test/kit/models/scripted-server.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { checkEnds, hostileTools, isEnd, makePlace, say, startAgent, type Place, type StartOptions, type Victim } from "./process-stage.ts";

const maxMegabytes = 256;
// A text with one such character takes two bytes for each of its others, twice as much as it has on its line.
const wide = "€";
const timeout = 400_000;
const offline: StartOptions = { args: ["--model", "offline", "--tools", hostileTools] };

let place: Place;
let server: ScriptedServer | undefined;
afterEach(async () => {
  place.remove();
  await server?.close();
  server = undefined;
});

function start(options: StartOptions = offline): Victim {
  place = makePlace();
  return startAgent(place, options);
}

async function startWithModel(answer: () => ScriptedAnswer): Promise<Victim> {
  server = await startScriptedAnthropic(answer);
  const args = ["--model", "anthropic/scripted", "--tools", hostileTools];
  return start({ args, env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url } });
}

/** Every request ended once, and it was never too large. */
async function finish(agent: Victim, ids: readonly string[]): Promise<void> {
  for (const id of ids) await agent.endOf(id);
  const peak = agent.peakMegabytes();
  expect(await agent.isAlive()).toBe(true);
  expect(await agent.finish()).toBe(0);
  checkEnds(agent.responses);
  expect(peak).toBeLessThan(maxMegabytes);
}

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

it("G10: three answers of 16 MiB at once", { timeout }, async () => {
  async function* text(): AsyncGenerator<string> {
    const piece = "y".repeat(32_768);
    for (let chars = 0; chars < 16_700_000; chars += piece.length) yield piece;
  }
  const agent = await startWithModel(() => ({ text }));
  const ids = idsOf(3);
  for (const id of ids) agent.send(say(id, "go", id));
  await finish(agent, ids);
  expect(agent.responses.filter(isEnd).map(({ type }) => String(type))).toEqual([...ids.map(() => "done"), "status"]);
});

it("G10 G11: a message of 10 MB in each of 12 conversations, more than fits, is answered or refused", { timeout }, async () => {
  const agent = start();
  const rest = Buffer.from(`,"kind":"user_message","message":"${"x".repeat(9_900_000)}${wide}"}\n`);
  const ids = idsOf(12);
  for (const id of ids) {
    void agent.write(`{"id":"${id}","metadata":{"conversationId":"${id}"}`);
    await agent.write(rest);
  }
  await finish(agent, ids);
  const codes = new Set(agent.responses.filter(isEnd).map(({ type, code }) => String(code ?? type)));
  expect(codes).toContain("done");
  expect([...codes].filter((code) => !["done", "overloaded", "status"].includes(code))).toEqual([]);
});

const conversations = process.env[longTestsVariable] === undefined ? 24 : 64;
it(`G10: results of a megabyte in ${conversations} conversations at once`, { timeout }, async () => {
  const agent = start();
  const ids = idsOf(conversations);
  for (const id of ids) agent.send(say(id, "call returns_a_megabyte", id));
  await finish(agent, ids);
  expect(agent.responses.filter(({ type }) => type === "tool_result")).toHaveLength(conversations);
});

it("G10 RUN-09: 10,000 attachments in each of 5 messages are refused before they wait", { timeout }, async () => {
  const agent = start();
  agent.send(say("hangs", "call hangs"));
  await agent.next(({ type }) => type === "tool_use");
  const attachments = Array.from({ length: 10_000 }, (_, index) => ({
    path: `a${index}`,
    mime: "text/plain",
    data: `${"z".repeat(900)}${wide}`,
  }));
  const rest = Buffer.from(`,"kind":"user_message","message":"hello","attachments":${JSON.stringify(attachments)}}\n`);
  const ids = idsOf(5);
  for (const id of ids) {
    void agent.write(`{"id":"${id}"`);
    await agent.write(rest);
  }
  for (const id of ids) expect(await agent.endOf(id)).toMatchObject({ type: "error", code: "too_large" });
  agent.send({ id: "cancel", kind: "cancel", target: "hangs" });
  await finish(agent, ["hangs", "cancel"]);
});

it("G10: arguments of two megabytes in six conversations at once, and attachments of ten", { timeout }, async () => {
  const input = { value: "z".repeat(2_000_000) };
  let calls = 0;
  const agent = await startWithModel(() => (++calls <= 6 ? { calls: [{ id: `t${calls}`, name: "throws", input }] } : { text: "ok" }));
  const ids = idsOf(6);
  for (const id of ids) agent.send(say(id, "go", id));
  for (const id of ids) await agent.endOf(id);
  writeFileSync(join(place.folder, "long.txt"), "q".repeat(10_000_000));
  const attachments = [{ path: "long.txt", mime: "text/plain" }];
  const attached = ids.map((id) => `${id}-attached`);
  for (const id of attached) agent.send({ ...say(id, "read it", id), attachments });
  await finish(agent, attached);
  expect(agent.responses.filter(({ type }) => type === "done")).toHaveLength(12);
});
