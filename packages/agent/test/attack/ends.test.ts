// How the real process ends under load: every accepted request has its one end, and nothing is left.

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { wireLimits } from "@hawser/wire";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import type { ScriptedServer } from "../../../../test/kit/models/scripted-server.ts";
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
import { until } from "../../../../test/kit/until.ts";

const args = ["--model", "offline", "--tools", hostileTools];
const timeout = 240_000;
/** A busy machine may need it besides the times that the limits name. */
const busyMs = 30_000;
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

/** Clock ticks that a process has worked. */
const workOf = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  return Number(user) + Number(system);
};

/** Waits until the conversations on disk hold this text. */
async function untilKept({ data }: Place, text: string): Promise<void> {
  const isKept = (): boolean =>
    readdirSync(data, { recursive: true, encoding: "utf8" }).some(
      (name) => name.endsWith(".jsonl") && readFileSync(join(data, name), "utf8").includes(text),
    );
  await until(isKept);
}

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
  "R131: a host that stalls, cancels and subscribes gets one end, nothing after it, and nothing again",
  { timeout },
  async () => {
    async function* flood(): AsyncGenerator<string> {
      for (;;) yield "x".repeat(500);
    }
    const server = await startScriptedAnthropic(() => ({ text: flood }));
    const place = newPlace();
    const agent = startAgent(place, { args, env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url } });
    const metadata = { conversationId: "c", model: "anthropic/scripted" };
    agent.send({ id: "turn", kind: "user_message", message: "go", metadata });
    await agent.next(({ type }) => type === "token");
    agent.process.stdout.pause();
    // The pipe is full when the runtime has nothing to do any more.
    const pid = agent.process.pid as number;
    for (let before = -1; before !== workOf(pid); await sleep(500)) before = workOf(pid);
    agent.send({ id: "stop", kind: "cancel", target: "turn" }, say("next", "what comes next", "c"));
    // The next one begins when the end of the first is on its way; `subscribe` was looked at when what came later has been.
    await untilKept(place, "what comes next");
    agent.send({ id: "again", kind: "subscribe", conversationId: "c" });
    agent.send({ id: "name", kind: "rename_conversation", conversationId: "c", title: "looked at" });
    // A runtime that sends everything again looks at nothing more until it is read.
    await Promise.race([untilKept(place, "looked at"), sleep(5_000)]);
    agent.process.stdout.resume();
    expect(await agent.endOf("turn")).toMatchObject({ type: "error", code: "cancelled" });
    expect([undefined, "next"]).toContain((await agent.endOf("again"))["data"]?.running);
    expect(await agent.endOf("next")).toMatchObject({ type: "done" });
    agent.send({ id: "later", kind: "subscribe", conversationId: "c" });
    expect((await agent.endOf("later"))["data"]).toBeUndefined();
    expect(await agent.finish()).toBe(0);
    checkEnds(agent.responses);
    const seqs = agent.of("turn").map(({ seq }) => seq as number);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    await server.close();
  },
);

it.concurrent(
  "RUN-02 G8: SIGTERM with 20 in flight ends each of them once, exits 0 within 10 s and leaves no lock",
  { timeout },
  async () => {
    const place = newPlace();
    const agent = await startTwenty(place);
    const begin = performance.now();
    agent.process.kill("SIGTERM");
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(wireLimits.signalGraceMs + wireLimits.cancelGraceMs).toBeLessThan(10_000);
    expect(performance.now() - begin).toBeLessThan(10_000 + busyMs);
    checkEnds(agent.responses);
    expect(agent.responses.filter(isEnd)).toHaveLength(20);
    expect([locksIn(place), processesWith(place.home)]).toEqual([[], []]);
  },
);

/** A second signal that comes before the first was noticed is none. From then on nothing new is accepted. */
async function untilStopping(agent: Victim): Promise<void> {
  for (let count = 0; ; count++) {
    agent.send(say(`new-${count}`, "hello", `new-${count}`));
    if ((await agent.endOf(`new-${count}`))["code"] === "cancelled") return;
  }
}

it.concurrent("RUN-02: a second SIGTERM ends it at once with 143", { timeout }, async () => {
  const place = newPlace();
  const agent = await startTwenty(place);
  agent.process.kill("SIGTERM");
  await untilStopping(agent);
  const begin = performance.now();
  agent.process.kill("SIGTERM");
  // Only the second one leads to this code.
  expect(await agent.exited).toEqual({ code: 143, signal: null });
  expect(performance.now() - begin).toBeLessThan(500 + busyMs);
  expect(locksIn(place)).toEqual([]);
});

it.concurrent(
  "G8 G9: a parent that is killed takes the runtime, its commands and its servers along, although the pipes stay open",
  { timeout },
  async () => {
    const permissions = [{ tool: "run_command", decision: "allow" }];
    const place = newPlace({ permissions, allowedCommands: ["sleep"] });
    const [command, ...rest] = agentCommand(args);
    const code = `require("node:child_process").spawn(${JSON.stringify(command)}, ${JSON.stringify(rest)}, { stdio: "inherit" }); setInterval(() => {}, 1000);`;
    // Its pipes are ours, so they stay open when it is gone.
    const parent = spawn(process.execPath, ["-e", code], { cwd: place.folder, env: place.env, stdio: ["pipe", "pipe", "inherit"] });
    const closed = once(parent, "close");
    let out = "";
    parent.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    parent.stdin.write(`${JSON.stringify(say("command", "run sleep 1000", "a"))}\n${JSON.stringify(say("tool", "call hangs", "b"))}\n`);
    const hasBegun = (): boolean => out.split('"tool_use"').length >= 3 && processesWith(place.home).length >= 3;
    for (let tries = 0; tries < 600 && !hasBegun(); tries++) await sleep(100);
    expect(hasBegun()).toBe(true);
    parent.kill("SIGKILL");
    const begin = performance.now();
    while (processesWith(place.home).length > 0 && performance.now() - begin < 10_000 + busyMs) await sleep(100);
    expect(processesWith(place.home)).toEqual([]);
    // The runtime had its pipes; with it they are closed, and all that it said has been read.
    await closed;
    expect(locksIn(place)).toEqual([]);
    expect(out.match(/"type":"error"/g)).toHaveLength(2);
  },
);

it.runIf(process.platform === "linux").concurrent(
  "G9: a runtime that is itself killed leaves none of its commands and servers behind, nor what has left their groups",
  { timeout },
  async ({ expect, onTestFinished }) => {
    const place = newPlace({
      permissions: [{ tool: "run_command", decision: "allow" }],
      allowedCommands: ["setsid"],
      // Neither reads its input.
      mcpServers: { deaf: { command: "sh", args: ["-c", "setsid sleep 1000 & exec sleep 1000"] } },
    });
    const agent = startAgent(place, { args: [...args, "--sandbox", "off"] });
    onTestFinished(() => processesWith(place.home).forEach((pid) => process.kill(pid, "SIGKILL")));
    agent.send(say("command", "run setsid --fork --wait sleep 1000"));
    const sleepers = (): number => processesWith(place.home).length - 1;
    await until(() => sleepers() >= 4, busyMs, "the command and the server run, each with another process");
    agent.process.kill("SIGKILL");
    await expect.poll(() => processesWith(place.home), { timeout: busyMs }).toEqual([]);
    await agent.exited;
  },
);
