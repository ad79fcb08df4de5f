// Tools of our process inside an ACP agent: through the bridge, with our permissions, and asked about once.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnyAgentResponse } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import { openRuntime, textOf, type Runtime } from "./runtime-stage.ts";

const tools = fileURLToPath(new URL("fixtures/harbour-tools.ts", import.meta.url));
const open = (config: object = {}): Promise<Runtime> => openRuntime({ args: [`--tools=${tools}`], config });
const isQuestion = (response: AnyAgentResponse): boolean => response.type === "permission_request";

async function answerAll(runtime: Runtime, id: string, decision: "allow" | "deny", count: number): Promise<AnyAgentResponse[]> {
  const answered = new Set<string>();
  for (let at = 0; at < count; at++) {
    const asked = await runtime.next(
      (response) => response.type === "permission_request" && response.id === id && !answered.has(response.data.permissionId),
    );
    if (asked.type !== "permission_request") throw new Error("no question");
    answered.add(asked.data.permissionId);
    await runtime.ask({ kind: "permission_response", permissionId: asked.data.permissionId, decision });
  }
  return runtime.endOf(id);
}

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const ask = (toolCall: object): string => `ask ${JSON.stringify({ toolCall: { toolCallId: "t", ...toolCall }, options })}`;

describe("the tools of our process", () => {
  it("are offered as one server, run in our process, and those that only read run without a question", async () => {
    const runtime = await open();
    expect(textOf(await runtime.say("servers"))).toBe('["hawser"]');
    const said = await runtime.say('call count_boats {"by":4}');
    expect(JSON.parse(JSON.parse(textOf(said)) as string)).toEqual({ boats: 4, pid: runtime.child.pid });
    expect(said.some(isQuestion)).toBe(false);
    await runtime.close();
  });

  it("a call that may change something is asked about by us, told as a use, and goes on with the answer", async () => {
    const runtime = await open();
    const id = runtime.begin('call sink_boat {"name":"Anna"}');
    const said = await answerAll(runtime, id, "allow", 1);
    expect(textOf(said)).toBe('"Anna has sunk"');
    // Before it, a slow start may have given signs of life.
    const told = said.map(({ type }) => type);
    expect(told.slice(told.indexOf("tool_use"))).toEqual(["tool_use", "permission_request", "progress", "tool_result", "token", "done"]);
    expect(told.slice(0, told.indexOf("tool_use")).filter((type) => type !== "progress")).toEqual([]);
    const denied = await answerAll(runtime, runtime.begin('call sink_boat {"name":"Anna"}'), "deny", 1);
    expect(textOf(denied)).toContain("denied: the user said no");
    await runtime.close();
  });

  it.each([
    ["Claude Code", { name: "mcp__hawser__sink_boat", title: "mcp__hawser__sink_boat", kind: "other", rawInput: { name: "Anna" } }],
    [
      "Codex",
      { title: "mcp.hawser.sink_boat", kind: "execute", rawInput: { server: "hawser", tool: "sink_boat", arguments: { name: "Anna" } } },
    ],
    [
      "Gemini CLI",
      {
        title: "sink_boat (hawser MCP Server)",
        kind: "other",
        content: [{ type: "content", content: { type: "text", text: '{"name":"Anna"}' } }],
      },
    ],
    ["Goose", { title: "hawser: sink_boat", kind: "other", rawInput: { name: "Anna" } }],
  ])("the user is asked once where the agent asks first, as %s does", async (_, toolCall) => {
    const runtime = await open();
    const id = runtime.begin(`${ask(toolCall)}\ncall sink_boat {"name":"Anna"}`);
    const said = await answerAll(runtime, id, "allow", 1);
    expect(said.filter(isQuestion)).toHaveLength(1);
    expect(textOf(said)).toContain("Anna has sunk");
    await runtime.close();
  });

  it("G17 the answer counts for the same arguments, and once", async () => {
    const runtime = await open();
    const first = ask({ name: "mcp__hawser__sink_boat", rawInput: { name: "Anna" } });
    const other = await answerAll(runtime, runtime.begin(`${first}\ncall sink_boat {"name":"Berta"}`), "allow", 2);
    expect(other.filter(isQuestion)).toHaveLength(2);
    const twice = await answerAll(
      runtime,
      runtime.begin(`${first}\ncall sink_boat {"name":"Anna"}\ncall sink_boat {"name":"Anna"}`),
      "allow",
      2,
    );
    expect(twice.filter(isQuestion)).toHaveLength(2);
    await runtime.close();
  });

  it("G18 a command that is named like one of our tools is not taken for it", async () => {
    const runtime = await open({ permissions: [{ tool: "count_boats", decision: "allow" }] });
    for (const toolCall of [
      { title: "mcp__hawser__count_boats", kind: "execute", rawInput: { command: "mcp__hawser__count_boats" } },
      { title: "count_boats (hawser MCP Server)", kind: "execute", rawInput: { by: 1 } },
      { title: "hawser: count_boats", kind: "other", rawInput: { command: "rm" } },
      { title: "shell · hawser: count_boats", kind: "other", rawInput: { by: 1 } },
      { title: "x", kind: "execute", rawInput: { server: "hawser", tool: "count_boats", arguments: {}, command: "rm" } },
    ]) {
      const said = await answerAll(runtime, runtime.begin(ask(toolCall)), "deny", 1);
      expect(said.filter(isQuestion)).toHaveLength(1);
    }
    await runtime.close();
  });

  it("a rule denies them to the agent too, at its own question", async () => {
    const runtime = await open({ permissions: [{ tool: "sink_boat", decision: "deny" }] });
    const said = await runtime.say(
      `${ask({ name: "mcp__hawser__sink_boat", rawInput: { name: "Anna" } })}\nsay  \ncall sink_boat {"name":"Anna"}`,
    );
    expect(textOf(said)).toContain('"optionId":"no"');
    expect(textOf(said)).toContain('the rule \\"deny sink_boat\\" denies it');
    await runtime.close();
  });

  it("G9 the bridge's files are gone with the conversation", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-acp-"));
    const runtime = await openRuntime({ args: [`--tools=${tools}`], env: { TMPDIR: folder } });
    const files = (): string[] => readdirSync(folder);
    const before = files();
    await runtime.say('call count_boats {"by":4}');
    expect(files().length).toBeGreaterThan(before.length);
    await runtime.ask({ kind: "delete_conversation", conversationId: "one" });
    expect(files().filter((name) => !before.includes(name))).toEqual([]);
    await runtime.close();
    rmSync(folder, { recursive: true });
  });

  it("G9 the bridge, which opens beside the agent's start, is gone where the agent can't be started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-acp-"));
    const agents = { mute: { command: process.execPath, args: ["-e", "process.exitCode = 3"], env: {} } };
    const runtime = await openRuntime({ agents, args: [`--tools=${tools}`], env: { TMPDIR: folder } });
    const before = readdirSync(folder);
    const said = await runtime.say("hello");
    expect(said.at(-1)).toMatchObject({ type: "error", error: expect.stringContaining("acp/mute ended with exit code 3") as string });
    expect(readdirSync(folder).filter((name) => !before.includes(name))).toEqual([]);
    await runtime.close();
    rmSync(folder, { recursive: true });
  });
});
