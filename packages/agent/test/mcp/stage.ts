// What the tests of MCP servers share: the fixtures as configuration, a folder that goes with the test, and
// calls of tools as the runtime makes them.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolContext } from "@hawser/tools";
import type { ConfiguredServer } from "../../src/config/agent-config.ts";
import { connectMcpServers, type McpServers, type McpServersOptions } from "../../src/mcp/connect-servers.ts";
import { fromMcpResult, isMcpResult } from "../../src/tool-value.ts";

const fixture = (name: string): string => join(import.meta.dirname, "../fixtures", name);

// A server gets only what its configuration says: also where the code that the tests have compiled is kept.
const env = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };

export const official = { command: process.execPath, args: ["--conditions=hawser-source", fixture("mcp-stdio.ts")], env };
/** Neither answers nor ends. A shell, since it has said who it is long before the time to connect is over, on a busy machine too. */
export const deaf: ConfiguredServer = { command: "sh", args: ["-c", "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"] };
export const odd = (mode: string) => ({ command: process.execPath, args: [fixture("mcp-odd.ts"), mode], env });

export interface Stage extends AsyncDisposable {
  readonly servers: McpServers;
  readonly notices: string[];
  readonly folder: string;
  call(name: string, args?: Record<string, unknown>, context?: Partial<ToolContext>): Promise<unknown>;
}

export async function openStage(configuration: Record<string, ConfiguredServer>, options: McpServersOptions = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "hawser-mcp-"));
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  // A busy machine needs long to start a server, and a test that wants a short time says so.
  const servers = connectMcpServers(configuration, { onNotice, cwd: folder, mcpConnectMs: 120_000, ...options });
  await servers.whenReady(150_000);
  return {
    servers,
    notices,
    folder,
    async call(name, args = {}, context = {}) {
      const tool = servers.tools().find((candidate) => candidate.name === name);
      if (!tool)
        throw new TypeError(
          `no tool ${name}; there are ${servers
            .tools()
            .map((known) => known.name)
            .join(", ")}`,
        );
      const signal = new AbortController().signal;
      const result = await tool.run(args as never, { signal, progress() {}, log() {}, client: undefined, ...context });
      // As the runtime does.
      return isMcpResult(result) ? fromMcpResult(result) : result;
    },
    async [Symbol.asyncDispose]() {
      await servers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
