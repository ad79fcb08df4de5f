// The tools that were registered with a model, and what a request makes of them: a selection, made in one
// synchronous step, so that schemas, functions and permissions can't disagree; and an endpoint, which is a
// session with a socket or a server in this process, and belongs to that request alone.

import { createIPCSession, createInProcessServer, DEFAULT_TRANSPORT, toClientNames, type TransportType } from "@hawser/bridge/internal";
import { HawserError, IPCToolExecutionError, describeThrown, ToolNotFoundError } from "@hawser/protocol/internal";
import { type Tool, toTools, type ToolSource } from "@hawser/tools/internal";
import type { McpServerConfig } from "./agent-sdk.ts";
import { ToolsetNotRegisteredError } from "./errors.ts";
import type { ClaudeCodeModelOptions } from "./options.ts";
import { withRestrictions } from "./tool-restrictions.ts";

export interface ToolsetOptions {
  /** Claude calls a tool `mcp__<serverName>__<tool>`; `hawser` unless given. */
  readonly serverName?: string;
  readonly transport?: TransportType;
}

export interface Toolset {
  readonly tools: readonly Tool[];
  readonly serverName: string;
  readonly transport: Exclude<TransportType, "auto">;
}

export const defaultServerName = "hawser";

export function createToolset(source: ToolSource, options: ToolsetOptions = {}): Toolset {
  const { serverName = defaultServerName, transport = DEFAULT_TRANSPORT } = options;
  if (!/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(serverName) || serverName.length > 64)
    throw new HawserError("usage", `a server name has letters, digits, - and single _, at most 64; not "${serverName}"`);
  if (!["auto", "stdio", "sdk"].includes(transport))
    throw new HawserError("usage", `there is no transport "${transport}"; use auto, stdio or sdk`);
  const tools = toTools(source);
  // Throws for a faulty tool now, not at the first request.
  toClientNames(tools);
  // The contract leaves room for a choice by the command line's version.
  return { tools, serverName, transport: transport === "auto" ? "stdio" : transport };
}

/** What one request may use. */
export interface ToolSelection {
  readonly toolset: Toolset;
  /** The registered tools by the names that the command line knows them by: `mcp__server__tool`. */
  readonly names: ReadonlyMap<string, string>;
}

/** Synchronous by contract. Throws for tools that are not there; undefined where there is nothing to offer. */
export function selectTools(toolset: Toolset | undefined, wanted?: readonly string[]): ToolSelection | undefined {
  if (!toolset) {
    if (wanted && wanted.length > 0) throw new ToolsetNotRegisteredError(wanted);
    return undefined;
  }
  const known = new Set(toolset.tools.map(({ name }) => name));
  const missing = wanted?.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new ToolNotFoundError(`there is no tool "${missing}"; registered are: ${[...known].join(", ")}`, { facts: { tool: missing } });
  const tools = wanted ? toolset.tools.filter(({ name }) => wanted.includes(name)) : toolset.tools;
  if (tools.length === 0) return undefined;
  const selected = { ...toolset, tools };
  const clientNames = toClientNames(tools);
  return { toolset: selected, names: new Map([...clientNames].map(([client, name]) => [`mcp__${toolset.serverName}__${client}`, name])) };
}

export interface ToolEndpoint {
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  start(): Promise<void>;
  /** Aborts what still runs; nothing is left. */
  stop(): Promise<void>;
}

type SessionOption = "directory" | "bridgeCommand" | "connections" | "reconnect";

export interface EndpointOptions extends Pick<ClaudeCodeModelOptions, SessionOption | "toolRestrictions"> {
  /** False for a run that may be left waiting. */
  readonly keepsAlive?: boolean | undefined;
  /** Told of each failure of a function, besides the model. */
  readonly onToolError?: ((error: IPCToolExecutionError) => void) | undefined;
}

/** Prepared, not started: no file, no listener. */
export function createEndpoint({ tools, serverName, transport }: Toolset, options: EndpointOptions = {}): ToolEndpoint {
  const { directory, bridgeCommand, connections, reconnect, toolRestrictions, keepsAlive, onToolError } = options;
  const offered = tools.map((tool) => watched(withRestrictions(tool, toolRestrictions), onToolError));
  if (transport === "sdk") {
    const server = createInProcessServer(offered, { alwaysLoad: true });
    const { start, stop } = server;
    return { mcpServers: { [serverName]: { type: "sdk", name: serverName, instance: server } }, start, stop };
  }
  const session = createIPCSession(offered, {
    alwaysLoad: true,
    connections,
    reconnect,
    ...(directory !== undefined && { directory }),
    ...(bridgeCommand !== undefined && { bridgeCommand }),
    ...(keepsAlive !== undefined && { keepsAlive }),
  });
  const { start, stop } = session;
  return { mcpServers: { [serverName]: session.mcpServerConfig }, start, stop };
}

function watched(tool: Tool, onError: EndpointOptions["onToolError"]): Tool {
  if (!onError) return tool;
  return {
    ...tool,
    async run(args: never, context) {
      try {
        return await tool.run(args, context);
      } catch (cause) {
        onError(new IPCToolExecutionError(`tool "${tool.name}" failed: ${describeThrown(cause)}`, { cause, facts: { tool: tool.name } }));
        throw cause;
      }
    },
  };
}
