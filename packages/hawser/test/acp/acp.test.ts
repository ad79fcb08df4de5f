// `hawser acp` as an editor uses it: the client of the official ACP library drives the real process.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client as acpClient, methods, ndJsonStream, type ClientContext, type SessionUpdate } from "@agentclientprotocol/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { hawserCommand, makeStage, mcpServer, runIn, startOnTerminal, toolsModule, writeFile, type Stage } from "../agent/agent-stage.ts";

interface Asked {
  readonly title: string | null | undefined;
  readonly options: readonly string[];
  readonly content: unknown;
}

interface Editor {
  readonly agent: ClientContext;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  readonly asked: Asked[];
  /** The option that is chosen; undefined leaves the question open. */
  answer: string | undefined;
  readonly temporary: string;
  say(sessionId: string, text: string): Promise<string>;
  textOf(sessionId: string): string;
  close(): Promise<number | null>;
}

const editors: Editor[] = [];
afterAll(() => Promise.all(editors.map((editor) => editor.close())));

async function start(stage: Stage, flags: readonly string[] = []): Promise<Editor> {
  const temporary = mkdtempSync(join(tmpdir(), "hawser-acp-test-"));
  const [command, ...args] = hawserCommand(["acp", ...flags]);
  const child = spawn(command, args, { cwd: "/", env: { ...stage.env, TMPDIR: temporary }, stdio: ["pipe", "pipe", "ignore"] });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const updates: Editor["updates"] = [];
  const asked: Asked[] = [];
  const connection = acpClient({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, async ({ params: { toolCall, options } }) => {
      asked.push({ title: toolCall.title, options: options.map(({ kind }) => kind), content: toolCall.content });
      if (editor.answer === undefined) return new Promise(() => {});
      return { outcome: { outcome: "selected", optionId: editor.answer } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  const textOf = (sessionId: string): string =>
    updates
      .filter((each) => each.sessionId === sessionId)
      .map(({ update }) => (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""))
      .join("");
  const editor: Editor = {
    agent,
    updates,
    asked,
    answer: "allow",
    temporary,
    async say(sessionId, text) {
      const before = textOf(sessionId).length;
      const { stopReason } = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      return stopReason === "end_turn" ? textOf(sessionId).slice(before) : stopReason;
    },
    textOf,
    async close() {
      child.stdin.end();
      return exited;
    },
  };
  editors.push(editor);
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  return editor;
}

async function newSession({ agent }: Editor, cwd: string, more: object = {}): Promise<string> {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...more });
  return sessionId;
}

describe.concurrent("an editor", () => {
  it("works in the folder of its session, wherever the process was started, and in two at once", async () => {
    const [one, two] = [makeStage({ "note.txt": "first" }), makeStage({ "note.txt": "second" })];
    const editor = await start(one);
    const sessions = [await newSession(editor, one.folder), await newSession(editor, two.folder)] as const;
    const [first, second] = await Promise.all(sessions.map((session) => editor.say(session, "read note.txt")));
    expect(first).toContain("first");
    expect(second).toContain("second");
  });

  it("is shown a change before it is asked, and nothing is written after a no or in the mode that only reads", async () => {
    const stage = makeStage({ "note.txt": "old" });
    const editor = await start(stage);
    const session = await newSession(editor, stage.folder);
    editor.answer = "deny";
    await editor.say(session, 'write "new" to note.txt');
    const diff = { type: "diff", path: join(stage.folder, "note.txt"), oldText: "old", newText: "new" };
    expect(editor.asked).toMatchObject([{ options: ["allow_once", "allow_always", "reject_once"] }]);
    expect(editor.asked[0]?.content).toMatchObject([diff, {}]);
    await editor.agent.request(methods.agent.session.setMode, { sessionId: session, modeId: "deny" });
    await editor.say(session, 'write "new" to note.txt');
    expect(editor.asked).toHaveLength(1);
    expect(readFileSync(join(stage.folder, "note.txt"), "utf8")).toBe("old");
    await editor.agent.request(methods.agent.session.setMode, { sessionId: session, modeId: "ask" });
    editor.answer = "allow";
    await editor.say(session, 'write "new" to note.txt');
    expect(readFileSync(join(stage.folder, "note.txt"), "utf8")).toBe("new");
  });

  it("is asked about a pipe without waiting for what it gives", async () => {
    const stage = makeStage();
    execFileSync("mkfifo", [join(stage.folder, "pipe")]);
    const editor = await start(stage);
    editor.answer = "deny";
    const session = await newSession(editor, stage.folder);
    expect(await editor.say(session, 'write "x" to pipe')).toContain("That did not work");
    expect(editor.asked[0]?.content).toMatchObject([{ type: "diff", oldText: null, newText: "x" }, {}]);
  });

  it("G18 is asked in the first turn whether it trusts a folder that brings something along, and works without it after a no", async () => {
    const stage = makeStage({ ".hawser/agent.json": JSON.stringify({ tools: [toolsModule] }), "AGENTS.md": "# Rules\n- Be brief.\n" });
    const editor = await start(stage);
    editor.answer = "deny";
    const session = await newSession(editor, stage.folder);
    expect(await editor.say(session, "list the tools")).not.toContain("greet");
    expect(editor.asked).toMatchObject([{ title: expect.stringContaining("trust_folder") as string }]);
    expect(JSON.stringify(editor.asked[0])).toContain(String.raw`bytes:\n  >     # Rules\n  >     - Be brief.`);
    const other = await start(stage);
    other.answer = "allow";
    expect(await other.say(await newSession(other, stage.folder), "list the tools")).toContain("greet");
  });

  it("G18 can cancel while it is asked about a folder, and the next prompt asks anew", async () => {
    const stage = makeStage({ ".hawser/agent.json": JSON.stringify({ tools: [toolsModule] }) });
    const editor = await start(stage);
    const session = await newSession(editor, stage.folder);
    editor.answer = undefined;
    const asking = editor.say(session, "list the tools");
    while (editor.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await asking).toBe("cancelled");
    editor.answer = "allow";
    expect(await editor.say(session, "list the tools")).toContain("greet");
    expect(editor.asked).toHaveLength(2);
  });

  it("brings its MCP servers as tools of that session alone", async () => {
    const stage = makeStage();
    const editor = await start(stage);
    const mcpServers = [{ name: "harbour", command: process.execPath, args: [mcpServer], env: [] }];
    const withServer = await newSession(editor, stage.folder, { mcpServers });
    expect(await editor.say(withServer, "list the tools")).toContain("harbour__tide");
    expect(await editor.say(await newSession(editor, stage.folder), "list the tools")).not.toContain("harbour__tide");
  });

  it("ends a prompt by a cancel that comes right behind it, and one that waits for an answer, and goes on", async () => {
    const stage = makeStage();
    const editor = await start(stage);
    const session = await newSession(editor, stage.folder);
    const early = editor.say(session, "hello");
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await early).toBe("cancelled");
    editor.answer = undefined;
    const asking = editor.say(session, 'write "x" to x.txt');
    while (editor.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await asking).toBe("cancelled");
    expect(existsSync(join(stage.folder, "x.txt"))).toBe(false);
    expect(await editor.say(session, "what is 2 + 3?")).toContain("5");
  });

  it("loads a session in a new process with its tool calls, resumes it without, lists, deletes it", async () => {
    const stage = makeStage({ "note.txt": "kept" });
    const first = await start(stage);
    const sessionId = await newSession(first, stage.folder);
    await first.say(sessionId, "read note.txt");
    expect(await first.close()).toBe(0);
    const { agent, updates, say } = await start(stage);
    const place = { sessionId, cwd: stage.folder, mcpServers: [] };
    await agent.request(methods.agent.session.resume, place);
    expect(updates).toEqual([]);
    await agent.request(methods.agent.session.load, place);
    expect(updates.map(({ update }) => update.sessionUpdate)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "agent_message_chunk",
    ]);
    expect(updates[2]?.update).toMatchObject({ kind: "read", status: "completed", locations: [{ path: join(stage.folder, "note.txt") }] });
    expect(await say(sessionId, "read note.txt")).toContain("kept");
    const list = async () => (await agent.request(methods.agent.session.list, { cwd: stage.folder })).sessions;
    expect(await list()).toMatchObject([{ sessionId, cwd: realpathSync(stage.folder), title: "read note.txt" }]);
    await agent.request(methods.agent.session.delete, { sessionId });
    expect(await list()).toEqual([]);
  });

  it("may put an image and a file into a prompt; an image is a private file that goes with the process", async () => {
    const stage = makeStage();
    const editor = await start(stage);
    const sessionId = await newSession(editor, stage.folder);
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { stopReason } = await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "hello" },
        { type: "image", data, mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///x.md", text: "```\ninside\n```" } },
      ],
    });
    expect(stopReason).toBe("end_turn");
    expect(readdirSync(editor.temporary)).not.toEqual([]);
    expect(await editor.close()).toBe(0);
    expect(readdirSync(editor.temporary)).toEqual([]);
  });

  it.each([
    ["a relative folder", "project"],
    ["a folder that is not there", "/nowhere/at/all"],
  ])("is refused %s", async (_what, cwd) => {
    const editor = await start(makeStage());
    await expect(newSession(editor, cwd)).rejects.toMatchObject({ code: -32_602 });
  });

  it("can choose a model for a session, and is refused one that is not there", async () => {
    const stage = makeStage();
    const { agent, say } = await start(stage);
    const { sessionId, configOptions } = await agent.request(methods.agent.session.new, { cwd: stage.folder, mcpServers: [] });
    expect(configOptions).toMatchObject([
      { id: "model", currentValue: "offline" },
      { id: "permissions", currentValue: "ask" },
    ]);
    const choose = (value: string) => agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value });
    await choose("offline");
    await expect(choose("nobody/knows")).rejects.toMatchObject({ code: -32_602 });
    expect(await say(sessionId, "what is 2 + 3?")).toContain("5");
  });

  it("sees the model that was chosen for it also when that can't be used, and what to do about it", async () => {
    const stage = makeStage();
    const { agent, say } = await start({ ...stage, env: { ...stage.env, PATH: stage.folder } }, ["--model", "acp/codex"]);
    const { sessionId, configOptions } = await agent.request(methods.agent.session.new, { cwd: stage.folder, mcpServers: [] });
    expect(configOptions).toMatchObject([{ id: "model", currentValue: "acp/codex" }, {}]);
    expect(JSON.stringify(configOptions)).toContain('"value":"acp/codex"');
    await expect(say(sessionId, "hello")).rejects.toMatchObject({ message: expect.stringContaining("npm install -g") as string });
    const { sessions } = await agent.request(methods.agent.session.list, {});
    expect(sessions).toMatchObject([{ sessionId }]);
    expect(sessions[0]).not.toHaveProperty("title");
  });
});

it.runIf(process.platform === "linux")("tells a person on a terminal whom it is for", async () => {
  const running = startOnTerminal(makeStage(), ["acp"]);
  await running.printed("acp --print zed prints what the editor needs");
  running.process.stdin.write("\u0004");
  expect(await running.ended).toMatchObject({ code: 0 });
});

it("answers every request that came before the end of its input, and writes nothing but the protocol to stdout, whatever a tool module prints", async () => {
  const stage = makeStage();
  writeFile(join(stage.home, "config", "hawser", "agent.json"), JSON.stringify({ tools: [toolsModule] }));
  const lines = [
    { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } },
    { jsonrpc: "2.0", id: "one", method: "session/new", params: { cwd: stage.folder, mcpServers: [] } },
    { jsonrpc: "2.0", id: 2, method: "session/list", params: {} },
    { jsonrpc: "2.0", id: 3, method: "no/such", params: {} },
  ];
  const { code, stdout } = await runIn(stage, ["acp"], { input: `${lines.map((line) => JSON.stringify(line)).join("\n")}\n` });
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: unknown });
  expect(answers.map(({ id }) => id)).toHaveLength(lines.length);
  expect(answers).toEqual(expect.arrayContaining(lines.map(({ id }) => expect.objectContaining({ jsonrpc: "2.0", id }) as unknown)));
});
