// Where an agent's tools come from besides its own: MCP servers, operations of an HTTP API, modules of the
// user. Each is loaded only where the configuration or a flag asks for it.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentConfig, ConfiguredGateway } from "@hawser/agent";
import { describeThrown, HawserError, limits, type ServerEntry } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import { readVersion } from "../launcher.ts";
import type { AgentFlags } from "./agent-flags.ts";
import type { LoadedTools, ToolSource } from "./late-tools.ts";

export interface ToolSources {
  readonly list: readonly ToolSource[];
  /** How the MCP servers are. */
  servers(): readonly ServerEntry[];
  close(): Promise<void>;
}

interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export function createToolSources(flags: AgentFlags, config: AgentConfig, place: Place): ToolSources {
  const { mcpServers = {}, gateway } = config;
  const closing = new AbortController();
  const closers: (() => Promise<void>)[] = [];
  const allServers = (state: Omit<ServerEntry, "name">) => (): readonly ServerEntry[] =>
    Object.keys(mcpServers).map((name) => ({ name, ...state }));
  let serverStates = allServers({ state: "connecting" });
  const named = (flags.tools ?? []).map((path) => resolve(place.cwd, path));
  const modules = [...(config.tools ?? []), ...named];
  // What is wrong inside a module costs its tools and is said when it is loaded; that a flag names none is said at once.
  const missing = named.find((path) => !existsSync(path));
  if (missing !== undefined) throw new HawserError("usage", `there is no module ${missing}; --tools takes a .ts or .js file`);

  async function loadServers(): Promise<LoadedTools> {
    const { connectMcpServers } = await import("@hawser/agent");
    const onNotice = (message: string): void => logLine(`[hawser] ${message}`);
    const servers = connectMcpServers(mcpServers, { ...place, version: readVersion(), signal: closing.signal, onNotice });
    closers.push(servers.close);
    serverStates = servers.status;
    return { tools: servers.tools, ready: servers.whenReady(limits.agentLateToolsMs) };
  }

  async function loadServersOrSay(): Promise<LoadedTools> {
    return loadServers().catch((error: unknown) => {
      serverStates = allServers({ state: "failed", reason: describeThrown(error) });
      throw error;
    });
  }

  return {
    list: [
      ...modules.map((path) => ({ label: path, load: () => loadModule(path) })),
      ...(gateway ? [{ label: "the gateway", load: () => loadGateway(gateway, place) }] : []),
      ...(Object.keys(mcpServers).length > 0 ? [{ label: "the MCP servers", load: loadServersOrSay }] : []),
    ],
    servers: () => serverStates(),
    async close() {
      closing.abort();
      await Promise.all(closers.map((close) => close()));
    },
  };
}

async function loadModule(path: string): Promise<LoadedTools> {
  const [{ loadTools }, { toTools }, { inForeignScope }] = await Promise.all([
    import("../expose/load-tools.ts"),
    import("@hawser/bridge"),
    import("@hawser/agent"),
  ]);
  // A module that ends the process while it is loaded would end the turns of others.
  const tools = toTools(await inForeignScope(`the module ${path}`, () => loadTools(path)));
  return { tools: () => tools };
}

async function loadGateway({ profile, url, specFile, ...selection }: ConfiguredGateway, place: Place): Promise<LoadedTools> {
  const { gatewayTools } = await import("@hawser/gateway");
  const tools = await gatewayTools({ profile, gatewayUrl: url, specFile, ...place }, selection);
  return { tools: () => tools };
}
