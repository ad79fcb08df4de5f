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

/** Told the names of the tools whenever the server says that they have changed. */
export type OnToolsChanged = (names: string[]) => void;

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

type Connect = (config: ServerConfig, env: Record<string, string>, onToolsChanged?: OnToolsChanged) => Promise<OfficialClient>;

const listChanged = (onToolsChanged: OnToolsChanged = () => {}): object => ({
  tools: {
    debounceMs: 0,
    onChanged: (_: unknown, tools: { name: string }[] | null) => onToolsChanged((tools ?? []).map(({ name }) => name)),
  },
});

export const connectors: Readonly<Record<string, Connect>> = {
  async "sdk 1 (initialize)"({ command, args }, env, onToolsChanged) {
    const client = new FirstClient(me, { listChanged: listChanged(onToolsChanged) });
    const transport = new FirstTransport({ command, args: [...args], env, stderr: "ignore" });
    await client.connect(transport);
    return {
      pid: transport.pid ?? -1,
      listTools: async () => (await client.listTools()).tools,
      callTool: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, undefined, options),
      close: () => client.close(),
    };
  },
  "client 2 (initialize)": (config, env, onToolsChanged) => connectSecond(config, env, { mode: "legacy", onToolsChanged }),
  "client 2 (2026-07-28)": (config, env, onToolsChanged) => connectSecond(config, env, { mode: { pin: "2026-07-28" }, onToolsChanged }),
};

async function connectSecond(
  { command, args }: ServerConfig,
  env: Record<string, string>,
  { mode, onToolsChanged }: { mode: "legacy" | { pin: string }; onToolsChanged: OnToolsChanged | undefined },
): Promise<OfficialClient> {
  const client = new SecondClient(me, { versionNegotiation: { mode }, listChanged: listChanged(onToolsChanged) });
  const transport = new SecondTransport({ command, args: [...args], env, stderr: "ignore" });
  await client.connect(transport);
  return {
    pid: transport.pid ?? -1,
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, options),
    close: () => client.close(),
  };
}
