// An ACP agent behind the runtime, to its first token, beside the same agent behind the official client library and nothing
// else. The agent answers at once, so that what differs is ours. Both are programs of their own that are told by lines.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Contestant } from "../measure.ts";
import { preparePublished } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row } from "../row.ts";

const ours = "hawser agent";
const bare = "official client library";
const target = [{ peer: bare, atMost: 1.1 }];
const programPath = (name: string): string => join(import.meta.dirname, "../programs", `${name}.mjs`);

export const acpTurn: Row = {
  name: "ACP agent, first token",
  async prepare(context) {
    const hawser = await preparePublished(context);
    const folder = createTemporaryDirectory(context);
    const agent = { command: process.execPath, args: [programPath("acp-agent")] };
    const config = join(folder, "agent.json");
    fs.writeFileSync(config, JSON.stringify({ agents: { bench: agent } }));
    const flags = ["--model", "acp/bench", "--config", config, "--root", folder, "--data-dir", folder, "--no-history"];
    const commands: readonly (readonly [string, readonly string[]])[] = [
      [ours, [...hawser, "agent", ...flags]],
      [bare, [process.execPath, programPath("acp-bare"), agent.command, ...agent.args]],
    ];
    const hosts = commands.map(([name, command]) => [name, startHost(command)] as const);
    context.defer(async () => void (await Promise.all(hosts.map(([, host]) => host.close()))));
    return [
      {
        name: "ACP agent that runs: from the message to its first token",
        work: `${turns} turns, one after the other`,
        unit: "ms",
        ours,
        contestants: hosts.map(([name, host]) => inConversations(name, host, "others")),
        targets: target,
      },
      {
        name: "ACP agent that is started: from the message to its first token",
        work: "one turn of a new conversation",
        unit: "ms",
        ours,
        contestants: hosts.map(([name, host]) => inConversations(name, host, "first")),
        targets: target,
      },
      {
        name: "ACP agent, from the start of everything to its first token",
        work: "spawn to the first token",
        unit: "ms",
        ours,
        contestants: commands.map(([name, command]) => wholeStart(name, command)),
        targets: target,
      },
    ];
  },
};

const turns = 20;
type Host = ReturnType<typeof startHost>;

/** Sends requests to a program, and reads what it answers line by line. */
function startHost([program = "", ...args]: readonly string[]) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let requests = 0;

  function send(request: object): string {
    const id = String(requests++);
    child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    return id;
  }

  async function until(id: string, type: string): Promise<void> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("a program of the bench ended by itself");
      const line = JSON.parse(value) as { readonly id?: string; readonly type: string };
      if (line.id === id && line.type === "error") throw new Error(value);
      if (line.id === id && line.type === type) return;
    }
  }

  return {
    /** Resolves when the turn is over, with the time to its first token. */
    async turn(conversationId: string, startedAt = performance.now()): Promise<number> {
      const id = send({ kind: "user_message", message: "hello", metadata: { conversationId } });
      await until(id, "token");
      const ms = performance.now() - startedAt;
      await until(id, "done");
      return ms;
    },
    /** Its agent ends. */
    async forget(conversationId: string): Promise<void> {
      await until(send({ kind: "delete_conversation", conversationId }), "done");
    },
    async close(): Promise<void> {
      child.stdin.end();
      await exited;
    },
  };
}

/** In a conversation of its own, whose first turn starts the agent: that one is measured, or those behind it. */
function inConversations(name: string, host: Host, measured: "first" | "others"): Contestant {
  let rounds = 0;
  return {
    name,
    async round() {
      const conversationId = `${measured}-${rounds++}`;
      const first = await host.turn(conversationId);
      const others: number[] = [];
      while (measured === "others" && others.length < turns) others.push(await host.turn(conversationId));
      await host.forget(conversationId);
      return measured === "first" ? [first] : others;
    },
  };
}

const wholeStart = (name: string, command: readonly string[]): Contestant => ({
  name,
  async round() {
    const startedAt = performance.now();
    const host = startHost(command);
    const ms = await host.turn("first", startedAt);
    await host.close();
    return [ms];
  },
});
