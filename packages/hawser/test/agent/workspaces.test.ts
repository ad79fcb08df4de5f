// Conversations in folders of their own, through the real runtime: whose files a tool reads, what a folder brings along before and
// after its user trusts it, and what is left of it after a restart.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnAgent, type PermissionRequest, type SpawnedAgent } from "@hawser/agent/host";
import { afterAll, describe, expect, it } from "vitest";
import { hawserCommand, makeStage, mcpServer, writeFile, type Stage } from "./agent-stage.ts";

interface Started {
  readonly agent: SpawnedAgent;
  readonly questions: PermissionRequest[];
}

// Tests here run side by side, where a hook of one test would not know whose it is.
const started: SpawnedAgent[] = [];
afterAll(() => Promise.all(started.map((agent) => agent.close())));

async function start(stage: Stage, answer: "allow" | "deny" = "allow", flags: readonly string[] = []): Promise<Started> {
  const questions: PermissionRequest[] = [];
  const [command, ...args] = hawserCommand(["agent", ...flags]);
  const agent = await spawnAgent({
    command,
    args,
    cwd: stage.folder,
    env: stage.env,
    restart: false,
    onStderr() {},
    onPermission(request) {
      questions.push(request);
      return answer;
    },
  });
  started.push(agent);
  return { agent, questions };
}

/** A folder beside the stage's own, with these files. */
function makeFolder(stage: Stage, files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(stage.home, "project-")));
  for (const [path, content] of Object.entries(files)) writeFile(join(folder, path), content);
  return folder;
}

async function ask(agent: SpawnedAgent, conversationId: string, message: string): Promise<string> {
  let text = "";
  for await (const event of agent.send({ message, metadata: { conversationId } })) if (event.type === "token") text += event.token;
  return text;
}

const settings = (content: object): Record<string, string> => ({ ".hawser/agent.json": JSON.stringify(content) });

const tideServer = { harbour: { command: process.execPath, args: [mcpServer] } };

describe.concurrent("a conversation with folders of its own", () => {
  it("reads files there, relative to the first; another conversation stays in the folders of the runtime", async () => {
    const stage = makeStage({ "note.txt": "of the runtime" });
    const folder = makeFolder(stage, { "note.txt": "of the project" });
    const { agent, questions } = await start(stage);
    await agent.setWorkspace("one", { folders: [folder] });
    expect(await ask(agent, "one", "read note.txt")).toContain("of the project");
    expect(await ask(agent, "two", "read note.txt")).toContain("of the runtime");
    expect(questions).toEqual([]);
    expect(await agent.listConversations()).toMatchObject([{ conversationId: "two" }, { conversationId: "one", folder }]);
  });

  it("G13 can't reach the folders of the runtime, nor those of another conversation", async () => {
    const stage = makeStage({ "note.txt": "of the runtime" });
    const folder = makeFolder(stage, {});
    const { agent } = await start(stage);
    await agent.setWorkspace("one", { folders: [folder] });
    expect(await ask(agent, "one", `read ${join(stage.folder, "note.txt")}`)).not.toContain("of the runtime");
    await expect(ask(agent, "one", `read ${join(stage.folder, "note.txt")}`)).resolves.toContain("outside of the allowed folders");
  });

  it("G12 keeps its folders over a restart, also through clear_history", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, { "note.txt": "of the project" });
    const first = await start(stage);
    await first.agent.setWorkspace("one", { folders: [folder] });
    await first.agent.clearHistory({ conversationId: "one" });
    await first.agent.close();
    const { agent } = await start(stage);
    expect(await ask(agent, "one", "read note.txt")).toContain("of the project");
  });

  it("is told when a folder is gone, and works again when it is back", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, {});
    const inner = join(folder, "inner");
    mkdirSync(inner);
    const first = await start(stage);
    await first.agent.setWorkspace("one", { folders: [inner] });
    await first.agent.close();
    const { agent } = await start(stage);
    rmdirSync(inner);
    await expect(ask(agent, "one", "list the files here")).rejects.toMatchObject({ code: "usage" });
    mkdirSync(inner);
    writeFileSync(join(inner, "back.txt"), "");
    expect(await ask(agent, "one", "list the files here")).toContain("back.txt");
  });

  it.each([
    ["none", []],
    ["a relative path", ["project"]],
    ["a folder that does not exist", ["/nowhere/at/all"]],
    ["too many", Array.from({ length: 17 }, () => "/tmp")],
    ["a NUL", ["/tmp/\0"]],
    ["an endless path", [`/${"x".repeat(5_000)}`]],
  ])("refuses %s as folders with one error, and stays where it was", async (_what, folders) => {
    const stage = makeStage({ "note.txt": "of the runtime" });
    const { agent } = await start(stage);
    await expect(agent.setWorkspace("one", { folders })).rejects.toThrow(/folder/);
    expect(await ask(agent, "one", "read note.txt")).toContain("of the runtime");
  });

  it("has the MCP servers that its host gives it, alone, and not after a restart", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, {});
    const first = await start(stage);
    await first.agent.setWorkspace("one", { folders: [folder], mcpServers: tideServer });
    await first.agent.setWorkspace("two", { folders: [folder] });
    expect(await ask(first.agent, "one", "list the tools")).toContain("harbour__tide");
    expect(await ask(first.agent, "two", "list the tools")).not.toContain("harbour__tide");
    await first.agent.close();
    const { agent } = await start(stage);
    expect(await ask(agent, "one", "list the tools")).not.toContain("harbour__tide");
  });
});

describe.concurrent("what a folder brings along", () => {
  const tools = `import { appendFileSync } from "node:fs";
appendFileSync(new URL("../loaded", import.meta.url), "x");
export const depth = { name: "depth", description: "Says the depth.", input: { type: "object" }, run: () => "4 m" };\n`;
  const all = { tools: ["tools.mjs"], instructions: "Say ahoy.", mcpServers: tideServer };
  const files = { ...settings(all), ".hawser/tools.mjs": tools };

  it("G18 does not count and does not run before its user says so, and counts from then on, also in the next process", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, files);
    const denied = await start(stage, "deny");
    await denied.agent.setWorkspace("one", { folders: [folder] });
    expect(await ask(denied.agent, "one", "list the tools")).not.toMatch(/depth|harbour__tide/);
    expect(existsSync(join(folder, "loaded"))).toBe(false);
    // Once is enough for one process.
    await denied.agent.setWorkspace("two", { folders: [folder] });
    expect(denied.questions).toHaveLength(1);
    expect(denied.questions[0]).toMatchObject({ toolName: "trust_folder", input: { folder } });
    expect(JSON.stringify(denied.questions[0]?.input)).toMatch(/mcp-server\.mjs[^]*tools\.mjs[^]*Say ahoy/);
    await denied.agent.close();

    const allowed = await start(stage, "allow");
    await allowed.agent.setWorkspace("three", { folders: [folder] });
    const offered = await ask(allowed.agent, "three", "list the tools");
    expect(offered).toContain("depth");
    expect(offered).toContain("harbour__tide");
    expect(allowed.questions).toHaveLength(1);
    await allowed.agent.close();

    const later = await start(stage, "deny");
    expect(await ask(later.agent, "three", "list the tools")).toContain("depth");
    expect(later.questions).toEqual([]);
  });

  it("G18 is asked about anew when it has changed, a tool module included", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, files);
    const first = await start(stage);
    await first.agent.setWorkspace("one", { folders: [folder] });
    await first.agent.close();
    writeFileSync(join(folder, ".hawser/tools.mjs"), `${tools}// changed`);
    const { agent, questions } = await start(stage, "deny");
    expect(await ask(agent, "one", "list the tools")).not.toContain("depth");
    await agent.setWorkspace("one", { folders: [folder] });
    expect(questions).toHaveLength(1);
  });

  it("G18 in the folder of the runtime counts with --trust, and not without it, where no host is asked", async () => {
    const stage = makeStage(files);
    const plain = await start(stage);
    expect(await ask(plain.agent, "default", "list the tools")).not.toContain("depth");
    expect(plain.questions).toEqual([]);
    await plain.agent.close();
    const { agent } = await start(stage, "deny", ["--trust"]);
    expect(await ask(agent, "default", "list the tools")).toContain("depth");
  });

  it("G18 can narrow what is allowed and never widen it", async () => {
    const stage = makeStage({}, { permissions: [{ tool: "read_file", match: { path: "*.md" }, decision: "deny" }] });
    const rules = [
      { tool: "read_file", match: { path: "secret.txt" }, decision: "deny" },
      { tool: "write_file", decision: "allow" },
      { tool: "read_file", match: { path: "plan.md" }, decision: "allow" },
    ];
    const folder = makeFolder(stage, { ...settings({ permissions: rules }), "secret.txt": "no", "open.txt": "yes", "plan.md": "hidden" });
    const { agent, questions } = await start(stage);
    await agent.setWorkspace("one", { folders: [folder] });
    expect(await ask(agent, "one", "read open.txt")).toContain("yes");
    expect(await ask(agent, "one", "read secret.txt")).toContain("denied");
    expect(await ask(agent, "one", "read plan.md")).not.toContain("hidden");
    await ask(agent, "one", 'write "x" to new.txt');
    expect(questions.map(({ toolName }) => toolName)).toEqual(["trust_folder", "write_file"]);
  });

  it("is refused with the file's name when it is broken, and costs no runtime that starts in it", async () => {
    const stage = makeStage({ ".hawser/agent.json": "{", "note.txt": "here" });
    const { agent } = await start(stage);
    expect(await ask(agent, "default", "read note.txt")).toContain("here");
    await expect(agent.setWorkspace("one", { folders: [stage.folder] })).rejects.toThrow("agent.json");
  });

  it("through a link is trusted under the folder's real name", async () => {
    const stage = makeStage();
    const folder = makeFolder(stage, files);
    const link = join(stage.home, "link");
    symlinkSync(folder, link);
    const { agent, questions } = await start(stage);
    await agent.setWorkspace("one", { folders: [link] });
    await agent.setWorkspace("two", { folders: [folder] });
    expect(questions).toHaveLength(1);
    const trusted = readFileSync(join(stage.home, "data", "hawser", "trusted-folders.json"), "utf8");
    expect(JSON.parse(trusted)).toMatchObject({ trusted: [{ folder }] });
  });
});
