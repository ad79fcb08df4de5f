// The MCP servers of one configuration, before and after they are connected to. What speaks MCP is loaded with the first of them. With
// another configuration only what has changed is connected anew.

import type { AgentConfig, ConfiguredServer, ListedTool, McpServers } from "@hawser/agent";
import { describeThrown, type ServerEntry } from "@hawser/protocol";
import { logLine } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import { hawserLimits } from "../limits.ts";
import type { LoadedTools, Place } from "./tool-sources.ts";

export interface DescribedServer extends ServerEntry {
  readonly configured: ConfiguredServer;
  readonly tools: readonly ListedTool[];
}

export type ConfiguredServers = ReturnType<typeof createConfiguredServers>;

export function createConfiguredServers(initial: NonNullable<AgentConfig["mcpServers"]>, place: Place) {
  const closing = new AbortController();
  let configuration = initial;
  let connecting: Promise<McpServers> | undefined;
  let connected: McpServers | undefined;
  let problem: string | undefined;
  let isWanted = false;

  const inUse = (): [string, ConfiguredServer][] => Object.entries(configuration).filter(([, { disabled }]) => disabled !== true);

  async function connect(): Promise<McpServers> {
    try {
      const { connectMcpServers } = await import("@hawser/agent");
      const onNotice = (message: string): void => logLine(`[hawser] ${message}`);
      connected = connectMcpServers(configuration, { ...place, version: readVersion(), signal: closing.signal, onNotice });
      return connected;
    } catch (error) {
      problem = describeThrown(error);
      connecting = undefined;
      throw error;
    }
  }

  function status(): readonly ServerEntry[] {
    if (connected) return connected.status();
    const state = problem === undefined ? { state: "connecting" } : { state: "failed", reason: problem };
    return inUse().map(([name]) => ({ name, ...state }));
  }

  return {
    status,
    async load(): Promise<LoadedTools> {
      isWanted = true;
      const tools = (): ReturnType<LoadedTools["tools"]> => connected?.tools() ?? [];
      if (inUse().length === 0) return { tools };
      const servers = await (connecting ??= connect());
      return { tools, ready: servers.whenReady(hawserLimits.agentLateToolsMs) };
    },
    /** What each of them has listed, and how it is. */
    describe(): readonly DescribedServer[] {
      const states = new Map(status().map((entry) => [entry.name, entry]));
      return Object.entries(configuration).map(([name, configured]) => ({
        configured,
        ...(states.get(name) ?? { name, state: "off" }),
        tools: connected?.toolsOf(name) ?? [],
      }));
    },
    async update(next: NonNullable<AgentConfig["mcpServers"]>): Promise<void> {
      configuration = next;
      problem = undefined;
      if (connecting) await (await connecting).update(next);
      else if (isWanted && inUse().length > 0) await (connecting = connect());
    },
    async restart(name: string): Promise<void> {
      await (await (connecting ??= connect())).restart(name);
    },
    async close(): Promise<void> {
      closing.abort();
      await connected?.close();
    },
  };
}
