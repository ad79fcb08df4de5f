// `hawser chat` without a terminal: one message, one answer, for scripts and pipes. It starts a real runtime.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { findProcesses } from "../run-hawser.ts";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { hawserCommand, makeStage, runIn, startIn, textOfEvents, toEvents, toolsModule, writeFile } from "./agent-stage.ts";

it("starts its agent with the program that it is itself, without the launcher's look at the sources", async () => {
  const tool = `{ name: "where", description: "x", input: { type: "object" }, annotations: { readOnlyHint: true }, run: () => process.argv[1] }`;
  const stage = makeStage({ "where.mjs": `export const where = ${tool};` });
  const { stdout } = await runIn(stage, ["chat", "--json", "--tools", "where.mjs", "call where"]);
  expect(stdout).toContain(builtHawser);
});

describe.concurrent("one answer", () => {
  it("with no key: lists the files here and reads the README", async () => {
    const stage = makeStage({ "README.md": "# Harbour\n\nShips come and go.\n", "pier.txt": "x" });
    const { code, stdout, stderr } = await runIn(stage, ["chat", "list the files here and read the README"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("pier.txt");
    expect(stdout).toContain("Ships come and go.");
    expect(stdout.endsWith("\n")).toBe(true);
  });

  it("R121 text before and after a tool is parted by a blank line, with one line feed at the end", async () => {
    await using stack = new AsyncDisposableStack();
    const server = await startScriptedAnthropic([
      { text: "I look first.", calls: [{ id: "c", name: "list_files", input: { path: "." } }] },
      { text: "## What this is" },
    ]);
    stack.defer(() => server.close());
    const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url };
    const { code, stdout } = await runIn(makeStage(), ["chat", "--model", "anthropic/any", "go"], { env });
    expect([code, stdout]).toEqual([0, "I look first.\n\n## What this is\n"]);
  });

  it("words are one message, and a message from a pipe is read whole", async () => {
    const stage = makeStage();
    expect((await runIn(stage, ["chat", "what", "is", "12", "*", "34?"])).stdout).toContain("408");
    expect(await runIn(stage, ["chat"], { input: "what is\n2 * 21?\n" })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("42") as string,
    });
  });

  it("--json prints the events, one per line, and nothing else", async () => {
    const { code, stdout, stderr } = await runIn(makeStage({ "a.txt": "" }), ["chat", "--json", "list the files here"]);
    expect([code, stderr]).toEqual([0, ""]);
    const events = toEvents(stdout);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["token", "tool_use", "tool_result", "usage", "done"]));
    expect(events.find(({ type }) => type === "tool_use")).toMatchObject({ data: { toolName: "list_files" } });
    expect(events.at(-1)).toMatchObject({ type: "done" });
    expect(textOfEvents(events)).toContain("a.txt");
  });

  it("nobody to ask: what changes something is denied, stderr and the exit code say so, and the answer is complete", async () => {
    const stage = makeStage();
    for (const flags of [[], ["--json"]]) {
      const { code, stdout, stderr } = await runIn(stage, ["chat", ...flags, 'write "hello" to notes.txt']);
      expect(code).toBe(8);
      expect(stderr).toMatch(/^hawser: write_file was denied: .*there is no user to ask here.*\n$/);
      expect(stderr).toContain(`to "permissions" in ${join(stage.home, "config", "hawser", "agent.json")}`);
      expect(stdout).toContain("denied");
      expect(existsSync(join(stage.folder, "notes.txt"))).toBe(false);
    }
  });

  it("what was denied stands behind the answer where both go to one place", async () => {
    const { folder, env } = makeStage();
    const [program, ...words] = hawserCommand(["chat", 'write "hello" to notes.txt']);
    const script = 'exec "$@" 2>&1 < /dev/null';
    const failed: unknown = await promisify(execFile)("sh", ["-c", script, "sh", program, ...words], { cwd: folder, env }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 8, stdout: expect.stringMatching(/\nhawser: write_file was denied: .*\n$/) as string });
  });

  it("the file that could allow it, or name an agent, is the one that is in use", async () => {
    const stage = makeStage({ "own.json": "{}" });
    const own = `in ${join(realpathSync(stage.folder), "own.json")}`;
    const denied = await runIn(stage, ["chat", "--config", "own.json", 'write "hello" to notes.txt']);
    expect([denied.code, denied.stderr]).toEqual([8, expect.stringContaining(`to "permissions" ${own}`)]);
    const { stderr } = await runIn(stage, ["chat", "--config", "own.json", "--model", "acp/nope", "hello"]);
    expect(stderr).toContain(`"agents" ${own} can name others`);
  });

  it("a rule of the configuration allows it without anybody", async () => {
    const stage = makeStage({}, { permissions: [{ tool: "write_file", match: { path: "*.txt" }, decision: "allow" }] });
    expect(await runIn(stage, ["chat", 'write "hello" to notes.txt'])).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(true);
  });

  it("nobody to ask: a program that is named in the same line runs, with any arguments; another one, and what changes files, is still denied", async () => {
    const stage = makeStage({ "a.txt": "anchor" });
    const run = (flags: readonly string[], words: string): ReturnType<typeof runIn> => runIn(stage, ["chat", ...flags, words]);
    const allowed = await run(["--allow-command", "cat"], "run cat a.txt");
    expect(allowed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("anchor") as string });
    expect(await run(["--allow-command", "cat"], 'write "hello" to notes.txt')).toMatchObject({ code: 8 });
    expect(await run(["--allow-command", "cat", "--permissions", "deny"], "run cat a.txt")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("there is no user to ask here") as string,
    });
  });

  it("nobody to ask: programs of the configuration are not named in the same line, and its rules narrow those that are", async () => {
    const configured = makeStage({ "a.txt": "anchor" }, { allowedCommands: ["cat"] });
    expect(await runIn(configured, ["chat", "--allow-command", "ls", "run cat a.txt"])).toMatchObject({ code: 8 });
    const narrowed = makeStage({}, { permissions: [{ tool: "run_command", match: { args: ["*secret*"] }, decision: "deny" }] });
    const { code, stderr } = await runIn(narrowed, ["chat", "--allow-command", "cat", "run cat secret.txt"]);
    expect([code, stderr]).toEqual([8, expect.stringContaining("denies it") as string]);
  });

  it("tools of a module that is named from here are offered", async () => {
    const { stdout } = await runIn(makeStage(), ["chat", "--tools", toolsModule, "call greet with name=Ada"]);
    expect(stdout).toContain("Ahoy, Ada!");
  });
});

describe.concurrent("--demo", () => {
  it("offers the operations of a demo API of its own, and leaves nothing of it", async () => {
    const stage = makeStage();
    const { code, stdout, stderr } = await runIn(stage, ["chat", "--demo", "call gatewayInfo"], { env: { TMPDIR: stage.home } });
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("demo")]);
    expect(readdirSync(stage.home).filter((name) => name.includes("demo"))).toEqual([]);
  });

  it("a saved profile and a document in the folder are not mixed with it", async () => {
    const stage = makeStage({
      "openapi.json": JSON.stringify({ openapi: "3.1.0", info: {}, paths: { "/x": { get: { operationId: "other" } } } }),
    });
    const saved = { gatewayURL: "http://127.0.0.1:1", token: "secret-of-plant", authHeader: "Authorization", authPrefix: "Bearer" };
    writeFile(join(stage.home, "config", "igw", "config.json"), JSON.stringify({ activeProfile: "plant", profiles: { plant: saved } }));
    const { code, stdout, stderr } = await runIn(stage, ["chat", "--demo", "call gatewayInfo"]);
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("RUNNING")]);
  });

  const denied = { tool: "read_file", match: { path: "**/secret.txt" }, decision: "deny" };

  it("the usual configuration counts, its rules that deny too; only its gateway gives way to the demo", async () => {
    const stage = makeStage({ "secret.txt": "the word is plover" }, { permissions: [denied], gateway: { url: "http://127.0.0.1:1" } });
    const read = await runIn(stage, ["chat", "--demo", "read the file secret.txt"]);
    expect([read.code, read.stdout]).toEqual([8, expect.not.stringContaining("plover")]);
    const { code, stdout, stderr } = await runIn(stage, ["chat", "--demo", "call gatewayInfo"]);
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("RUNNING")]);
  });

  it("a configuration that is named counts with what was changed beside it, and its paths begin in its own folder", async () => {
    const stage = makeStage({
      "own/tools.mjs": `export const moor = { name: "moor", description: "moors", input: { type: "object" }, run: () => "moored" };`,
      "own/agent.json": JSON.stringify({ tools: ["tools.mjs"] }),
      "own/agent.local.json": JSON.stringify({ permissions: [denied] }),
      "secret.txt": "the word is plover",
    });
    const demo = ["chat", "--demo", "--config", "own/agent.json"];
    const read = await runIn(stage, [...demo, "read the file secret.txt"]);
    expect([read.code, read.stdout]).toEqual([8, expect.not.stringContaining("plover")]);
    const { stdout, stderr } = await runIn(stage, [...demo, "list the tools"]);
    expect([stderr, stdout]).toEqual(["", expect.stringMatching(/listTags[^]*`moor`|`moor`[^]*listTags/)]);
  });
});

describe.concurrent("conversations", () => {
  it("each message begins one; --continue goes on with the latest, --conversation with a named one, --list shows them", async () => {
    const stage = makeStage();
    await runIn(stage, ["chat", "--conversation", "harbour", "my name is Ada"]);
    await runIn(stage, ["chat", "my name is Grace"]);
    expect((await runIn(stage, ["chat", "--continue", "what is my name?"])).stdout).toContain("Grace");
    expect((await runIn(stage, ["chat", "--conversation", "harbour", "what is my name?"])).stdout).toContain("Ada");
    const listed = await runIn(stage, ["chat", "--list"]);
    expect(listed.stdout).toMatch(
      /^harbour {16,}\d{4}-\d\d-\d\d \d\d:\d\d {2}4 messages {2}my name is Ada\nchat-\d{8}-\d{6}-[0-9a-f]{4} .*Grace\n$/,
    );
    const asJson = toEvents((await runIn(stage, ["chat", "--list", "--json"])).stdout);
    expect(asJson).toMatchObject([{ conversationId: "harbour", messages: 4 }, { messages: 4 }]);
  });

  it("nothing to list or continue is said", async () => {
    const stage = makeStage();
    expect(await runIn(stage, ["chat", "--list"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("no conversations yet") as string,
    });
    expect(await runIn(stage, ["chat", "--continue", "hi"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no conversation to continue") as string,
    });
    expect(await runIn(stage, ["chat", "--continue", "--no-history", "hi"])).toMatchObject({ code: 2 });
  });
});

describe.concurrent("failures", () => {
  it("a mistake in flags or configuration ends with 2 and the runtime's own sentence, once", async () => {
    const stage = makeStage({}, { roots: 5 });
    const { code, stdout, stderr } = await runIn(stage, ["chat", "hi"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(`hawser: ${join(stage.home, "config", "hawser", "agent.json")}: roots must be a list\n`);
  });

  it("a home that can't be written is a mistake that names the flags which help, and they do", async () => {
    const { home, ...rest } = makeStage();
    writeFile(join(home, "file"), "");
    const stage = { ...rest, home, env: { ...rest.env, XDG_DATA_HOME: join(home, "file") } };
    expect(await runIn(stage, ["chat", "what is 6 * 7?"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^hawser: .*can't be used: .*--data-dir.*--no-history\n$/) as string,
    });
    expect(await runIn(stage, ["chat", "--no-history", "what is 6 * 7?"])).toMatchObject({ code: 0, stdout: "6 * 7 = 42\n" });
  });

  it("nothing to say is a mistake that says what to do", async () => {
    expect(await runIn(makeStage(), ["chat"], { input: " \n" })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/nothing to say; give a message: .*hawser chat/) as string,
    });
  });

  it("a model that has no key ends with its code; with --json the last line says why", async () => {
    const stage = makeStage();
    const args = ["chat", "--model", "openai/gpt-5", "hi"];
    expect(await runIn(stage, args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("OPENAI_API_KEY is not set") as string,
    });
    const { code, stdout } = await runIn(stage, [...args, "--json"]);
    expect(code).toBe(2);
    expect(toEvents(stdout).at(-1)).toMatchObject({
      type: "error",
      code: "usage",
      error: expect.stringContaining("OPENAI_API_KEY") as string,
    });
  });

  it("Ctrl-C while it works ends with 130 and leaves no process", async () => {
    const mark = `chat-test-${process.pid}-${Date.now()}`;
    const running = startIn(makeStage(), ["chat", "--json", "--tools", toolsModule, "call slow"], { HAWSER_TEST_MARK: mark });
    await running.printed('"tool_use"');
    running.process.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(findProcesses(mark) ?? []).toEqual([]);
  });

  it("G7: a reader that has gone ends it quietly", async () => {
    const running = startIn(makeStage(), ["chat", "help"]);
    running.process.stdout.destroy();
    running.process.stdin.end();
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
