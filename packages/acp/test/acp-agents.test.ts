// How many agents run at once, and for how long: in this process, with small limits.

import { fileURLToPath } from "node:url";
import type { DelegatedTurn, TurnAgent } from "@hawser/agent";
import { afterEach, expect, it } from "vitest";
import { createAcpModels } from "../src/internal.ts";
import { acpLimits } from "../src/limits.ts";
import { isAlive } from "./runtime-stage.ts";

const scriptedAgent = fileURLToPath(new URL("fixtures/scripted-agent.ts", import.meta.url));
const usual = { ...acpLimits };
afterEach(() => Object.assign(acpLimits, usual));

const create = async (): Promise<TurnAgent> => {
  const agents = { scripted: { command: process.execPath, args: [scriptedAgent] } };
  return (await createAcpModels({ agents: () => agents, env: process.env, version: "0" }).create("scripted")) as TurnAgent;
};

async function say(agent: TurnAgent, conversationId: string, message: string, signal = new AbortController().signal): Promise<string> {
  let text = "";
  const turn: DelegatedTurn = {
    conversationId,
    message,
    signal,
    folders: [process.cwd()],
    tools: [],
    sessionId: undefined,
    attachments: [],
    history: [],
    emit: async (event) => void (text += event.type === "text" ? event.text : ""),
    ask: async () => undefined,
    callTool: async () => undefined,
    keepSession: async () => {},
  };
  await agent.run(turn);
  return text;
}

it("for one agent too many the idle one that was used longest ago is ended; when all are at work, the turn is refused", async () => {
  acpLimits.acpProcessEntries = 2;
  const agent = await create();
  const first = Number(await say(agent, "a", "pid"));
  const second = Number(await say(agent, "b", "pid"));
  await say(agent, "a", "pid");
  await say(agent, "c", "pid");
  expect([first, second].map(isAlive)).toEqual([true, false]);
  const cancel = new AbortController();
  const busy = [say(agent, "a", "wait", cancel.signal), say(agent, "c", "wait", cancel.signal)];
  await expect(say(agent, "d", "pid")).rejects.toMatchObject({
    code: "overloaded",
    message: "2 agents are at work; retry when one finishes",
  });
  cancel.abort();
  await Promise.allSettled(busy);
  await agent.close();
});

it("an agent without a turn for long is ended, and started again for the next", async () => {
  acpLimits.acpIdleMs = 200;
  const agent = await create();
  const first = Number(await say(agent, "a", "pid"));
  await expect.poll(() => isAlive(first)).toBe(false);
  expect(Number(await say(agent, "a", "pid"))).not.toBe(first);
  await agent.close();
});

it("an agent that never answers is ended in time, with one error", async () => {
  acpLimits.acpStartMs = 200;
  const agents = { scripted: { command: process.execPath, args: [scriptedAgent, "--mute"] } };
  const agent = (await createAcpModels({ agents: () => agents, env: process.env, version: "0" }).create("scripted")) as TurnAgent;
  await expect(say(agent, "a", "pid")).rejects.toMatchObject({
    code: "timeout",
    message: "acp/scripted has not answered `initialize` within 0.2 seconds; it was ended",
  });
  await agent.close();
});
