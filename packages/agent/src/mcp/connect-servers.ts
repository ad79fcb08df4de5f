// The MCP servers of a configuration as tools. They are connected to side by side and in the background:
// the runtime doesn't wait for them, and their tools appear when they are there. Closing ends every child.

import { agentLimits } from "../limits.ts";
import { HawserError } from "@hawser/protocol";
import { isSettledWithin, whenAborted } from "@hawser/wire/internal";
import type { Tool } from "@hawser/tools";
import type { ConfiguredServer } from "../config/agent-config.ts";
import { createMcpServer, type McpServerStatus } from "./mcp-server.ts";

export interface McpServersOptions {
  /** Told what a user may want to know: a server that fails or is lost, a tool that is left out. */
  onNotice?(message: string): void;
  /** Closes all of them when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Where servers are started unless they have a `cwd` of their own. */
  readonly cwd?: string | undefined;
  /** Where `${NAME}` in the configuration is looked up. Servers get an allow-list of it, and their own `env`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The product's version, as servers are told. */
  readonly version?: string | undefined;
  readonly mcpConnectMs?: number | undefined;
}

export interface McpServers {
  /** Of all servers that have listed theirs, in the order of the configuration. */
  tools(): readonly Tool[];
  /** Resolves when every server was connected to or has failed, or after this time. */
  whenReady(ms: number): Promise<void>;
  status(): readonly McpServerStatus[];
  close(): Promise<void>;
}

export function connectMcpServers(configuration: Readonly<Record<string, ConfiguredServer>>, options: McpServersOptions = {}): McpServers {
  const { onNotice = () => {}, signal, cwd = process.cwd(), env = process.env, version = "0.0.0", mcpConnectMs } = options;
  const entries = Object.entries(configuration);
  if (entries.length > agentLimits.mcpServerEntries)
    throw new HawserError("usage", `${entries.length} MCP servers; at most ${agentLimits.mcpServerEntries} are possible`);
  const servers = entries.map(([name, configured]) =>
    createMcpServer({ name, configured, environment: env, cwd, version, mcpConnectMs, onNotice }),
  );
  const over = new AbortController();
  let closing: Promise<void> | undefined;

  const close = (): Promise<void> => {
    over.abort();
    return (closing ??= Promise.all(servers.map((server) => server.close())).then(() => {}));
  };
  void whenAborted(signal, over.signal).then(close);

  return {
    tools() {
      // The first one of a name wins: a server can't put its tool in the place of another server's.
      const all = servers.flatMap(({ tools }) => tools);
      return [...new Map(all.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
    },
    async whenReady(ms) {
      await isSettledWithin(Promise.all(servers.map(({ ready }) => ready)), ms);
    },
    status: () => servers.map((server) => server.status),
    close,
  };
}
