// Tools that take a while to come: of MCP servers, of an API, of a user's modules. Nobody waits for them but
// the first turn, and it only for a time. A source that fails costs a line in the log and its own tools. No
// tool takes the place of one that came before it.

import { describeThrown, limits, type Tool } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";

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

export interface LateTools {
  tools(): readonly Tool[];
  /** Begins to load, once. Resolves when all have come or failed, or the time is over. */
  whenLoaded(): Promise<void>;
}

export function createLateTools(first: readonly Tool[], sources: readonly ToolSource[], waitMs = limits.agentLateToolsMs): LateTools {
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
    const byName = new Map(first.map((tool) => [tool.name, tool]));
    for (const { label, tools } of loaded) {
      for (const tool of tools()) {
        if (byName.has(tool.name)) tellOnce(tool.name, label);
        else byName.set(tool.name, tool);
      }
    }
    return [...byName.values()];
  }

  async function loadAll(): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      logLine(`[hawser] some tools have not come within ${waitMs} ms; they are offered when they do`);
      over.resolve();
    }, waitMs);
    await Promise.race([Promise.all(sources.map(loadOne)), over.promise]);
    clearTimeout(timer);
  }

  return {
    tools: allTools,
    whenLoaded: () => (loading ??= sources.length === 0 ? Promise.resolve() : loadAll()),
  };
}
