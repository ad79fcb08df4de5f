// The host client with the real runtime: `spawnAgent` starts `hawser agent`.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { spawnAgent, type AgentTurn, type SpawnAgentOptions, type SpawnedAgent, type TurnEvent } from "@hawser/agent/host";
import { toHawserError } from "@hawser/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { hawserCommand, makeStage, toolsModule, type Stage } from "./agent-stage.ts";

const started: SpawnedAgent[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.close()));
});

async function startReal(stage: Stage, args: readonly string[] = [], options: SpawnAgentOptions = {}): Promise<SpawnedAgent> {
  const [command, ...words] = hawserCommand(["agent", ...args]);
  const agent = await spawnAgent({ command, args: words, cwd: stage.folder, env: stage.env, onStderr: () => {}, ...options });
  started.push(agent);
  return agent;
}

async function eventsOf(turn: AgentTurn): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

const textOf = async (turn: AgentTurn): Promise<string> =>
  (await eventsOf(turn)).map((event) => (event.type === "token" ? event.token : "")).join("");

/** What it ends with; `onTool` is called when it uses its tool. */
async function codeOf(turn: AgentTurn, onTool: () => unknown): Promise<string> {
  try {
    for await (const event of turn) if (event.type === "tool_use") onTool();
    return "done";
  } catch (error) {
    return toHawserError(error).code;
  }
}

describe("spawnAgent with hawser agent", () => {
  it("sends, lists, loads, renames, truncates and deletes conversations", async () => {
    const agent = await startReal(makeStage());
    expect(await agent.ready).toMatchObject({ version: "1.0.0", model: "offline" });
    const metadata = { conversationId: "harbour" };
    expect(await textOf(agent.send({ message: "my name is Ada", metadata }))).toContain("Ada");
    expect(await agent.status("harbour")).toMatchObject({ state: "idle", conversationLength: 2 });
    await agent.renameConversation("harbour", "Ships");
    expect(await agent.listConversations()).toMatchObject([{ conversationId: "harbour", title: "Ships", messages: 2 }]);
    const { title, messages } = await agent.loadConversation("harbour");
    expect([title, messages.map(({ role }) => role)]).toEqual(["Ships", ["user", "assistant"]]);
    await agent.truncateConversation("harbour", null);
    expect(await agent.status("harbour")).toMatchObject({ conversationLength: 0 });
    await agent.deleteConversation("harbour");
    expect(await agent.listConversations()).toEqual([]);
    expect((await agent.listModels()).find(({ model }) => model === "offline")).toMatchObject({ available: true, current: true });
  });

  it("asks for leave, and what was allowed is done", async () => {
    const stage = makeStage();
    const agent = await startReal(stage);
    const asked: unknown[] = [];
    const turn = agent.send('write "hello" to notes.txt', {
      onPermission(request) {
        asked.push(request.input);
        expect(existsSync(join(stage.folder, "notes.txt"))).toBe(false);
        return "allow";
      },
    });
    expect((await eventsOf(turn)).at(-1)).toMatchObject({ type: "done" });
    expect(asked).toEqual([{ path: "notes.txt", content: "hello" }]);
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(true);
  });

  it("cancel reaches the tool; the next turn of the conversation is clean", async () => {
    const agent = await startReal(makeStage(), ["--tools", toolsModule]);
    const turn = agent.send("call slow");
    expect(await codeOf(turn, () => agent.cancel(turn.id))).toBe("cancelled");
    expect(await textOf(agent.send("what is 6 * 7?"))).toContain("42");
  });

  it("RUN-16: a runtime that is killed is started again, and what was acknowledged is there", async () => {
    const agent = await startReal(makeStage(), ["--tools", toolsModule]);
    await eventsOf(agent.send("my name is Ada"));
    const kill = (): boolean => process.kill(agent.pid as number, "SIGKILL");
    expect(await codeOf(agent.send("call slow"), kill)).toBe("connection_lost");
    expect(await textOf(agent.send("what is my name?"))).toContain("Ada");
  });
});
