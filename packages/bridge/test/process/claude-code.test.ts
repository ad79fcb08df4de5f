// The real Claude Code command line, with a scripted model in place of the real one, calling functions of
// this process through the bridge.

import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { toClientCommand, type IPCSession } from "../../src/internal.ts";
import { startScriptedModel, type Conversation, type ToolResultBlock } from "../fixtures/process-model.ts";
import { defineTool, it } from "./bridges.ts";
import { until } from "../../../../test/kit/until.ts";
import { bundledBridge } from "./raw-parent.ts";

const packageName = `claude-agent-sdk-${process.platform}-${process.arch}`;
const binary = join(import.meta.dirname, `../../../../node_modules/@anthropic-ai/${packageName}/claude`);
const hasBinary = fs.existsSync(binary);
if (!hasBinary) console.log(`the command line of Claude Code is not tested: @anthropic-ai/${packageName} is not installed`);

const input = { type: "object" } as const;
const either = {
  oneOf: [
    { properties: { city: { type: "string" } }, required: ["city"] },
    { properties: { zip: { type: "number" } }, required: ["zip"] },
  ],
};
const tools = [
  defineTool({ name: "whoami", description: "The process.", input, run: () => `process ${process.pid}` }),
  defineTool({ name: "fails", description: "", input, run: () => Promise.reject(new RangeError("the table is empty; load it first")) }),
  defineTool({ name: "either", description: "", input: either, run: (args) => JSON.stringify(args) }),
  defineTool({
    name: "files.read all",
    description: "",
    input: { type: "object", properties: { any: true } },
    run: () => "by its own name",
  }),
  defineTool({ name: "large", description: "", input, run: () => "L".repeat(5_000_000) }),
];
/** What the model calls, by the names that it is offered. */
const uses: Readonly<Record<string, object>> = { whoami: {}, fails: {}, either: { zip: 1010 }, files_read_all: { any: [1] }, large: {} };

/** Bridges of a session that run now, found by their arguments. */
function findBridges({ schemaPath }: IPCSession): number[] {
  return fs.readdirSync("/proc").flatMap((entry) => {
    try {
      const [, file, ...args] = fs.readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      return file === bundledBridge && args.includes(schemaPath) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

interface Run {
  readonly stdout: string;
  readonly conversations: readonly Conversation[];
  /** Bridges that ran while the model was asked. */
  readonly bridges: readonly number[];
}

/** One run of the command line, whose model calls every tool at once and is then done. */
async function runClaude(session: IPCSession, home: string): Promise<Run> {
  const conversations: Conversation[] = [];
  const bridges = new Set<number>();
  const model = await startScriptedModel((conversation) => {
    if (conversation.tools.length === 0) return [{ type: "text", text: "a title" }];
    conversations.push(conversation);
    for (const pid of findBridges(session)) bridges.add(pid);
    if (conversation.results.length > 0) return [{ type: "text", text: "that is all" }];
    return Object.entries(uses).map(([name, args]) => ({
      type: "tool_use",
      id: `toolu_${name}`,
      name: `mcp__hawser__${name}`,
      input: args,
    }));
  });
  const options = ["--strict-mcp-config", "--setting-sources", "", "--allowedTools", "mcp__hawser__*", "--model", "claude-sonnet-4-5"];
  try {
    const stdout = await runCommand(session, home, ["-p", "Use the tools.", ...options], model.url);
    return { stdout, conversations, bridges: [...bridges] };
  } finally {
    await model.close();
  }
}

/** The command line with the session's tools added; what it prints. */
async function runCommand(session: IPCSession, home: string, args: readonly string[], modelUrl: string): Promise<string> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const added = toClientCommand(binary, "hawser", session.mcpServerConfig)?.args ?? [];
  const { stdout } = await promisify(execFile)(binary, [...added, ...args], { cwd: home, timeout: 150_000, env });
  return stdout;
}

const textOf = ({ content }: ToolResultBlock): string =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");

describe.runIf(hasBinary)("Claude Code", { timeout: 180_000 }, () => {
  it("R57 R60 R61 R22 R46 H18: offers every tool at once, calls functions of this process, shows the model failures and large results, leaves no bridge", async ({
    directory,
    serve,
  }) => {
    const session = await serve(tools, { alwaysLoad: true });
    const { stdout, conversations, bridges } = await runClaude(session, directory);
    expect(stdout).toContain("that is all");

    const offered = conversations[0]!.tools.filter(({ name }) => name.startsWith("mcp__"));
    const expected = Object.keys(uses).map((name) => `mcp__hawser__${name}`);
    expect(offered.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    const merged = { type: "object", properties: { city: { type: "string" }, zip: { type: "number" } } };
    expect(offered.find(({ name }) => name.endsWith("either"))?.input_schema).toMatchObject(merged);

    const results = new Map(conversations.at(-1)!.results.map((result) => [result.tool_use_id.slice(6), result]));
    const textFor = (name: string): string => textOf(results.get(name)!);
    expect(textFor("whoami")).toBe(`process ${process.pid}`);
    expect(results.get("fails")).toMatchObject({ is_error: true });
    expect(textFor("fails")).toContain("the table is empty; load it first");
    expect(textFor("either")).toBe('{"zip":1010}');
    expect(textFor("files_read_all")).toBe("by its own name");
    expect(results.get("large")?.is_error ?? false).toBe(false);
    expect(textFor("large")).toContain("The result has 5000000 bytes");
    expect(textFor("large")).toContain(session.socketPath.replace(/\.sock$/, ".d/result-"));

    expect(bridges.length).toBeGreaterThan(0);
    await until(() => findBridges(session).length === 0, 30_000, "no bridge is left");
  });

  it("R60: a subcommand runs with the tools added, its words are not taken for configurations", async ({ directory, serve }) => {
    const stdout = await runCommand(await serve(tools), directory, ["mcp", "list"], "http://127.0.0.1:9");
    expect(stdout).toContain("MCP servers");
  });
});
