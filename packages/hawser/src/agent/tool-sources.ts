// An agent's tools besides its own: of MCP servers, of operations of an HTTP API, of the user's modules. Only the first turn
// waits for them, and not for ever. A source that fails costs its own tools. Of two tools with one name the first one stays.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentConfig, ConfiguredGateway } from "@hawser/agent";
import { describeThrown, HawserError } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { isSettledWithin } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { hawserLimits } from "../limits.ts";
import { createConfiguredServers } from "./configured-servers.ts";
import type { AgentFlags } from "./flags.ts";

export interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** What names tools: the configuration, a folder, or a host for one conversation. */
export interface ToolNames extends Pick<AgentConfig, "mcpServers" | "tools" | "gateway"> {
  /** Digests of modules that were trusted as they were then, by their path. */
  readonly modules?: ReadonlyMap<string, string> | undefined;
}

export function createToolSources({ mcpServers = {}, tools = [], modules, gateway }: ToolNames, place: Place) {
  const servers = createConfiguredServers(mcpServers, place);
  return {
    list: [
      ...tools.map((path) => ({ label: path, load: () => loadModule(path, modules?.get(path)) })),
      ...(gateway ? [{ label: "the gateway", load: () => loadGateway(gateway, place) }] : []),
      { label: "the MCP servers", load: servers.load },
    ] satisfies ToolSource[],
    servers,
    close: servers.close,
  };
}

/** What is wrong inside a module costs its tools and is said when it is loaded; that a flag names none is said at once. */
export function toolModulesOf({ tools = [] }: AgentFlags, cwd: string): string[] {
  const named = tools.map((path) => resolve(cwd, path));
  const missing = named.find((path) => !existsSync(path));
  if (missing !== undefined) throw new HawserError("usage", `there is no module ${missing}; --tools takes a .ts or .js file`);
  return named;
}

async function loadModule(path: string, digest: string | undefined): Promise<LoadedTools> {
  const [{ loadTools }, { toTools }, { inForeignScope, readModule }] = await Promise.all([
    import("../expose/load-tools.ts"),
    import("@hawser/tools/internal"),
    import("@hawser/agent/internal"),
  ]);
  // A module that ends the process while it is loaded would end the turns of others.
  const content = digest === undefined ? undefined : readModule(path);
  if (content && createHash("sha256").update(content).digest("hex") !== digest)
    throw new HawserError("usage", "it has changed since it was trusted; it is asked about when the folder is used again");
  const tools = toTools(await inForeignScope(`the module ${path}`, () => loadTools(path, content)));
  return { tools: () => tools };
}

async function loadGateway({ profile, url, specFile, ...selection }: ConfiguredGateway, place: Place): Promise<LoadedTools> {
  const { gatewayTools } = await import("@hawser/gateway");
  const tools = await gatewayTools({ profile, gatewayUrl: url, specFile, ...place }, selection);
  return { tools: () => tools };
}

export interface LoadedTools {
  /** Those that are there now. */
  tools(): readonly Tool[];
  /** More may come until this resolves. */
  readonly ready?: Promise<void>;
}

export interface ToolSource {
  /** For the log: `the MCP servers`, a module's path. */
  readonly label: string;
  load(): Promise<LoadedTools>;
}

/** `first`: tools that are there at once, which may change. */
export function createLateTools(first: () => readonly Tool[], sources: readonly ToolSource[], waitMs = hawserLimits.agentLateToolsMs) {
  const loaded: { label: string; tools: () => readonly Tool[] }[] = [];
  const leftOut = new Set<string>();
  let loading: Promise<void> | undefined;

  async function loadOne({ label, load }: ToolSource): Promise<void> {
    try {
      const { tools, ready } = await load();
      loaded.push({ label, tools });
      await ready;
    } catch (error) {
      logLine(`[hawser] no tools of ${label}: ${describeThrown(error)}`);
    }
  }

  function tellOnce(name: string, label: string): void {
    const line = `[hawser] the tool ${JSON.stringify(name)} of ${label} is left out: another one has that name`;
    if (!leftOut.has(line)) logLine(line);
    leftOut.add(line);
  }

  function allTools(): readonly Tool[] {
    const byName = new Map(first().map((tool) => [tool.name, tool]));
    for (const { label, tools } of loaded) {
      for (const tool of tools()) {
        if (byName.has(tool.name)) tellOnce(tool.name, label);
        else byName.set(tool.name, tool);
      }
    }
    return [...byName.values()];
  }

  async function loadAll(): Promise<void> {
    if (!(await isSettledWithin(Promise.all(sources.map(loadOne)), waitMs)))
      logLine(`[hawser] some tools have not come within ${waitMs} ms; they are offered when they do`);
  }

  return {
    tools: allTools,
    /** Begins to load, once. Resolves when all have come or failed, or the time is over. */
    whenLoaded: (): Promise<void> => (loading ??= sources.length === 0 ? Promise.resolve() : loadAll()),
  };
}
