// Entries of the settings that a host edits without having seen their values, and MCP servers that the folders of a conversation bring
// along, through the real runtime.

import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { spawnAgent, type PermissionRequest, type SpawnedAgent } from "@hawser/agent/host";
import type { SettingsChanges } from "@hawser/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { hawserCommand, makeStage, mcpServer, writeFile, type Stage } from "./agent-stage.ts";

const started: SpawnedAgent[] = [];
afterAll(() => Promise.all(started.map((agent) => agent.close())));

async function start(stage: Stage, onPermission: (asked: PermissionRequest) => "allow" = () => "allow"): Promise<SpawnedAgent> {
  const [command, ...args] = hawserCommand(["agent", "--model=offline"]);
  const agent = await spawnAgent({ command, args, cwd: stage.folder, env: stage.env, restart: false, onStderr() {}, onPermission });
  started.push(agent);
  return agent;
}

const readConfig = ({ home }: Stage): unknown => JSON.parse(readFileSync(join(home, "config", "hawser", "agent.json"), "utf8"));

async function say(agent: SpawnedAgent, conversationId: string, message: string): Promise<string> {
  let text = "";
  for await (const event of agent.send({ message, metadata: { conversationId } })) if (event.type === "token") text += event.token;
  return text;
}

describe.concurrent("an entry that a host edits", () => {
  it("keeps the members and values that are not named, and loses those that are null", async () => {
    const far = { type: "sse", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer secret", Old: "x" }, disabled: true };
    const mine = { command: "mine", args: ["--acp"], env: { A: "1", B: "2" }, cwd: "/" };
    const stage = makeStage(
      {},
      { mcpServers: { far }, agents: { mine }, openaiServers: { harbour: { baseUrl: "http://127.0.0.1:9/v1" } } },
    );
    const agent = await start(stage);
    expect(agent.info?.capabilities).toContain("settings_edit");
    const { agents, mcpServers } = await agent.setSettings({
      mcpServers: { far: { url: "http://127.0.0.1:9/other", headers: { Old: null, New: "y" } } },
      agents: { mine: { args: null, env: { A: null } } },
      openaiServers: { harbour: { models: ["pilot"] } },
      merge: true,
    });
    expect(readConfig(stage)).toEqual({
      mcpServers: { far: { ...far, url: "http://127.0.0.1:9/other", headers: { Authorization: "Bearer secret", New: "y" } } },
      agents: { mine: { command: "mine", env: { B: "2" }, cwd: "/" } },
      openaiServers: { harbour: { baseUrl: "http://127.0.0.1:9/v1", models: ["pilot"] } },
    });
    expect(agents).toEqual([{ name: "mine", place: "mine", command: "mine", args: [], secrets: ["B"] }]);
    expect(mcpServers).toMatchObject([{ url: "http://127.0.0.1:9/other", secrets: ["Authorization", "New"] }]);
  });

  it("is refused, and nothing is written, where it is gone, where headers would go elsewhere, and where it can't be started with", async () => {
    const far = { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer secret" }, disabled: true };
    const login = { command: "x", args: ["http://ada:secret@127.0.0.1:9"], disabled: true };
    const stage = makeStage({}, { mcpServers: { far, login } });
    const before = readConfig(stage);
    const agent = await start(stage);
    const edit = (mcpServers: Record<string, unknown>) => agent.setSettings({ mcpServers, merge: true });
    await expect(edit({ gone: { command: "x" } })).rejects.toThrow("mcpServers has no gone any more");
    await expect(edit({ __proto__: null, ["toString"]: { command: "x" } })).rejects.toThrow("has no toString any more");
    await expect(edit({ far: { url: "http://127.0.0.1:10/mcp" } })).rejects.toThrow("give the values of Authorization anew");
    await expect(edit({ far: { url: null, headers: null } })).rejects.toThrow("mcpServers.far needs one of");
    expect(readConfig(stage)).toEqual(before);
    // Told without its login, so it could not be written back.
    const [, told] = (await agent.getSettings()).mcpServers;
    expect(told).toEqual({ name: "login", state: "off", place: "x http://127.0.0.1:9", secrets: [], tools: [] });
    await edit({ far: { url: "http://127.0.0.1:10/mcp", headers: { Authorization: "Bearer other" } } });
    expect(readConfig(stage)).toMatchObject({ mcpServers: { far: { headers: { Authorization: "Bearer other" } } } });
  });
});

describe.concurrent("what an entry proves itself with at its address", () => {
  const far = { type: "http", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer secret" }, disabled: true };
  const fleet = { fleet: "nats://127.0.0.1:9", credentials: "quay.creds", disabled: true };
  const program = { command: "x", headers: { Authorization: "Bearer left" }, disabled: true };
  const harbour = { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "HARBOUR_KEY" };

  it("goes to no other one in two steps either: the address can't go, come or change while it stays", async () => {
    const stage = makeStage({}, { mcpServers: { far, fleet, program }, openaiServers: { harbour } });
    const before = readConfig(stage);
    const agent = await start(stage);
    const [url, elsewhere] = ["http://127.0.0.1:10/mcp", { baseUrl: "http://127.0.0.1:10/v1" }];
    const refused: [SettingsChanges, string][] = [
      [{ mcpServers: { far: { type: null, url: null, command: "true" } } }, "far.url is not the same address then"],
      [{ mcpServers: { far: { url, headers: { Other: "x" } } } }, "give the values of Authorization anew, or take that away"],
      [{ mcpServers: { far: { url: "HTTP://127.0.0.1:9@127.0.0.1:10/mcp" } } }, "holds a name or password"],
      [{ mcpServers: { program: { command: null, url } } }, "program.url is not the same address then"],
      [{ mcpServers: { fleet: { fleet: "nats://127.0.0.1:10" } } }, "fleet.fleet is not the same address then: give credentials anew"],
      [{ openaiServers: { harbour: elsewhere } }, "harbour.baseUrl is not the same address then: give apiKeyEnv anew"],
    ];
    for (const [changes, sentence] of refused) await expect(agent.setSettings({ ...changes, merge: true })).rejects.toThrow(sentence);
    expect(readConfig(stage)).toEqual(before);
    await agent.setSettings({
      mcpServers: { far: { type: null, url: null, command: "true", headers: null } },
      openaiServers: { harbour: { ...elsewhere, apiKeyEnv: null } },
      merge: true,
    });
    await agent.setSettings({ mcpServers: { far: { command: null, url } }, merge: true });
    expect(readConfig(stage)).toEqual({
      mcpServers: { far: { url, disabled: true }, fleet, program },
      openaiServers: { harbour: elsewhere },
    });
  });

  it("stays where only the path of the address changes, and where it is given anew", async () => {
    const stage = makeStage({}, { mcpServers: { far }, openaiServers: { harbour } });
    const agent = await start(stage);
    const [url, baseUrl] = ["http://127.0.0.1:9/other", "http://127.0.0.1:9/v2"];
    await agent.setSettings({ mcpServers: { far: { url } }, openaiServers: { harbour: { baseUrl } }, merge: true });
    expect(readConfig(stage)).toEqual({ mcpServers: { far: { ...far, url } }, openaiServers: { harbour: { ...harbour, baseUrl } } });
    const anew = { baseUrl: "http://127.0.0.1:10/v1", apiKeyEnv: "HARBOUR_KEY" };
    await agent.setSettings({ openaiServers: { harbour: anew }, merge: true });
    expect(readConfig(stage)).toMatchObject({ openaiServers: { harbour: anew } });
  });
});

describe.concurrent("an MCP server that a trusted folder brings along", () => {
  it("is told with its state, tools and error, is restarted, and is none of the configuration's", async () => {
    const stage = makeStage();
    const folder = join(realpathSync(stage.home), "quay");
    mkdirSync(folder);
    const tides = { command: process.execPath, args: [mcpServer], env: { TIDES: "secret" }, disabledTools: ["tide"] };
    writeFile(join(folder, ".hawser", "agent.json"), JSON.stringify({ mcpServers: { tides, broken: { command: "no-such-program" } } }));
    const agent = await start(stage);
    await agent.setWorkspace("one", { folders: [folder] });
    await say(agent, "one", "what is 1 + 1?");
    const connected = {
      ...{ folder, name: "tides", state: "connected", place: `${process.execPath} ${mcpServer}` },
      ...{ command: process.execPath, args: [mcpServer], secrets: ["TIDES"] },
      tools: [{ name: "tide", description: "Says the tide.", on: false }],
    };
    const { mcpServers, folderServers } = await agent.getSettings("one");
    expect(mcpServers).toEqual([]);
    expect(folderServers).toEqual([
      connected,
      expect.objectContaining({ folder, name: "broken", state: "failed", reason: expect.stringContaining("no-such-program") }),
    ]);
    const again = await agent.restartServer("tides", { conversationId: "one", folder });
    expect(again.folderServers?.[0]).toEqual(connected);
    await expect(agent.restartServer("tides", { conversationId: "two", folder })).rejects.toThrow("works in no folder of this name");
    await expect(agent.restartServer("tides")).rejects.toThrow("no MCP server of this name is in use");
    expect((await agent.getSettings()).folderServers).toBeUndefined();
    expect((await agent.getSettings("two")).folderServers).toEqual([]);
  });
});

describe.concurrent("the question about an edit", () => {
  it("shows the lines around it with their numbers, and only the arguments where the edit would fail", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
    const stage = makeStage({ "log.txt": `${lines.join("\n")}\n`, "dos.txt": "one\r\ntwo\r\nthree" });
    const asked: PermissionRequest[] = [];
    const agent = await start(stage, (request) => (asked.push(request), "allow"));
    expect(agent.info?.capabilities).toContain("diff_lines");
    await say(agent, "one", 'replace "line 30" with "thirty" in log.txt');
    await say(agent, "one", 'replace "two" with "2" in dos.txt');
    await say(agent, "one", 'replace "nowhere" with "2" in dos.txt');
    const part = lines.slice(26, 33).map((line) => `${line}\n`);
    expect(asked.map(({ diffs }) => diffs)).toEqual([
      [
        {
          path: "log.txt",
          line: 27,
          oldText: part.join(""),
          newText: part.join("").replace("line 30", "thirty"),
        },
      ],
      [{ path: "dos.txt", line: 1, oldText: "one\ntwo\nthree", newText: "one\n2\nthree" }],
      undefined,
    ]);
  });
});
