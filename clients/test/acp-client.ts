// The barest ACP client: it starts an agent, writes and reads lines of JSON, and keeps everything that came. It judges nothing,
// so that tests see what agents really send.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

// Tests look into messages without ceremony.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface AgentError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface AgentStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Answers what the agent asks: the result, or undefined for an error. */
  readonly onRequest?: (method: string, params: Json) => unknown;
}

export interface RunningAgent {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Every message that came, as it came. */
  readonly received: readonly Json[];
  /** `update` of every session/update that came. */
  readonly updates: readonly Json[];
  /** Parameters of what the agent asked. */
  readonly asked: readonly { readonly method: string; readonly params: Json }[];
  stderr(): string;
  /** The result; throws an object with `code` and `message` when the answer is an error. */
  request(method: string, params: object): Promise<Json>;
  notify(method: string, params: object): void;
  /** Resolves with the first update for which this holds, of those that have come or will come. */
  update(isIt: (update: Json) => boolean): Promise<Json>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export function startAgent({ command, args, env, cwd, onRequest }: AgentStart): RunningAgent {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const received: Json[] = [];
  const asked: { method: string; params: Json }[] = [];
  const waiting = new Map<number, { resolve(result: Json): void; reject(error: AgentError): void }>();
  const watchers = new Set<() => void>();
  let stderr = "";
  let ids = 0;
  const write = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const updatesOf = (): Json[] => received.flatMap(({ method, params }) => (method === "session/update" ? [params.update] : []));
  async function reply(id: unknown, method: string, params: Json): Promise<void> {
    asked.push({ method, params });
    const result = await onRequest?.(method, params);
    write(result === undefined ? { id, error: { code: -32_601, message: "Method not found" } } : { id, result });
  }
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line) as Json;
    received.push(message);
    if (message.method !== undefined && message.id !== undefined) void reply(message.id, message.method, message.params);
    else if (message.error) waiting.get(message.id)?.reject(message.error);
    else if (message.method === undefined) waiting.get(message.id)?.resolve(message.result);
    for (const look of watchers) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject).once("exit", (code, signal) => resolve({ code, signal }));
  });
  const endedEarly = ended.then(({ code, signal }) => {
    throw new Error(`the agent ended with ${code ?? signal}: ${stderr.slice(-2000)}`);
  });
  endedEarly.catch(() => {});
  return {
    process: child,
    received,
    asked,
    get updates() {
      return updatesOf();
    },
    stderr: () => stderr,
    async request(method, params) {
      const id = ++ids;
      const answered = new Promise<Json>((resolve, reject) => waiting.set(id, { resolve, reject }));
      write({ id, method, params });
      return Promise.race([answered, endedEarly]);
    },
    notify: (method, params) => write({ method, params }),
    async update(isIt) {
      const { promise, resolve } = Promise.withResolvers<Json>();
      const look = (): void => {
        const update = updatesOf().find(isIt);
        if (update) resolve(update);
      };
      watchers.add(look);
      look();
      return Promise.race([promise, endedEarly]).finally(() => watchers.delete(look));
    },
    ended,
  };
}
