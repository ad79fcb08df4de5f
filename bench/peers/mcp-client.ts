// A bare MCP client over the pipes of a child process: lines, ids and a table of who waits. It does as
// little as possible, so that what is measured is the server.

import { onProcessEnd } from "@hawser/wire/node";
import { spawn } from "node:child_process";
import type { ServerCommand } from "./bridge-servers.ts";

export interface McpClient {
  readonly pid: number;
  request(method: string, params: object): Promise<unknown>;
  /** The handshake, then the list of tools. */
  listTools(): Promise<number>;
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
}

export function startMcpClient({ args, env }: ServerCommand): McpClient {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  const release = onProcessEnd(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const waiting = new Map<number, (result: unknown) => void>();
  let rest = "";
  let lastId = 0;

  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line) as Answer);
  });

  function receive({ id = 0, result }: Answer): void {
    waiting.get(id)?.(result);
    waiting.delete(id);
  }

  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  function request(method: string, params: object): Promise<unknown> {
    const id = ++lastId;
    const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return answer;
  }

  return {
    pid: child.pid ?? 0,
    request,
    async listTools() {
      await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
      send({ method: "notifications/initialized" });
      return ((await request("tools/list", {})) as { tools: unknown[] }).tools.length;
    },
    async close() {
      child.stdin.end();
      await exited;
      release();
    },
  };
}
