// MCP clients over the pipes of a child process: the official one, which most hosts use, and a bare one
// that does as little as possible, so that nothing but the server is measured.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startNode } from "../program.ts";
import type { ServerCommand } from "./bridge-servers.ts";

export interface McpClient {
  callTool(name: string, args: object): Promise<unknown>;
  close(): Promise<void>;
}

export interface BareMcpClient extends McpClient {
  readonly pid: number;
  /** The handshake, then the number of tools. */
  listTools(): Promise<number>;
}

export async function connectOfficialClient({ args, env }: ServerCommand): Promise<McpClient> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const inherited = { ...process.env, ...env } as Record<string, string>;
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], env: inherited, stderr: "inherit" }));
  return {
    callTool: (name, given) => client.callTool({ name, arguments: given as Record<string, unknown> }),
    close: () => client.close(),
  };
}

export async function connectBareClient(command: ServerCommand): Promise<McpClient> {
  const client = await startBareClient(command);
  await client.listTools();
  return client;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
}

export async function startBareClient({ args, env }: ServerCommand): Promise<BareMcpClient> {
  const child = await startNode(args, env);
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
    pid: child.pid,
    async listTools() {
      await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
      send({ method: "notifications/initialized" });
      let count = 0;
      let cursor: string | undefined;
      do {
        const page = (await request("tools/list", { cursor })) as { tools: unknown[]; nextCursor?: string };
        count += page.tools.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return count;
    },
    callTool: (name, given) => request("tools/call", { name, arguments: given }),
    close: async () => void (await child.stop()),
  };
}
