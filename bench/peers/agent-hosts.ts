// Hosts of an agent that streams: our host client, and one that splits lines by hand. Each sends an order
// and hands every token over as it comes.

import type { PipedChild } from "@hawser/wire/node";
import { join } from "node:path";
import { spawnAgent } from "../../packages/agent/src/host/index.ts";
import { readFirstLine, startProgram } from "../program.ts";
import type { RowContext } from "../row.ts";
import type { TokenOrder } from "./token-order.ts";

/** Resolves when the turn has ended. */
export type Host = (order: TokenOrder, onToken: (token: string) => void) => Promise<void>;

export async function startOurHost(context: RowContext): Promise<Host> {
  const program = join(import.meta.dirname, "../programs/agent-stream.ts");
  const agent = await spawnAgent({ command: process.execPath, args: [...process.execArgv, program] });
  context.defer(() => agent.close());
  let turns = 0;
  return async (order, onToken) => {
    // A conversation of its own each time: what the runs before said is not part of the work.
    const metadata = { conversationId: `bench-${turns++}` };
    for await (const event of agent.send({ message: JSON.stringify(order), metadata })) {
      if (event.type === "token") onToken(event.token);
    }
    await agent.deleteConversation(metadata.conversationId);
  };
}

export async function startBareHost(context: RowContext): Promise<Host> {
  const { stdin, stdout } = await startProgram(context, "agent-bare");
  let tail = "";
  let take: (response: { type: string; token: string }) => void = () => {};
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (tail + chunk).split("\n");
    tail = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as { type: string; token: string });
  });
  return (order, onToken) =>
    new Promise((resolve) => {
      take = ({ type, token }) => (type === "token" ? onToken(token) : type === "done" && resolve());
      stdin.write(`${JSON.stringify({ id: "1", kind: "user_message", message: JSON.stringify(order) })}\n`);
    });
}

/** Resolves when an agent has said that it is ready. */
export async function untilReady(agent: Pick<PipedChild, "stdout">): Promise<void> {
  const line = await readFirstLine(agent);
  if (!line.includes('"ready"')) throw new Error(`the agent did not say ready but: ${line}`);
}
