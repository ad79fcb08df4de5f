// What a host sets while the runtime runs, through the real runtime: keys that no one reads again, models that can be used at once, and a
// configuration file that keeps what the host does not know.

import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnAgent, type SpawnedAgent } from "@hawser/agent/host";
import type { SettingsData } from "@hawser/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import { takesKey, type ScriptedServer } from "../../../../test/kit/models/scripted-server.ts";
import { hawserCommand, makeStage, mcpServer, type Stage } from "./agent-stage.ts";

const key = "sk-canary-0123456789-abcdefghij";

// Tests here run side by side, where a hook of one test would not know whose it is.
const started: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(started.map((each) => each.close())));

function toClose<Server extends { close(): Promise<void> }>(server: Server): Server {
  started.push(server);
  return server;
}

interface Started {
  readonly agent: SpawnedAgent;
  stderr(): string;
}

async function start(stage: Stage, more: { env?: NodeJS.ProcessEnv; flags?: readonly string[] } = {}): Promise<Started> {
  const [command, ...args] = hawserCommand(["agent", ...(more.flags ?? [])]);
  let stderr = "";
  const env = { ...stage.env, ...more.env };
  const onStderr = (chunk: Buffer): void => void (stderr += chunk.toString());
  const agent = await spawnAgent({ command, args, cwd: stage.folder, env, restart: false, onStderr, onPermission: () => "allow" });
  return { agent: toClose(agent), stderr: () => stderr };
}

const configPath = ({ home }: Stage): string => join(home, "config", "hawser", "agent.json");
const keysPath = ({ home }: Stage): string => join(home, "config", "hawser", "keys", "keys.json");
const readConfig = (stage: Stage): unknown => JSON.parse(readFileSync(configPath(stage), "utf8"));

async function say(agent: SpawnedAgent, message: string, model?: string): Promise<string> {
  let text = "";
  for await (const event of agent.send({ message, metadata: model === undefined ? {} : { model } }))
    if (event.type === "token") text += event.token;
  return text;
}

const availability = async (agent: SpawnedAgent, model: string): Promise<boolean | undefined> =>
  (await agent.listModels()).find((entry) => entry.model === model)?.available;

const takesNoKeyAt = async (): Promise<ScriptedServer> => toClose(await startScriptedOpenAI([{ text: "aye" }], takesKey(key)));

describe.concurrent("G16 a key that a host sets", () => {
  it("makes the models of its vendor usable at once and after a restart, is tested, and lies in a file for its user alone", async () => {
    const stage = makeStage();
    const vendor = toClose(await startScriptedAnthropic([{ text: "ahoy" }, { text: "again" }], takesKey(key)));
    const env = { ANTHROPIC_BASE_URL: vendor.url, HAWSER_DEBUG: "protocol-full" };
    const { agent, stderr } = await start(stage, { env });
    expect(agent.info?.capabilities).toContain("settings");
    const name = "anthropic/claude-sonnet-5-5";
    expect(await availability(agent, name)).toBe(false);
    await expect(agent.testKey("anthropic")).rejects.toThrow("there is no key of anthropic yet");
    await agent.setKey("anthropic", "sk-wrong-0123456789");
    expect(await agent.testKey("anthropic")).toMatchObject({ works: false, message: expect.stringContaining("refuses the key (401)") });
    const { keys } = await agent.setKey("anthropic", ` ${key}\n`);
    expect(keys).toEqual([
      { vendor: "anthropic", place: "file" },
      { vendor: "openai", place: "none" },
    ]);
    expect(await agent.testKey("anthropic")).toMatchObject({ works: true, message: expect.stringMatching(/^It works: \d+ models\.$/) });
    expect(await availability(agent, name)).toBe(true);
    expect((await agent.status()).model).toBe(name);
    expect(await say(agent, "hello")).toBe("ahoy");
    expect(vendor.requests.at(-1)?.headers["x-api-key"]).toBe(key);
    expect(statSync(keysPath(stage)).mode & 0o777).toBe(0o600);
    expect(stderr()).toContain("[RECV] set_key");
    expect(stderr()).not.toMatch(/canary|sk-wrong/);
    await agent.close();
    const second = await start(stage, { env });
    expect(await say(second.agent, "hello")).toBe("again");
    const removed = await second.agent.setKey("anthropic", "");
    expect(removed.keys[0]).toEqual({ vendor: "anthropic", place: "none" });
    expect(await availability(second.agent, name)).toBe(false);
    expect(readFileSync(keysPath(stage), "utf8")).not.toContain(key);
  });

  it("is refused where a variable comes before it, and where it can't be one; no sentence repeats it", async () => {
    const stage = makeStage();
    const { agent } = await start(stage, { env: { OPENAI_API_KEY: "sk-of-the-environment" } });
    const { keys } = await agent.getSettings();
    expect(keys).toContainEqual({ vendor: "openai", place: "environment", variable: "OPENAI_API_KEY" });
    await expect(agent.setKey("openai", key)).rejects.toThrow("OPENAI_API_KEY in the environment comes before");
    await expect(agent.setKey("anthropic", `${key} and more`)).rejects.toThrow(/^(?!.*canary).*this can't be a key/s);
    await expect(agent.setKey("__proto__", key)).rejects.toThrow("there is no vendor of this name");
    writeFileSync(keysPathIn(stage), `{"anthropic": ${key}`, { mode: 0o600 });
    await expect(agent.setKey("anthropic", key)).rejects.toThrow(/^(?!.*canary).*not valid JSON/s);
    expect(readFileSync(keysPath(stage), "utf8")).toBe(`{"anthropic": ${key}`);
  });

  it("can't be read, searched or written by the agent's own tools, also where its file lies in a root and a rule allows all", async () => {
    const stage = makeStage({}, { permissions: [{ tool: "*", decision: "allow" }] });
    const folder = realpathSync(join(stage.home, "config", "hawser"));
    symlinkSync(join(folder, "keys", "keys.json"), join(folder, "innocent.txt"));
    const { agent } = await start(stage, { flags: [`--root=${folder}`, "--model=offline"] });
    await agent.setKey("anthropic", key);
    const said: string[] = [];
    for (const request of [
      ...["read keys/keys.json", "read innocent.txt", 'search for "canary"'],
      ...["write x to keys/keys.json", "write x to agent.json"],
    ])
      said.push(await say(agent, request));
    expect(said.join("\n")).not.toContain(key);
    expect(said[0]).toContain("denies it");
    expect(readFileSync(keysPath(stage), "utf8")).toContain(key);
    expect(readFileSync(join(folder, "agent.json"), "utf8")).toContain('"permissions"');
  });

  it("does not go to another address that takes the name of its server", async () => {
    const stage = makeStage();
    const [first, second] = [await takesNoKeyAt(), await takesNoKeyAt()];
    const { agent } = await start(stage);
    await agent.setSettings({ openaiServers: { harbour: { baseUrl: first.url, models: ["pilot"] } } });
    await agent.setKey("harbour", key);
    expect(await agent.testKey("harbour")).toMatchObject({ works: true });
    expect(await say(agent, "hello", "harbour/pilot")).toBe("aye");
    const { keys } = await agent.setSettings({ openaiServers: { harbour: { baseUrl: second.url, models: ["pilot"] } } });
    expect(keys.at(-1)).toEqual({ vendor: "harbour", place: "none" });
    expect(await agent.testKey("harbour")).toMatchObject({ works: false });
    expect(await say(agent, "hello", "harbour/pilot")).toBe("aye");
    expect(second.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await agent.setSettings({ openaiServers: { harbour: null } });
    expect((await agent.listModels()).some(({ model }) => model.startsWith("harbour/"))).toBe(false);
    await expect(agent.setSettings({ openaiServers: { acp: { baseUrl: first.url } } })).rejects.toThrow("none of: anthropic");
  });
});

function keysPathIn(stage: Stage): string {
  mkdirSync(dirname(keysPath(stage)), { recursive: true });
  return keysPath(stage);
}

describe.concurrent("settings that a host changes", () => {
  it("keep what the host does not know, in the file that a link leads to, and count at once", async () => {
    const stage = makeStage({ "note.txt": "hello" }, { instructions: "Be brief.", futureMember: { a: [1] } });
    const target = join(stage.home, "dotfiles.json");
    writeFileSync(target, readFileSync(configPath(stage)));
    rmSync(configPath(stage));
    symlinkSync(target, configPath(stage));
    const { agent } = await start(stage);
    const rule = { tool: "read_file", match: { path: "note.txt" }, decision: "deny" };
    const settings = await agent.setSettings({ model: "offline", allowedCommands: ["echo"], permissions: [rule] });
    expect(settings).toMatchObject({ file: configPath(stage), model: "offline", allowedCommands: ["echo"], permissions: [rule] });
    expect(lstatSync(configPath(stage)).isSymbolicLink()).toBe(true);
    expect(readConfig(stage)).toEqual({
      ...{ instructions: "Be brief.", futureMember: { a: [1] }, model: "offline" },
      ...{ allowedCommands: ["echo"], permissions: [rule] },
    });
    expect(await say(agent, "read note.txt")).toContain("denies it");
    expect(await say(agent, "run echo ahoy")).toContain("ahoy");
    await agent.setSettings({ model: null, permissions: [] });
    expect(readConfig(stage)).not.toHaveProperty("model");
    expect(await say(agent, "read note.txt")).toContain("hello");
  });

  it("that the runtime would not start with are refused, and nothing is written", async () => {
    const stage = makeStage({}, { model: "offline" });
    const before = readFileSync(configPath(stage), "utf8");
    const { agent } = await start(stage);
    const refused: [Parameters<SpawnedAgent["setSettings"]>[0], string][] = [
      [{ model: "nowhere/x" }, "unknown model"],
      [{ permissions: [{ tool: "x" }] }, "permissions[0] needs `decision`"],
      [{ mcpServers: { tides: {} } }, "mcpServers.tides needs one of"],
      [{ agents: { "a b": { command: "x" } } }, "must be named with letters"],
      [{ allowedCommands: ["../evil"] }, "give the name of a program"],
      [{ mcpServers: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, { command: "x" }])) }, "at most 32"],
    ];
    for (const [changes, sentence] of refused) await expect(agent.setSettings(changes)).rejects.toThrow(sentence);
    expect(readFileSync(configPath(stage), "utf8")).toBe(before);
    writeFileSync(configPath(stage), "{ broken");
    await expect(agent.setSettings({ model: "offline" })).rejects.toThrow("not valid JSON");
    expect(readFileSync(configPath(stage), "utf8")).toBe("{ broken");
  });

  it("of a file that was named are kept beside it, count after it was written anew, and can't be written by the agent's tools", async () => {
    const stage = makeStage();
    const named = join(stage.folder, "made.json");
    const made = { model: "offline", agents: { old: { command: "old" }, other: { command: "other" } } };
    writeFileSync(named, JSON.stringify(made));
    const flags = ["--config", named];
    const { agent } = await start(stage, { flags });
    const file = join(stage.folder, "made.local.json");
    const changed = await agent.setSettings({ agents: { old: null, mine: { command: "mine" } }, allowedCommands: ["echo"] });
    expect(changed).toMatchObject({ file, model: "offline", agents: [{ name: "other" }, { name: "mine" }] });
    expect(JSON.parse(readFileSync(named, "utf8"))).toEqual(made);
    const local = { agents: { old: null, mine: { command: "mine" } }, allowedCommands: ["echo"] };
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(local);
    await say(agent, "write x to made.local.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(local);
    await agent.close();
    writeFileSync(named, JSON.stringify({ ...made, agents: { ...made.agents, newer: { command: "newer" } } }));
    const again = await start(stage, { flags });
    const { agents, allowedCommands } = await again.agent.getSettings();
    expect([agents.map(({ name }) => name), allowedCommands]).toEqual([["other", "newer", "mine"], ["echo"]]);
    await again.agent.setSettings({ agents: { old: made.agents.old, mine: null } });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ allowedCommands: ["echo"] });
  });

  it("made at the same time by two runtimes lose nothing of each other", async () => {
    const stage = makeStage();
    const [one, other] = await Promise.all([start(stage), start(stage)]);
    const add = (agent: SpawnedAgent, name: string): Promise<unknown> => agent.setSettings({ agents: { [name]: { command: "x" } } });
    await Promise.all(Array.from({ length: 8 }, (_, at) => add(at % 2 === 0 ? one.agent : other.agent, `agent-${at}`)));
    expect(Object.keys((readConfig(stage) as { agents: object }).agents).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, at) => `agent-${at}`),
    );
    expect(await availability(one.agent, "acp/agent-0")).toBe(false);
  });
});

/** Once no server is being connected to. */
async function settled(agent: SpawnedAgent): Promise<SettingsData> {
  for (;;) {
    const settings = await agent.getSettings();
    if (settings.mcpServers.every(({ state }) => state !== "connecting")) return settings;
    await sleep(50);
  }
}

describe.concurrent("MCP servers that a host sets", () => {
  const tides = { command: process.execPath, args: [mcpServer], env: { TIDES: "a-value-that-is-secret" } };

  it("are connected to without a restart, are described without their secrets, restarted, and gone when they are removed", async () => {
    const stage = makeStage();
    const { agent, stderr } = await start(stage, { env: { HAWSER_DEBUG: "protocol-full" } });
    await agent.setSettings({ mcpServers: { tides } });
    const connected = {
      name: "tides",
      state: "connected",
      place: `${process.execPath} ${mcpServer}`,
      command: process.execPath,
      args: [mcpServer],
      secrets: ["TIDES"],
      tools: [{ name: "tide", description: "Says the tide.", on: true }],
    };
    expect((await settled(agent)).mcpServers).toEqual([connected]);
    expect(await say(agent, "use tides__tide")).toContain("high tide at noon");
    expect((await agent.switchTool("tides", "tide", false)).mcpServers[0]?.tools).toEqual([{ ...connected.tools[0], on: false }]);
    expect(await say(agent, "list the tools")).not.toContain("tides__tide");
    expect(readConfig(stage)).toEqual({ mcpServers: { tides: { ...tides, disabledTools: ["tide"] } } });
    await agent.switchTool("tides", "tide", true);
    expect(readConfig(stage)).toEqual({ mcpServers: { tides } });
    expect((await agent.restartServer("tides")).mcpServers).toEqual([connected]);
    expect(await say(agent, "use tides__tide")).toContain("high tide at noon");
    await expect(agent.restartServer("other")).rejects.toThrow("no MCP server of this name is in use");
    expect((await agent.setSettings({ mcpServers: { tides: { ...tides, disabled: true } } })).mcpServers).toMatchObject([{ state: "off" }]);
    expect((await agent.setSettings({ mcpServers: { tides: null } })).mcpServers).toEqual([]);
    expect(await say(agent, "list the tools")).not.toContain("tides__tide");
    expect(stderr().includes("a-value-that-is-secret")).toBe(false);
  });

  it("that fail say why, and are tried again", async () => {
    const stage = makeStage({}, { mcpServers: { broken: { command: "no-such-program-anywhere" } } });
    const { agent } = await start(stage);
    expect((await settled(agent)).mcpServers[0]).toMatchObject({
      name: "broken",
      state: "failed",
      reason: expect.stringContaining("no-such-program"),
    });
    await agent.setSettings({ mcpServers: { broken: tides } });
    expect((await settled(agent)).mcpServers[0]).toMatchObject({ state: "connected" });
  });
});
