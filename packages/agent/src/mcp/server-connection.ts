// One connection to an MCP server: agreed on the protocol, bounded in time, and closed whatever happens.
// The MCP client is loaded when the first server is connected to, not before.

import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import type { ToolContext } from "@hawser/tools";
import { callScope, createHttpFetch } from "./http-fetch.ts";
import type { RemoteTool } from "./remote-tool.ts";
import type { ServerAddress } from "./server-address.ts";
import { createStdioTransport, type StdioTransportOptions } from "./stdio-transport.ts";

export interface ConnectOptions extends Omit<StdioTransportOptions, "address"> {
  readonly address: ServerAddress;
  readonly version: string;
  /** Ends the attempt to connect. */
  readonly signal: AbortSignal;
}

export type ServerConnection = Awaited<ReturnType<typeof connectServer>>;

export async function connectServer(options: ConnectOptions) {
  const { address, signal } = options;
  const { createMCPClient } = await import("@ai-sdk/mcp");
  const child = address.type === "stdio" ? createStdioTransport({ ...options, address }) : undefined;
  const transport = child ?? { ...(address as Extract<ServerAddress, { url: string }>), fetch: createHttpFetch() };
  const connecting = createMCPClient({
    transport,
    clientName: "hawser-agent",
    version: options.version,
    initializationOptions: { signal },
    // Messages without a waiter; an error of a call reaches the call.
    onUncaughtError() {},
  });
  const client = await connecting.catch(async (error: unknown) => {
    // The client does not wait for it when it was told to hurry.
    await child?.close();
    throw error;
  });

  async function listTools(signal: AbortSignal): Promise<RemoteTool[]> {
    const tools: RemoteTool[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await client.listTools({ params: cursor === undefined ? {} : { cursor }, options: { signal } });
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (cursor !== undefined && seen.has(cursor)) throw new HawserError("connection_failed", "its list of tools has no end");
      if (cursor !== undefined) seen.add(cursor);
    } while (cursor !== undefined && tools.length <= agentLimits.mcpToolEntries);
    return tools;
  }

  /** The result as the server gave it. Rejects for errors of the protocol, and when the call is over early. */
  async function call(toolName: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const over = new AbortController();
    const scope = { progress: context.progress, fail: (error: Error) => over.abort(error) };
    const callOptions = { signal: AbortSignal.any([context.signal, over.signal]) };
    try {
      return await callScope.run(scope, () => client.callTool({ name: toolName, arguments: args, options: callOptions }));
    } catch (error) {
      context.signal.throwIfAborted();
      throw over.signal.aborted ? (over.signal.reason as Error) : error;
    }
  }

  return { listTools, call, close: () => client.close() };
}
