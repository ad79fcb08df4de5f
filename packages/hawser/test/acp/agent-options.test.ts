// `hawser acp` with an agent of others behind it, as an editor sees what that agent lets its users choose.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { client as acpClient, methods, ndJsonStream, type SessionConfigOption, type SessionUpdate } from "@agentclientprotocol/sdk";
import { afterAll, expect, it } from "vitest";
import { hawserCommand, makeStage, type Stage } from "../agent/agent-stage.ts";

const scriptedAgent = resolve(import.meta.dirname, "../../../acp/test/fixtures/scripted-agent.ts");
const agents = { scripted: { command: process.execPath, args: [scriptedAgent, "--options"] } };
const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

interface Told {
  readonly update: SessionUpdate;
}

async function start(stage: Stage, flags: readonly string[], clientCapabilities: object = {}) {
  const [command, ...args] = hawserCommand(["acp", ...flags]);
  const child = spawn(command, args, { cwd: "/", env: stage.env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const told: Told[] = [];
  let tell: () => void = () => {};
  const { agent } = acpClient({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      told.push(params);
      tell();
    })
    .onRequest(methods.client.session.requestPermission, () => ({ outcome: { outcome: "selected", optionId: "deny" } }))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const close = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  closing.push(close);
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
  const { sessionId, configOptions } = await agent.request(methods.agent.session.new, { cwd: stage.folder, mcpServers: [] });
  return {
    sessionId,
    agent,
    atFirst: configOptions ?? [],
    close,
    told: () => told.map(({ update }) => update),
    said: () =>
      told.flatMap(({ update }) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
      ),
    /** The options of the update that was told after so many others of its kind. */
    async nextOptions(before = 0): Promise<readonly SessionConfigOption[]> {
      for (;;) {
        const found = told.flatMap(({ update }) => (update.sessionUpdate === "config_option_update" ? [update.configOptions] : []))[before];
        if (found) return found;
        await new Promise<void>((resolve) => (tell = resolve));
      }
    },
    set: (configId: string, value: string | boolean) =>
      agent.request(methods.agent.session.setConfigOption, {
        sessionId,
        configId,
        ...(typeof value === "boolean" ? { type: "boolean" as const, value } : { value }),
      }),
    say: (text: string) => agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
  };
}

const valuesOf = (options: readonly SessionConfigOption[] | null | undefined) =>
  Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]));

it("has the agent's own options beside its own, once the agent runs, and sets them", async () => {
  const editor = await start(makeStage({}, { agents }), ["--model", "acp/scripted"]);
  expect(valuesOf(editor.atFirst)).toEqual({ model: "acp/scripted", permissions: "ask" });
  const options = await editor.nextOptions();
  expect(options.slice(2)).toMatchObject([
    {
      id: "agent:model",
      name: "scripted: Model",
      type: "select",
      currentValue: "small",
      options: [{ value: "small" }, { value: "large" }],
    },
    // An editor that does not say that it knows switches gets a list.
    { id: "agent:fast", type: "select", currentValue: "false", options: [{ value: "true" }, { value: "false" }] },
    { id: "agent:mode", type: "select", currentValue: "ask" },
  ]);
  // One of each kind, so that an editor knows which to show where.
  expect(options.map(({ category }) => category)).toEqual(["model", "mode", undefined, undefined, undefined]);
  expect(valuesOf((await editor.set("agent:model", "large")).configOptions)).toMatchObject({ "agent:model": "large" });
  expect(valuesOf((await editor.set("agent:fast", "true")).configOptions)).toMatchObject({ "agent:fast": "true" });
  expect(valuesOf((await editor.set("agent:mode", "code")).configOptions)).toMatchObject({ "agent:mode": "code", permissions: "ask" });
  await expect(editor.set("agent:mode", "red")).rejects.toMatchObject({
    code: -32_602,
    message: 'Invalid request: "mode" has no value "red"',
  });
  await expect(editor.set("agent:colour", "red")).rejects.toMatchObject({
    code: -32_602,
    message: 'Invalid request: acp/scripted has no option "colour"',
  });
  // It is the same agent that answers then, and what it changes by itself is told.
  await editor.say(`update ${JSON.stringify({ sessionUpdate: "current_mode_update", currentModeId: "ask" })}\nsessions`);
  expect(editor.said()).toEqual(["1"]);
  expect(valuesOf(await editor.nextOptions(1))).toMatchObject({ "agent:mode": "ask" });
});

it("has them when an agent is chosen, as switches where the editor knows those, and not any more when a model is", async () => {
  const capabilities = { session: { configOptions: { boolean: {} } } };
  const editor = await start(makeStage({}, { agents }), ["--model", "offline"], capabilities);
  expect((await editor.set("model", "acp/scripted")).configOptions?.[3]).toMatchObject({
    id: "agent:fast",
    type: "boolean",
    currentValue: false,
  });
  expect(valuesOf((await editor.set("agent:fast", true)).configOptions)).toMatchObject({ "agent:fast": true });
  expect(valuesOf((await editor.set("model", "offline")).configOptions)).toEqual({ model: "offline", permissions: "ask" });
});

it("G18 waits for the first prompt where the folder is to be asked about, and asks it there", async () => {
  const stage = makeStage({ ".hawser/agent.json": JSON.stringify({ instructions: "Be brief." }) }, { agents });
  const editor = await start(stage, ["--model", "acp/scripted"]);
  await expect(editor.set("agent:mode", "code")).rejects.toMatchObject({
    message: expect.stringContaining("send a prompt first") as string,
  });
  await editor.say("say hello");
  expect(valuesOf(await editor.nextOptions())).toMatchObject({ "agent:mode": "ask" });
});

it("leaves no conversation behind in which nothing was said", async () => {
  const stage = makeStage({}, { agents });
  const editor = await start(stage, ["--model", "acp/scripted"]);
  await editor.nextOptions();
  expect((await editor.agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  await editor.close();
  const next = await start(stage, ["--model", "offline"]);
  expect((await next.agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
});

it("tells what was thought and planned again when a session is loaded in a new process, in its place among the words", async () => {
  const stage = makeStage({}, { agents });
  const first = await start(stage, ["--model", "acp/scripted"]);
  const plan = { sessionUpdate: "plan", entries: [{ content: "look around", status: "pending", priority: "medium" }] };
  await first.say(`think where am I\nsay here.\nupdate ${JSON.stringify(plan)}\nsay Done.`);
  await first.close();
  const next = await start(stage, ["--model", "offline"]);
  await next.agent.request(methods.agent.session.load, { sessionId: first.sessionId, cwd: stage.folder, mcpServers: [] });
  const again = next.told().filter(({ sessionUpdate }) => !/user|config|commands/.test(sessionUpdate));
  expect(again).toMatchObject([
    { sessionUpdate: "agent_thought_chunk", content: { text: "where am I" } },
    { sessionUpdate: "agent_message_chunk", content: { text: "here." } },
    plan,
    { sessionUpdate: "agent_message_chunk", content: { text: "Done." } },
  ]);
});

it("is told in the message why a session can't be loaded", async () => {
  const stage = makeStage({}, { agents });
  const first = await start(stage, ["--model", "acp/scripted"]);
  const waiting = first.say("say so far\nwait");
  await first.nextOptions();
  const second = await start(stage, ["--model", "offline"]);
  const place = { cwd: stage.folder, mcpServers: [] };
  const loading = second.agent.request(methods.agent.session.load, { sessionId: first.sessionId, ...place });
  await expect(loading).rejects.toMatchObject({ message: expect.stringContaining("is in use by another runtime") as string });
  await first.agent.notify(methods.agent.session.cancel, { sessionId: first.sessionId });
  expect(await waiting).toEqual({ stopReason: "cancelled" });
});
