// `hawser agent` as a host starts it: what it prints, what it takes from flags and configuration, and what it
// says when something is wrong with them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startDemoApi } from "@hawser/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  makeStage,
  mcpServer,
  runIn,
  startIn,
  textOfEvents,
  toEvents,
  toolsModule,
  writeFile,
  type Ended,
  type Stage,
} from "./agent-stage.ts";

const say = (message: string, index: number): string => `${JSON.stringify({ id: `test-${index + 1}`, kind: "user_message", message })}\n`;

/** Several messages are said one after the other, in one conversation of one process, once `lateTool` is offered if one is named. */
async function ask(
  stage: Stage,
  message: string | readonly string[],
  args: readonly string[] = [],
  lateTool = "",
): Promise<Ended & { events: Record<string, unknown>[]; text: string }> {
  const running = startIn(stage, ["agent", ...args]);
  let said = 0;
  // The end of the input would begin the time in which all must be done, and the machine may be busy.
  async function sayAll(messages: readonly string[]): Promise<string> {
    running.process.stdin.write(messages.map((text) => say(text, said++)).join(""));
    for (const _ of messages) await running.printed(/"type":"(?:done|error)"/);
    return textOfEvents(toEvents(running.stdout));
  }
  try {
    // Tools from elsewhere are waited for, but not for ever.
    for (let text = ""; !text.includes(lateTool);) text = await sayAll(["list the tools"]);
    await sayAll([message].flat());
  } catch {
    // It has ended by itself, which is what some tests are about.
  }
  running.process.stdin.end();
  const ended = await running.ended;
  const events = toEvents(ended.stdout);
  return { ...ended, events, text: textOfEvents(events) };
}

describe.concurrent("the protocol", () => {
  it("R141: the manual test of the contract: start, paste the line, see the stream", async () => {
    const running = startIn(makeStage(), ["agent"]);
    await running.printed('{"type":"ready"');
    running.process.stdin.write('{"id":"test-1","kind":"user_message","message":"Hello"}\n');
    await running.printed('"type":"token"');
    await running.printed('"type":"done"');
    running.process.stdin.end();
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, ""]);
    const events = toEvents(stdout);
    expect(events[0]).toMatchObject({ type: "ready", version: "1.0.0", model: "offline", build: "0.1.0" });
    expect(events.slice(1).map(({ id }) => id)).toEqual(events.slice(1).map(() => "test-1"));
    expect(events.at(-1)).toMatchObject({ type: "done" });
    expect(textOfEvents(events)).toContain("Hello!");
  });

  it("R143: --debug-protocol prints [SEND] with type and id to stderr, and stdout stays clean", async () => {
    const { stderr, events } = await ask(makeStage(), "what is 12 * 34?", ["--debug-protocol"]);
    expect(stderr).toMatch(/^\[SEND\] ready /m);
    expect(stderr).toMatch(/^\[RECV\] user_message test-1 /m);
    expect(stderr).toMatch(/^\[SEND\] done test-1 /m);
    expect(textOfEvents(events)).toContain("408");
  });
});

describe.concurrent("--tool-failure", () => {
  it("H35: fatal makes a failed tool the end of its turn; without it the model reads the failure", async () => {
    const module = `export const sinks = { name: "sinks", description: "x", input: { type: "object" }, annotations: { readOnlyHint: true }, run() { throw new Error("leak"); } };`;
    const stage = makeStage({ "tools.mjs": module });
    const fatal = await ask(stage, "call sinks", ["--tools", "tools.mjs", "--tool-failure", "fatal"]);
    expect(fatal.events.at(-1)).toMatchObject({ type: "error", code: "tool_failed", error: expect.stringContaining("leak") as string });
    const result = await ask(stage, "call sinks", ["--tools", "tools.mjs"]);
    expect(result.events.at(-1)).toMatchObject({ type: "done" });
    expect(result.events.find(({ type }) => type === "tool_result")).toMatchObject({ data: { isError: true } });
  });
});

describe.concurrent("roots", () => {
  it("the working directory is the root; nothing outside of it is read", async () => {
    const stage = makeStage({ "inside.txt": "inside" });
    writeFile(join(stage.home, "outside.txt"), "outside");
    const { text } = await ask(stage, ["list the files here", `read the file ${join(stage.home, "outside.txt")}`]);
    expect(text).toContain("inside.txt");
    expect(text).toContain("outside of the allowed folders");
  });

  it("the home folder itself is refused unless it is given", async () => {
    const stage = makeStage();
    const atHome = { ...stage, folder: stage.home };
    const refused = await runIn(atHome, ["agent"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/^hawser: the working directory .* is your home folder, or holds it; .*--root/);
    writeFile(join(stage.home, "here.txt"), "x");
    expect((await ask(atHome, "list the files here", ["--root", stage.home])).text).toContain("here.txt");
    expect((await runIn({ ...stage, folder: "/" }, ["agent"])).code).toBe(2);
  });

  it("a root that does not exist is a mistake, before anything is served", async () => {
    const { code, stdout, stderr } = await runIn(makeStage(), ["agent", "--root", "nowhere"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("nowhere");
  });
});

describe.concurrent("configuration", () => {
  it("a mistake in the file ends with 2 and one sentence with the file and the key", async () => {
    const stage = makeStage({}, { model: 5 });
    const file = join(stage.home, "config", "hawser", "agent.json");
    expect(await runIn(stage, ["agent"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `hawser: ${file}: model must be a text that is not empty\n`,
    });
  });

  it("what the file does not know is a warning on stderr, and the agent works", async () => {
    const { code, stderr, text } = await ask(makeStage({}, { colour: "blue" }), "what is 1 + 1?");
    expect(code).toBe(0);
    expect(stderr).toContain("agent.json: colour means nothing");
    expect(text).toContain("2");
  });

  it("a model that can't be is a mistake", async () => {
    const { code, stderr } = await runIn(makeStage(), ["agent", "--model", "nonsense/x"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^hawser: --model: /);
  });

  it("--config names another file; roots, commands and rules of it count, and --allow-command adds to them", async () => {
    const stage = makeStage({ "project/a.txt": "a", "other.json": "" });
    const config = {
      roots: ["./project"],
      allowedCommands: ["echo"],
      permissions: [
        { tool: "run_command", match: { command: "echo" }, decision: "allow" },
        { tool: "run_command", match: { command: "printf" }, decision: "allow" },
      ],
    };
    writeFile(join(stage.folder, "other.json"), JSON.stringify(config));
    const flags = ["--config", "other.json", "--allow-command", "printf"];
    const { text } = await ask(stage, ["list the files here", "run echo ahoy there", "run printf also-this"], flags);
    expect(text).toContain("a.txt");
    expect(text).not.toContain("other.json");
    expect(text).toContain("ahoy there\n");
    expect(text).toContain("also-this");
  });
});

describe.concurrent("history", () => {
  it("goes to the data folder, for its owner alone; with --no-history nothing of it is written", async () => {
    const stage = makeStage();
    await ask(stage, "my name is Ada");
    expect(readdirSync(join(stage.home, "data", "hawser", "conversations")).length).toBeGreaterThan(0);
    expect((await ask(stage, "what is my name?")).text).toContain("Ada");
    const other = makeStage();
    await ask(other, "my name is Ada", ["--no-history"]);
    expect(existsSync(join(other.home, "data", "hawser", "conversations"))).toBe(false);
    await ask(other, "my name is Ada", ["--data-dir", "mine"]);
    expect(readdirSync(join(other.folder, "mine"))).toContain("conversations");
  });
});

describe.concurrent("tools from elsewhere", () => {
  it("those of a user's module are offered; what it prints does not reach stdout", async () => {
    const { text, stderr, events } = await ask(makeStage(), "call greet with name=Ada", ["--tools", toolsModule]);
    expect(text).toContain("Ahoy, Ada!");
    expect(events[0]).toMatchObject({ type: "ready" });
    expect(stderr).toContain("printed while the module is loaded");
  });

  it("a flag that names no module is a mistake, and said at once", async () => {
    const { code, stderr } = await ask(makeStage(), "hello", ["--tools", "nowhere.ts"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is no module .*nowhere\.ts/);
  });

  it("a module that can't be loaded costs its tools and a line on stderr", async () => {
    const { code, text, stderr } = await ask(makeStage({}, { tools: ["./missing.ts"] }), "what is 2 + 2?");
    expect([code, text]).toEqual([0, expect.stringContaining("4")]);
    expect(stderr).toMatch(/no tools of .*missing\.ts: there is no file/);
  });

  it("those of an MCP server are offered, and asked about", async () => {
    const config = {
      mcpServers: { harbour: { command: process.execPath, args: [mcpServer] } },
      permissions: [{ tool: "harbour__*", decision: "allow" }],
    };
    const tide = (stage: Stage, args: readonly string[]) => ask(stage, "call harbour__tide", args, "harbour__tide");
    expect((await tide(makeStage({}, config), [])).text).toContain("high tide at noon");
    expect((await tide(makeStage({}, { ...config, permissions: [] }), ["--permissions", "deny"])).text).toContain("denied");
  });

  it("get_status says how each MCP server is, and why one is broken", async () => {
    const servers = { harbour: { command: process.execPath, args: [mcpServer] }, wreck: { command: "/nowhere/wreck" } };
    const running = startIn(makeStage({}, { mcpServers: servers }), ["agent"]);
    onTestFinished(() => void running.process.kill());
    for (let at = 0; at < 2_000 && !/"connected".*"failed"/.test(running.stdout.trim().split("\n").at(-1) ?? ""); at++) {
      running.process.stdin.write(`{"id":"s${at}","kind":"get_status"}\n`);
      await running.printed('"type":"status"');
    }
    expect(toEvents(running.stdout).at(-1)).toMatchObject({
      data: {
        servers: [
          { name: "harbour", state: "connected" },
          { name: "wreck", state: "failed", reason: expect.stringContaining("/nowhere/wreck") as string },
        ],
      },
    });
  });

  it("operations of an HTTP API are offered", async () => {
    const api = await startDemoApi();
    try {
      const stage = makeStage({}, { gateway: { url: api.url } });
      const withToken = { ...stage, env: { ...stage.env, IGNITION_API_TOKEN: api.token } };
      const { text, stderr } = await ask(withToken, "call gatewayInfo", [], "gatewayInfo");
      expect([text, stderr]).toEqual([expect.stringContaining("demo"), ""]);
    } finally {
      await api.stop();
    }
  });
});

describe.concurrent("permissions", () => {
  it.each([
    ["there is a file of that name", { "notes.txt": "old" }, true],
    ["there is none", {}, false],
  ])("a question about a file that is written says whether it is replaced: %s", async (_which, files, replaces) => {
    const running = startIn(makeStage(files), ["agent"]);
    onTestFinished(() => void running.process.kill());
    running.process.stdin.write(`${JSON.stringify({ id: "1", kind: "user_message", message: 'write "hello" to notes.txt' })}\n`);
    await running.printed('"type":"permission_request"');
    expect(toEvents(running.stdout).find(({ type }) => type === "permission_request")).toMatchObject({
      data: { toolName: "write_file", replaces },
    });
  });

  it("a command that is not allowed is refused without a question, and the refusal says how it could be allowed", async () => {
    const { events } = await ask(makeStage(), "run touch x", ["--allow-command", "sleep"]);
    expect(events.map(({ type }) => type)).not.toContain("permission_request");
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      data: {
        isError: true,
        error: expect.stringMatching(
          /^the command "touch" is not allowed; allowed are: sleep\..*--allow-command.*settings.*allowedCommands/,
        ) as string,
      },
    });
  });

  it("--permissions deny denies what changes something, the turn goes on, and the decision is in the audit log", async () => {
    const stage = makeStage();
    const { code, events } = await ask(stage, 'write "hello" to notes.txt', ["--permissions", "deny"]);
    expect(code).toBe(0);
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      data: { isError: true, error: expect.stringMatching(/^denied/) as string },
    });
    expect(events.at(-1)).toMatchObject({ type: "done" });
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(false);
    const [line = ""] = readFileSync(join(stage.home, "data", "hawser", "audit.jsonl"), "utf8").split("\n");
    expect(JSON.parse(line)).toMatchObject({ toolName: "write_file", decision: "deny" });
  });
});
