// An ACP agent behind the runtime, to its first token, beside the same agent behind the official client library and nothing
// else. Both are programs of their own that are told by lines. The real agents that `npm run test:agents` has installed, with a
// model that is scripted and answers at once, and an agent that does nothing but answer, with which all that differs is ours.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Contestant } from "../measure.ts";
import { placeAgent, realAgents } from "../../clients/test/real-agents.ts";
import { startEndpoint } from "../../clients/test/scripted-endpoint.ts";
import { preparePublished } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Case, Row, RowContext } from "../row.ts";

const ours = "hawser agent";
const bare = "official client library";
const target = [{ peer: bare, atMost: 1.1 }];
const programPath = (name: string): string => join(import.meta.dirname, "../programs", `${name}.mjs`);

interface AgentStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export const acpTurn: Row = {
  name: "ACP agent, first token",
  async prepare(context) {
    const hawser = await preparePublished(context);
    return [...(await casesOfReal(context, hawser)), ...casesOfIdle(context, hawser)];
  },
};

/** Those of others: where one is told by both, their turns are real. */
async function casesOfReal(context: RowContext, hawser: readonly string[]): Promise<Case[]> {
  const cases: Case[] = [];
  for (const agent of realAgents.filter(({ program }) => fs.existsSync(program))) {
    const endpoint = await startEndpoint(agent.scenes, Infinity);
    context.defer(() => endpoint.close());
    const start = placeAgent(agent, join(createTemporaryDirectory(context), "home"), endpoint.url);
    const hosts = startHosts(context, toCommands(context, hawser, start));
    cases.push({
      name: `ACP agent, ${agent.name}: from the message to its first token`,
      work: `${turns} turns, one after the other`,
      unit: "ms",
      ours,
      contestants: hosts.map(([name, host]) => inConversations(name, host, "others")),
      targets: target,
    });
  }
  return cases;
}

function casesOfIdle(context: RowContext, hawser: readonly string[]): Case[] {
  const commands = toCommands(context, hawser, { command: process.execPath, args: [programPath("acp-agent")] });
  const hosts = startHosts(context, commands);
  const shared = { unit: "ms", ours } as const;
  return [
    {
      ...shared,
      name: "ACP agent that only answers: from the message to its first token",
      work: `${turns} turns, one after the other`,
      contestants: hosts.map(([name, host]) => inConversations(name, host, "others")),
      targets: target,
    },
    {
      ...shared,
      name: "ACP agent that is started: from the message to its first token",
      work: "one turn of a new conversation",
      contestants: hosts.map(([name, host]) => inConversations(name, host, "first")),
      targets: target,
    },
    {
      ...shared,
      name: "ACP agent, from the start of everything to its first token",
      work: "spawn to the first token",
      contestants: commands.map(([name, command]) => wholeStart(name, command)),
      targets: target,
    },
  ];
}

type Command = readonly (readonly [name: string, command: readonly string[], env: NodeJS.ProcessEnv])[];

/** The agent behind the runtime, and behind the library. */
function toCommands(context: RowContext, hawser: readonly string[], { command, args, env = {} }: AgentStart): Command {
  const folder = createTemporaryDirectory(context);
  const config = join(folder, "agent.json");
  fs.writeFileSync(config, JSON.stringify({ agents: { bench: { command, args, env } } }));
  const flags = ["--model", "acp/bench", "--config", config, "--root", folder, "--data-dir", folder, "--no-history"];
  return [
    [ours, [...hawser, "agent", ...flags], {}],
    [bare, [process.execPath, programPath("acp-bare"), command, ...args], env],
  ];
}

function startHosts(context: RowContext, commands: Command) {
  const hosts = commands.map(([name, command, env]) => [name, startHost(command, env)] as const);
  context.defer(async () => void (await Promise.all(hosts.map(([, host]) => host.close()))));
  return hosts;
}

const turns = 20;
type Host = ReturnType<typeof startHost>;

/** Agents read many variables, and what they do must not depend on those of this machine. */
function usualVariables(): NodeJS.ProcessEnv {
  const names = ["PATH", "TMPDIR", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

interface Line {
  readonly id?: string;
  readonly type: string;
  readonly token?: string;
}

const isDone = ({ type }: Line): boolean => type === "done";
/** An agent's own notices may come before it. */
const ofModel = ({ type, token }: Line): boolean => type === "token" && token?.includes("hel") === true;

/** Sends requests to a program, and reads what it answers line by line. */
function startHost([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...usualVariables(), ...env } });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let requests = 0;

  function send(request: object): string {
    const id = String(requests++);
    child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    return id;
  }

  async function until(id: string, isIt: (line: Line) => boolean): Promise<void> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("a program of the bench ended by itself");
      const line = JSON.parse(value) as Line;
      if (line.id === id && line.type === "error") throw new Error(value);
      if (line.id === id && isIt(line)) return;
    }
  }

  return {
    /** Resolves when the turn is over, with the time to its first token. */
    async turn(conversationId: string, startedAt = performance.now()): Promise<number> {
      const id = send({ kind: "user_message", message: "say hello", metadata: { conversationId } });
      await until(id, ofModel);
      const ms = performance.now() - startedAt;
      await until(id, isDone);
      return ms;
    },
    /** Its agent ends. */
    async forget(conversationId: string): Promise<void> {
      await until(send({ kind: "delete_conversation", conversationId }), isDone);
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
