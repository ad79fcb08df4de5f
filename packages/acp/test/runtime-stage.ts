// `hawser agent` as a host runs it, with the scripted agent in its configuration: real processes on both
// sides. `check` holds all that was said against the contract: one end for each request, results with their uses.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { agentProtocol, type AnyAgentResponse } from "@hawser/protocol";
import { afterAll } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";

export const scriptedAgent = fileURLToPath(new URL("fixtures/scripted-agent.ts", import.meta.url));

const root = mkdtempSync(join(tmpdir(), "hawser-acp-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface AgentStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const isStart = (given: readonly string[] | AgentStart): given is AgentStart => "command" in given;

export interface RuntimeOptions {
  /** By the names under which they are configured, `acp/<name>`: switches of the scripted agent, or how another one is started. */
  readonly agents?: Readonly<Record<string, readonly string[] | AgentStart>>;
  /** What is started with Node instead of the scripted agent itself. */
  readonly command?: readonly string[];
  /** More of the configuration. */
  readonly config?: object;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Of an earlier runtime, whose history and memory it goes on with. */
  readonly home?: string;
}

export type Runtime = Awaited<ReturnType<typeof openRuntime>>;
type Fits = (response: AnyAgentResponse) => boolean;

const isEnd = ({ type }: AnyAgentResponse): boolean => type === "done" || type === "error" || type === "status";

/** A folder for configuration, history, work and the scripted agent's memory. */
export function makeHome(): string {
  const home = mkdtempSync(join(root, "home-"));
  for (const name of ["config/hawser", "work", "memory"]) mkdirSync(join(home, name), { recursive: true });
  return home;
}

export async function openRuntime({
  agents = { scripted: [] },
  command = [scriptedAgent],
  config = {},
  args = [],
  env = {},
  home = makeHome(),
}: RuntimeOptions = {}) {
  const configured = Object.entries(agents).map(([name, given]) => [
    name,
    isStart(given) ? given : { command: process.execPath, args: [...command, `--memory=${join(home, "memory")}`, ...given] },
  ]);
  writeFileSync(join(home, "config", "hawser", "agent.json"), JSON.stringify({ ...config, agents: Object.fromEntries(configured) }));
  const [first = "scripted"] = Object.keys(agents);
  const words = [builtHawser, "agent", `--model=acp/${first}`, `--data-dir=${join(home, "data")}`, ...args];
  const child = spawn(process.execPath, words, {
    cwd: join(home, "work"),
    env: { ...process.env, ...env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), OLLAMA_HOST: "http://127.0.0.1:1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const responses: AnyAgentResponse[] = [];
  let [rest, stderr, nextId] = ["", "", 1];
  let listeners: (() => void)[] = [];
  const wake = (): void => {
    const told = listeners;
    listeners = [];
    for (const tell of told) tell();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    responses.push(...lines.map((line) => JSON.parse(line) as AnyAgentResponse));
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
    wake();
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(wake);

  async function until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the runtime is gone: ${stderr}`);
      await new Promise<void>((resolve) => listeners.push(resolve));
    }
  }

  const of = (id: string): AnyAgentResponse[] => responses.filter((response) => "id" in response && response.id === id);
  const next = (fits: Fits): Promise<AnyAgentResponse> => until(() => responses.find(fits));
  const send = (request: object): string => {
    const id = `r${nextId++}`;
    child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    return id;
  };
  const endOf = async (id: string): Promise<AnyAgentResponse[]> => {
    await next((response) => "id" in response && response.id === id && isEnd(response));
    return of(id);
  };
  return {
    home,
    child,
    responses,
    ended,
    get stderr() {
      return stderr;
    },
    of,
    next,
    until,
    send,
    endOf,
    /** Begins a turn; its id. */
    begin: (message: string, conversationId = "one", more: object = {}): string =>
      send({
        kind: "user_message",
        message,
        ...more,
        metadata: { conversationId, answersPermissions: true, ...("metadata" in more && (more.metadata as object)) },
      }),
    /** A whole turn. */
    say: (message: string, conversationId?: string, more: object = {}): Promise<AnyAgentResponse[]> =>
      endOf(
        send({ kind: "user_message", message, metadata: { conversationId: conversationId ?? "one", answersPermissions: true }, ...more }),
      ),
    ask: (request: object): Promise<AnyAgentResponse[]> => endOf(send(request)),
    async close(): Promise<void> {
      child.stdin.end();
      await ended;
      check(responses);
    },
  };
}

export const textOf = (responses: readonly AnyAgentResponse[]): string =>
  responses.map((response) => (response.type === "token" ? response.token : "")).join("");

export const errorOf = (responses: readonly AnyAgentResponse[]): string => {
  const last = responses.at(-1);
  return last?.type === "error" ? last.error : `no error: ${JSON.stringify(last)}`;
};

/**
 * Resolves with how much a process that writes has written when it goes no further. A busy machine may not have let it run between
 * two looks, so there are several, and it sleeps in all of them.
 */
export async function whenStill(pid: number): Promise<number> {
  const written = (): number => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  const sleeps = (): boolean => /^\d+ \(.*\) S/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  for (let [before, still] = [-1, 0]; still < 5; await sleep(200)) {
    still = before >= 100_000 && sleeps() && written() === before ? still + 1 : 0;
    before = written();
  }
  return written();
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

function check(responses: readonly AnyAgentResponse[]): void {
  const ended = new Set<string>();
  const open = new Set<string>();
  for (const response of responses) {
    agentProtocol.parseResponse(response);
    if (response.type === "ready") continue;
    if (ended.has(response.id)) throw new Error(`something came after the end of ${response.id}: ${JSON.stringify(response)}`);
    if (isEnd(response)) ended.add(response.id);
    if (response.type === "tool_use") open.add(`${response.id} ${response.data.toolId}`);
    if (response.type === "tool_result" && !open.delete(`${response.id} ${response.data.toolId}`))
      throw new Error(`a result without its use, or a second one: ${JSON.stringify(response)}`);
  }
}
