// The MCP servers of a configuration as tools. They are connected to side by side and in the background: the runtime doesn't wait for
// them, and their tools appear when they are there. With another configuration, only what has changed is closed and connected anew.
// Closing ends every child.

import { agentLimits } from "../limits.ts";
import { HawserError } from "@hawser/protocol";
import { isSettledWithin, whenAborted } from "@hawser/wire/internal";
import type { Tool } from "@hawser/tools";
import type { ConfiguredServer } from "../config/agent-config.ts";
import { createMcpServer, type ListedTool, type McpServer, type McpServerStatus } from "./mcp-server.ts";

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
  /** What a server has listed; nothing for one that there is not. */
  toolsOf(name: string): readonly ListedTool[];
  /** Another configuration: servers that are in it as before stay as they are. Resolves when those that are not are closed. */
  update(configuration: ServerConfiguration): Promise<void>;
  /** Resolves when it was connected to anew, or that has failed. Throws `usage` for a server that there is not. */
  restart(name: string): Promise<void>;
  close(): Promise<void>;
}

export type ServerConfiguration = Readonly<Record<string, ConfiguredServer>>;

interface Entry {
  readonly configured: ConfiguredServer;
  readonly server: McpServer;
}

export function connectMcpServers(configuration: ServerConfiguration, options: McpServersOptions = {}): McpServers {
  const { onNotice = () => {}, signal, cwd = process.cwd(), env = process.env, version = "0.0.0", mcpConnectMs } = options;
  const over = new AbortController();
  let entries: ReadonlyMap<string, Entry> = new Map();
  let closing: Promise<void> | undefined;
  const servers = (): McpServer[] => [...entries.values()].map(({ server }) => server);

  const create = (name: string, configured: ConfiguredServer): Entry => ({
    configured,
    server: createMcpServer({ name, configured, environment: env, cwd, version, mcpConnectMs, onNotice }),
  });

  /** Those that stay, with what of them is offered now; the others are closed. */
  async function closeOthers(wanted: ReadonlyMap<string, ConfiguredServer>): Promise<void> {
    const leaving: McpServer[] = [];
    const staying = new Map<string, Entry>();
    for (const [name, entry] of entries) {
      const configured = wanted.get(name);
      if (!configured || !isSameServer(entry.configured, configured)) leaving.push(entry.server);
      else {
        entry.server.disable(configured.disabledTools ?? []);
        staying.set(name, { ...entry, configured });
      }
    }
    entries = staying;
    await Promise.all(leaving.map((server) => server.close()));
  }

  const connectAll = (wanted: ReadonlyMap<string, ConfiguredServer>): ReadonlyMap<string, Entry> =>
    new Map([...wanted].map(([name, configured]) => [name, entries.get(name) ?? create(name, configured)]));

  const close = (): Promise<void> => {
    over.abort();
    return (closing ??= Promise.all(servers().map((server) => server.close())).then(() => {}));
  };

  entries = connectAll(toWanted(configuration));
  void whenAborted(signal, over.signal).then(close);

  return {
    tools() {
      // The first one of a name wins: a server can't put its tool in the place of another server's.
      const all = servers().flatMap(({ tools }) => tools);
      return [...new Map(all.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
    },
    async whenReady(ms) {
      await isSettledWithin(Promise.all(servers().map(({ ready }) => ready)), ms);
    },
    status: () => servers().map((server) => server.status),
    toolsOf: (name) => entries.get(name)?.server.listed ?? [],
    async update(next) {
      const wanted = toWanted(next);
      // First: a new one may need what the old one holds, such as a port.
      await closeOthers(wanted);
      if (!closing) entries = connectAll(wanted);
    },
    async restart(name) {
      const known = entries.get(name);
      if (!known) throw new HawserError("usage", `no MCP server of this name is in use; there are: ${[...entries.keys()].join(", ")}`);
      await known.server.close();
      if (closing) return;
      // Meanwhile it may have got another configuration, have left, or have been replaced.
      const present = entries.get(name);
      if (present?.server === known.server) entries = new Map(entries).set(name, create(name, present.configured));
      await entries.get(name)?.server.ready;
    },
    close,
  };
}

/** Those that are not switched off. Throws `usage` for more than there may be. */
export function toWanted(configuration: ServerConfiguration): ReadonlyMap<string, ConfiguredServer> {
  const wanted = new Map(Object.entries(configuration).filter(([, { disabled }]) => disabled !== true));
  if (wanted.size > agentLimits.mcpServerEntries)
    throw new HawserError("usage", `${wanted.size} MCP servers; at most ${agentLimits.mcpServerEntries} are possible`);
  return wanted;
}

/** Whether it need not be connected to anew: which of its tools are offered is decided here. */
const isSameServer = (one: ConfiguredServer, other: ConfiguredServer): boolean =>
  JSON.stringify({ ...one, disabledTools: undefined }) === JSON.stringify({ ...other, disabledTools: undefined });
