// A runtime that has far less memory than it wants, with its host: it does with a quarter of what is promised, and where
// it does not, the host learns of its end, and the next message is answered by another one.

import { spawnAgent, type SpawnedAgent } from "@hawser/agent/host";
import { wireLimits } from "@hawser/wire";
import { toHawserError, type HawserError } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import { hawserCommand, makeStage } from "./agent-stage.ts";

const room = wireLimits.maxMessageBytes - 1_024;
// Letters of two bytes each, which Node keeps in two as well, and as many small ones as fit.
const largest = ["ä".repeat(room / 2), "x".repeat(room)];

function spawnWith(megabytes: number, restarts: HawserError[] = []): Promise<SpawnedAgent> {
  const { folder, env } = makeStage();
  const [command, ...args] = hawserCommand(["agent", "--model=offline", "--no-history"]);
  return spawnAgent({
    command,
    args: [`--max-old-space-size=${megabytes}`, ...args],
    cwd: folder,
    env,
    // Node's own report of its end.
    onStderr: () => {},
    onRestart: (reason) => restarts.push(reason),
  });
}

async function answerOf(agent: SpawnedAgent, message: string): Promise<string> {
  let text = "";
  for await (const event of agent.send(message)) if (event.type === "token") text += event.token;
  return text;
}

describe.concurrent("RUN-15: the largest message", () => {
  it("is answered with 64 MB", async () => {
    const restarts: HawserError[] = [];
    await using agent = await spawnWith(64, restarts);
    for (const message of largest) expect(await answerOf(agent, message)).toContain(`${message.length} characters`);
    expect(await answerOf(agent, "what is 6 * 7?")).toContain("42");
    expect(restarts).toEqual([]);
  });

  it("may end a runtime with 20 MB: the host says so, starts another, and that one answers", async () => {
    const restarts: HawserError[] = [];
    await using agent = await spawnWith(20, restarts);
    for (const message of largest) {
      const outcome = await answerOf(agent, message).catch((error: unknown) => toHawserError(error).code);
      expect([expect.stringContaining(`${message.length} characters`), "connection_lost"]).toContainEqual(outcome);
      expect(await answerOf(agent, "what is 6 * 7?")).toContain("42");
    }
    expect(restarts.every(({ code }) => code === "connection_lost")).toBe(true);
  });
});
