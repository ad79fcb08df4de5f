// Keys that lie inside of a root, through the real runtime: what a sandboxed command and the agent's own tools see of them, also while a
// key is being changed, and where the folder of the configuration is a link. And addresses, which may hold a password or a key's way.

import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSandbox } from "@hawser/agent/internal";
import { spawnAgent, type SpawnedAgent } from "@hawser/agent/host";
import type { SettingsChanges } from "@hawser/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import { takesKey } from "../../../../test/kit/models/scripted-server.ts";
import { until } from "../../../../test/kit/until.ts";
import { hawserCommand, makeStage, type Stage } from "./agent-stage.ts";

const key = "sk-canary-0123456789-abcdefghij";
const later = "sk-canary-later-9876543210";
const allowAll = { permissions: [{ tool: "*", decision: "allow" }] };

const started: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(started.map((each) => each.close())));

const around = createSandbox({ mode: "auto" });
await around.whenKnown();

async function start(stage: Stage, flags: readonly string[], onLog: (text: string) => void = () => {}): Promise<SpawnedAgent> {
  const [command, ...args] = hawserCommand(["agent", "--model=offline", ...flags]);
  const onStderr = (chunk: Buffer): void => onLog(chunk.toString());
  const agent = await spawnAgent({ command, args, cwd: stage.folder, env: stage.env, restart: false, onStderr });
  started.push(agent);
  return agent;
}

async function say(agent: SpawnedAgent, message: string, conversationId?: string): Promise<string> {
  const events: unknown[] = [];
  for await (const event of agent.send({ message, metadata: { conversationId } })) events.push(event);
  return JSON.stringify(events);
}

function expectNoKeyInUndo({ home }: Stage): void {
  const files = readdirSync(join(home, "data", "hawser", "undo"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), "latin1")).not.toContain(key);
}

describe.concurrent("G16 keys inside of a root", () => {
  it("are hidden from a sandboxed command, also one that runs while a key is set for the first time and then changed", async (context) => {
    const problem = around.problem();
    if (problem !== undefined) context.skip(problem);
    const stage = makeStage({}, allowAll);
    const folder = realpathSync(join(stage.home, "config", "hawser"));
    const look = "cat keys/* keys/.* link hard\ngrep -rs '[c]anary' .\n";
    const waitFor = (name: string): string => `touch at-${name}\nuntil [ -e ${name} ]; do sleep 0.02; done\n`;
    writeFileSync(join(folder, "look.sh"), `${waitFor("first")}${look}${waitFor("second")}ln keys/keys.json hard\n${look}echo looked\n`);
    symlinkSync("keys/keys.json", join(folder, "link"));
    const agent = await start(stage, [`--root=${folder}`, "--allow-command", "sh"]);
    const go = async (name: string, secret: string): Promise<void> => {
      await until(() => existsSync(join(folder, `at-${name}`)));
      await agent.setKey("anthropic", secret);
      writeFileSync(join(folder, name), "");
    };
    const [early] = await Promise.all([say(agent, "run sh look.sh"), go("first", key).then(() => go("second", later))]);
    const late = await say(agent, "run sh look.sh");
    expect([early, late]).toEqual([expect.stringContaining("looked"), expect.stringContaining("looked")]);
    expect(early + late).not.toMatch(/canary/);
  });

  it("can't be read by its tools under their real name, where the folder of the configuration is a link", async () => {
    const stage = makeStage({}, allowAll);
    const dotfiles = join(realpathSync(stage.home), "dotfiles");
    mkdirSync(dotfiles);
    renameSync(join(stage.home, "config", "hawser"), join(dotfiles, "hawser"));
    symlinkSync(join(dotfiles, "hawser"), join(stage.home, "config", "hawser"));
    const agent = await start(stage, [`--root=${dotfiles}`]);
    await agent.setKey("anthropic", key);
    expect(existsSync(join(dotfiles, "hawser", "keys", "keys.json"))).toBe(true);
    const said: string[] = [];
    for (const request of ["read hawser/keys/keys.json", 'search for "canary"', "write x to hawser/keys/keys.json"])
      said.push(await say(agent, request));
    expect(said.join("\n")).not.toContain(key);
    expect(said[0]).toContain("denies it");
  });

  it("are no change of a turn, also after a restart that forks or deletes another conversation of the same folder first", async () => {
    const flags = ["--allow-command", "sh", "--sandbox=off"];
    for (const begin of ["fork", "delete"] as const) {
      const stage = makeStage({}, allowAll);
      const folder = realpathSync(stage.home);
      writeFileSync(join(folder, "wait.sh"), "touch waits\nuntil [ -e go-on ]; do sleep 0.02; done\n");
      const first = await start(stage, flags);
      await first.setKey("anthropic", key);
      for (const conversation of ["one", "two"]) {
        await first.setWorkspace(conversation, { folders: [folder] });
        await say(first, `run sh -c "echo > ${conversation}"`, conversation);
      }
      await first.close();
      const agent = await start(stage, flags);
      await (begin === "fork" ? agent.fork("two") : agent.deleteConversation("two"));
      await agent.setWorkspace("one", { folders: [folder] });
      const turn = say(agent, "run sh wait.sh", "one");
      await until(() => existsSync(join(folder, "waits")));
      await agent.setKey("openai", later);
      writeFileSync(join(folder, "go-on"), "");
      await turn;
      const { changes } = await agent.listChanges("one", { diff: true });
      expect(changes.map(({ path }) => path)).toEqual(["one", "go-on", "waits"]);
      expectNoKeyInUndo(stage);
    }
  });
});

describe.concurrent("G16 keys that the desktop app keeps inside of a root", () => {
  it("are read by no tool and no sandboxed command, and undo keeps nothing of them", async () => {
    const stage = makeStage({}, allowAll);
    const root = realpathSync(join(stage.home, "config"));
    const desktop = join(root, "dev.hawser.desktop");
    mkdirSync(desktop);
    for (const name of ["keys.json", ".keys.json.7.0.new"]) writeFileSync(join(desktop, name), JSON.stringify({ openai: key }));
    const agent = await start(stage, [`--root=${root}`, "--allow-command", "sh"]);
    const reading = ["keys.json", ".keys.json.7.0.new"].map((name) => `read dev.hawser.desktop/${name}`);
    const said: string[] = [];
    for (const request of [...reading, 'search for "canary"', "write x to dev.hawser.desktop/keys.json"])
      said.push(await say(agent, request));
    rmSync(join(desktop, ".keys.json.7.0.new"));
    if (around.problem() === undefined) said.push(await say(agent, "run sh -c 'cat dev.hawser.desktop/keys.json; echo looked'"));
    expect(said.join("\n")).not.toContain(key);
    for (const answer of said.slice(0, 2)) expect(answer).toContain("denies it");
    await say(agent, "run sh -c 'echo > made'", "one");
    expect((await agent.listChanges("one")).changes.map(({ path }) => path)).toEqual(["made"]);
    expect(readFileSync(join(desktop, "keys.json"), "utf8")).toContain(key);
    expectNoKeyInUndo(stage);
  });
});

describe.concurrent("G16 addresses of servers", () => {
  const writtenBy = (stage: Stage): string => readFileSync(join(stage.home, "config", "hawser", "agent.json"), "utf8");

  it("with a password, or of another kind than http, are refused, and never told or logged", async () => {
    const byHand = "postgres://ada:canary-hand@127.0.0.1:1/db";
    const written = {
      openaiServers: { old: { baseUrl: "http://ada:canary-old@127.0.0.1:1/v1" } },
      mcpServers: { base: { command: "true", args: [byHand], disabled: true } },
    };
    const stage = makeStage({}, written);
    let stderr = "";
    const agent = await start({ ...stage, env: { ...stage.env, HAWSER_DEBUG: "protocol-full" } }, [], (chunk) => (stderr += chunk));
    const refused: [SettingsChanges, string][] = [
      [{ openaiServers: { a: { baseUrl: "http://ada:canary-new@127.0.0.1:1/v1" } } }, "openaiServers.a.baseUrl holds a name or password"],
      [{ openaiServers: { a: { baseUrl: "file:///etc/passwd" } } }, "is not an http or https address"],
      [{ mcpServers: { m: { type: "http", url: "https://canary-new@127.0.0.1:1/" } } }, "mcpServers.m.url holds a name or password"],
    ];
    for (const [changes, sentence] of refused) await expect(agent.setSettings(changes)).rejects.toThrow(sentence);
    await expect(agent.switchTool("__proto__", "x", false)).rejects.toThrow("no MCP server of this name");
    expect(JSON.parse(writtenBy(stage))).toEqual(written);
    const told = await agent.setSettings({ allowedCommands: ["echo"] });
    expect(told).toMatchObject({
      openaiServers: [{ name: "old", baseUrl: "http://127.0.0.1:1/v1" }],
      mcpServers: [{ name: "base", place: "true postgres://127.0.0.1:1/db" }],
    });
    expect(JSON.stringify(told) + stderr).not.toContain("canary");
    expect(stderr).toContain("[RECV] set_settings");
  });

  it("stay as they were where the key of the one before can't be removed", async () => {
    const stage = makeStage({}, { openaiServers: { harbour: { baseUrl: "http://127.0.0.1:1/v1" } } });
    const agent = await start(stage, []);
    await agent.setKey("harbour", key);
    const before = writtenBy(stage);
    writeFileSync(join(stage.home, "config", "hawser", "keys", "keys.json"), "{ broken");
    const elsewhere = { openaiServers: { harbour: { baseUrl: "http://127.0.0.1:2/v1" } } };
    await expect(agent.setSettings(elsewhere)).rejects.toThrow("not valid JSON");
    expect(writtenBy(stage)).toBe(before);
    expect((await agent.getSettings()).openaiServers).toMatchObject([{ baseUrl: "http://127.0.0.1:1/v1" }]);
  });

  it("get no key that was set for another one, whatever configuration or hand has given them its server's name", async () => {
    const stage = makeStage();
    const servers = await Promise.all([0, 1].map(() => startScriptedOpenAI([{ text: "aye" }], takesKey(key))));
    started.push(...servers);
    const [first = "", second = ""] = servers.map(({ url }) => url);
    const at = (baseUrl: string) => ({ openaiServers: { harbour: { baseUrl, models: ["pilot"] } } });
    const agent = await start(stage, []);
    await agent.setSettings(at(first));
    await agent.setKey("harbour", key);
    await agent.close();
    const other = join(stage.home, "other.json");
    const path = join(stage.home, "config", "hawser", "agent.json");
    for (const [file, flags] of [[other, [`--config=${other}`]] as const, [path, []] as const]) {
      writeFileSync(file, JSON.stringify(at(second)));
      const elsewhere = await start(stage, flags);
      const problem = "it was set for another address; set it again";
      expect((await elsewhere.getSettings()).keys.at(-1)).toEqual({ vendor: "harbour", place: "file", problem });
      await expect(elsewhere.testKey("harbour")).rejects.toThrow(problem);
      expect(await elsewhere.listModels()).toContainEqual({
        ...{ model: "harbour/pilot", available: false, current: false },
        reason: `its key can't be used: ${problem}`,
      });
      await elsewhere.close();
    }
    expect(servers[1]?.requests).toEqual([]);
    // As it was, in another form.
    writeFileSync(path, JSON.stringify(at(`${first}/`)));
    expect(await (await start(stage, [])).testKey("harbour")).toMatchObject({ works: true });
  });
});
