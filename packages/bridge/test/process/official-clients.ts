// The official MCP clients of both generations behind one face: the SDK of the first generation, and the
// client of the second in either era. They start the bridge themselves, as real clients do.

import { Client as SecondClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export interface OfficialClient {
  readonly pid: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare what the client made of it
  listTools(): Promise<any[]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<any>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  onprogress?(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
}

interface ServerConfig {
  readonly command: string;
  readonly args: readonly string[];
}

const me = { name: "official", version: "1.0.0" };

export const connectors: Readonly<Record<string, (config: ServerConfig, env: Record<string, string>) => Promise<OfficialClient>>> = {
  async "sdk 1 (initialize)"({ command, args }, env) {
    const client = new FirstClient(me);
    const transport = new FirstTransport({ command, args: [...args], env, stderr: "ignore" });
    await client.connect(transport);
    return {
      pid: transport.pid ?? -1,
      listTools: async () => (await client.listTools()).tools,
      callTool: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, undefined, options),
      close: () => client.close(),
    };
  },
  "client 2 (initialize)": (config, env) => connectSecond(config, env, "legacy"),
  "client 2 (2026-07-28)": (config, env) => connectSecond(config, env, { pin: "2026-07-28" }),
};

async function connectSecond(
  { command, args }: ServerConfig,
  env: Record<string, string>,
  mode: "legacy" | { pin: string },
): Promise<OfficialClient> {
  const client = new SecondClient(me, { versionNegotiation: { mode } });
  const transport = new SecondTransport({ command, args: [...args], env, stderr: "ignore" });
  await client.connect(transport);
  return {
    pid: transport.pid ?? -1,
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, options),
    close: () => client.close(),
  };
}
