// The same tools for a client in this very process, such as the Claude Agent SDK: an MCP server without a
// socket, a file or a process. The MCP library is loaded when one is started, not by everybody who imports
// the bridge. Stopping aborts what still runs.

import type { CallToolResult, Server, ServerContext, Transport } from "@modelcontextprotocol/server";
import { HawserError, type Tool, type ToolContext } from "@hawser/wire";
import type { ToolSchema } from "./contract.ts";
import { toClientTools, type ClientTools } from "./process/client-tools.ts";
import { createProgressReporter } from "./process/progress.ts";
import { createToolHost, type ToolHost, type ToolHostOptions } from "./tool-host.ts";

export interface InProcessServer {
  /** Loads what `connect` needs, so that no early message is missed. */
  start(): Promise<void>;
  /** Serves one client; the transport is one of the MCP library. */
  connect(transport: never): Promise<void>;
  stop(): Promise<void>;
}

export function createInProcessServer(tools: readonly Tool[], options: ToolHostOptions = {}): InProcessServer {
  const host = createToolHost(tools, options);
  const clientTools = toClientTools(host.schemas);
  const stopped = new AbortController();
  const servers = new Set<Server>();
  let loading: Promise<typeof import("@modelcontextprotocol/server")> | undefined;
  const load = (): NonNullable<typeof loading> => (loading ??= import("@modelcontextprotocol/server"));

  return {
    start: async () => void (await load()),
    async connect(transport) {
      const { Server: ServerClass } = await load();
      stopped.signal.throwIfAborted();
      const server = new ServerClass({ name: "hawser", version: "0.0.0" }, { capabilities: { tools: {}, logging: {} } });
      serve(server, { host, clientTools, signal: stopped.signal });
      servers.add(server);
      await server.connect(transport as Transport);
    },
    async stop() {
      stopped.abort(new HawserError("cancelled", "the server was stopped"));
      await Promise.allSettled([...servers].map((server) => server.close()));
    },
  };
}

interface Serving {
  readonly host: ToolHost;
  readonly clientTools: ClientTools;
  readonly signal: AbortSignal;
}

function serve(server: Server, { host, clientTools, signal }: Serving): void {
  // One page: nothing has to fit into a line.
  const tools = clientTools.pages.flat();
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const name = clientTools.originals.get(params.name)?.name ?? params.name;
    const calling = createCallContext(server, context, signal);
    try {
      const answer = await host.call(name, params.arguments ?? {}, calling.context);
      if ("result" in answer) return answer.result as CallToolResult;
      const { message, type } = answer.error;
      return { content: [{ type: "text", text: message }], isError: true, _meta: { error: { type } } };
    } finally {
      calling.end();
    }
  });
}

function createCallContext(server: Server, { mcpReq }: ServerContext, signal: AbortSignal): { context: ToolContext; end(): void } {
  const call = new AbortController();
  const onAbort = (): void => call.abort((signal.aborted ? signal : mcpReq.signal).reason);
  for (const source of [signal, mcpReq.signal]) source.addEventListener("abort", onAbort);
  if (signal.aborted || mcpReq.signal.aborted) onAbort();
  const ignore = (): void => {};
  const client = server.getClientVersion();
  const progress = createProgressReporter({
    signal: call.signal,
    client,
    progressToken: mcpReq._meta?.progressToken,
    notifyProgress: (params) => void mcpReq.notify({ method: "notifications/progress", params }).catch(ignore),
    log: ignore,
  });
  const context: ToolContext = {
    signal: call.signal,
    client: client && { name: client.name, version: client.version },
    progress(done, total, message) {
      if (!Number.isFinite(done)) return;
      const details = { ...(total !== undefined && Number.isFinite(total) && { total }), ...(message !== undefined && { message }) };
      progress.report({ progress: done, ...details });
    },
    log: (message, level = "info") => void mcpReq.log(level, message).catch(ignore),
  };
  return {
    context,
    end() {
      progress.stop();
      for (const source of [signal, mcpReq.signal]) source.removeEventListener("abort", onAbort);
    },
  };
}

/** The tools by the names under which MCP clients know them: names that clients can't take are replaced. */
export function toClientNames(schemas: readonly ToolSchema[]): ReadonlyMap<string, string> {
  return new Map([...toClientTools(schemas).originals].map(([client, { name }]) => [client, name]));
}
