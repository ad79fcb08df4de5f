// The same tools for a client in this very process, such as the Claude Agent SDK: an MCP server without a socket, a file or a
// process. The MCP library is loaded when one is started, so importing the bridge stays cheap.

import type { CallToolResult, Server, ServerContext, Transport } from "@modelcontextprotocol/server";
import { HawserError } from "@hawser/protocol";
import type { Tool, ToolContext } from "@hawser/tools";
import { linkSignals } from "@hawser/wire/internal";
import { toClientTools, type ClientTools } from "../contract/client-tools.ts";
import { createProgressReporter, toProgress, type ProgressParams } from "../contract/notes.ts";
import { createContractTools, type ContractTools, type ContractToolsOptions } from "./contract-tools.ts";

export interface InProcessServer {
  /** Loads what `connect` needs, so that no early message is missed. */
  start(): Promise<void>;
  /** Serves one client; the transport is one of the MCP library. */
  connect(transport: never): Promise<void>;
  stop(): Promise<void>;
}

export function createInProcessServer(tools: readonly Tool[], options: ContractToolsOptions = {}): InProcessServer {
  const contractTools = createContractTools(tools, options);
  const clientTools = toClientTools(contractTools.schemas);
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
      serve(server, contractTools, clientTools, stopped.signal);
      servers.add(server);
      await server.connect(transport as Transport);
    },
    async stop() {
      stopped.abort(new HawserError("cancelled", "the server was stopped"));
      await Promise.allSettled([...servers].map((server) => server.close()));
    },
  };
}

function serve(server: Server, contractTools: ContractTools, clientTools: ClientTools, signal: AbortSignal): void {
  // All pages at once: nothing has to fit into a line.
  const tools = clientTools.pages.flat();
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const name = clientTools.originals.get(params.name)?.name ?? params.name;
    const calling = createCallContext(server, context, signal);
    try {
      const answer = await contractTools.call(name, params.arguments ?? {}, calling.context);
      if ("result" in answer) return answer.result as CallToolResult;
      const { message, type } = answer.error;
      return { content: [{ type: "text", text: message }], isError: true, _meta: { error: { type } } };
    } finally {
      calling.end();
    }
  });
}

function createCallContext(server: Server, { mcpReq }: ServerContext, signal: AbortSignal): { context: ToolContext; end(): void } {
  const linked = linkSignals(signal, mcpReq.signal);
  const ignore = (): void => {};
  const client = server.getClientVersion();
  const token = mcpReq._meta?.progressToken;
  const notify = (params: ProgressParams): void =>
    void mcpReq.notify({ method: "notifications/progress", params: { ...params } }).catch(ignore);
  const reporter = token === undefined ? undefined : createProgressReporter(token, notify);
  const context: ToolContext = {
    signal: linked.signal,
    client: client && { name: client.name, version: client.version },
    progress(...told) {
      const progress = toProgress(...told);
      if (progress) reporter?.report(progress);
    },
    log: (message, level = "info") => void mcpReq.log(level, message).catch(ignore),
  };
  return {
    context,
    end() {
      reporter?.stop();
      linked.release();
    },
  };
}

/** The tools' names by the names that MCP clients know, since some have to be replaced. Throws `usage` for a tool that can't be offered. */
export function toClientNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  return new Map([...toClientTools(createContractTools(tools).schemas).originals].map(([client, { name }]) => [client, name]));
}
