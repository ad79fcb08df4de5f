// How the real process ends under load: every accepted request has its one end, and nothing is left.

import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startScriptedAnthropic } from "../model/scripted-anthropic.ts";
import type { ScriptedServer } from "../model/scripted-server.ts";
import {
  agentCommand,
  checkEnds,
  hostileTools,
  isEnd,
  makePlace,
  processesWith,
  say,
  startAgent,
  type Place,
  type Victim,
} from "./process-stage.ts";

const args = ["--model", "offline", "--tools", hostileTools];
const places: Place[] = [];
let slow: ScriptedServer;
beforeAll(async () => {
  async function* tokens(): AsyncGenerator<string> {
    for (let count = 0; count < 3_000; count++) {
      yield `token ${count} `;
      await sleep(20);
    }
  }
  slow = await startScriptedAnthropic(() => ({ text: tokens }));
});
afterAll(async () => {
  await slow.close();
  for (const place of places) place.remove();
});

function newPlace(config?: object): Place {
  const place = makePlace({}, config);
  places.push(place);
  return place;
}

const locksIn = ({ data }: Place): string[] =>
  existsSync(data) ? readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".lock")) : [];

/** Ten hanging tools, eight model streams, and two that wait. */
async function startTwenty(place: Place): Promise<Victim> {
  const agent = startAgent(place, { args, env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: slow.url } });
  for (let count = 0; count < 10; count++) agent.send(say(`tool-${count}`, "call hangs", `tool-${count}`));
  for (let count = 0; count < 8; count++) {
    const metadata = { conversationId: `model-${count}`, model: "anthropic/scripted" };
    agent.send({ id: `model-${count}`, kind: "user_message", message: "go", metadata });
  }
  agent.send(say("waits-0", "hello", "tool-0"), say("waits-1", "hello", "tool-0"));
  await agent.next(({ id, type }) => id === "model-7" && type === "token");
  await agent.next(({ id, type }) => id === "tool-9" && type === "tool_use");
  return agent;
}

it.concurrent(
  "RUN-02 G8: SIGTERM with 20 in flight ends each of them once, exits 0 within 10 s and leaves no lock",
  { timeout: 60_000 },
  async () => {
    const place = newPlace();
    const agent = await startTwenty(place);
    const begin = performance.now();
    agent.process.kill("SIGTERM");
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(10_000);
    await sleep(200);
    checkEnds(agent.responses);
    expect(agent.responses.filter(isEnd)).toHaveLength(20);
    expect([locksIn(place), processesWith(place.home)]).toEqual([[], []]);
  },
);

it.concurrent("RUN-02: a second SIGTERM ends it at once with 143", { timeout: 60_000 }, async () => {
  const place = newPlace();
  const agent = await startTwenty(place);
  agent.process.kill("SIGTERM");
  await sleep(300);
  const begin = performance.now();
  agent.process.kill("SIGTERM");
  expect(await agent.exited).toEqual({ code: 143, signal: null });
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect(locksIn(place)).toEqual([]);
});

it.concurrent(
  "G8 G9: a parent that is killed takes the runtime, its commands and its servers along, although the pipes stay open",
  { timeout: 60_000 },
  async () => {
    const permissions = [{ tool: "run_command", decision: "allow" }];
    const place = newPlace({ permissions, allowedCommands: ["sleep"] });
    const [command, ...rest] = agentCommand(args);
    const code = `require("node:child_process").spawn(${JSON.stringify(command)}, ${JSON.stringify(rest)}, { stdio: "inherit" }); setInterval(() => {}, 1000);`;
    // Its pipes are ours, so they stay open when it is gone.
    const parent = spawn(process.execPath, ["-e", code], { cwd: place.folder, env: place.env, stdio: ["pipe", "pipe", "inherit"] });
    let out = "";
    parent.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    parent.stdin.write(`${JSON.stringify(say("command", "run sleep 1000", "a"))}\n${JSON.stringify(say("tool", "call hangs", "b"))}\n`);
    for (let tries = 0; tries < 200 && out.split('"tool_use"').length < 3; tries++) await sleep(100);
    await sleep(300);
    expect(processesWith(place.home).length).toBeGreaterThanOrEqual(3);
    parent.kill("SIGKILL");
    const begin = performance.now();
    while (processesWith(place.home).length > 0 && performance.now() - begin < 20_000) await sleep(100);
    expect(processesWith(place.home)).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(locksIn(place)).toEqual([]);
    expect(out.match(/"type":"error"/g)).toHaveLength(2);
  },
);
