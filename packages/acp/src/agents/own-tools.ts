// The tools of this process inside an agent of others: one bridge session for a conversation, which the agent reaches as an
// MCP server. A call runs in the turn that is running, with its permissions; without one it is refused.

import type { McpServer } from "@agentclientprotocol/sdk";
import type { DelegatedTurn } from "@hawser/agent";
import { createIPCSession, toClientNames, type IPCSession } from "@hawser/bridge/internal";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { toJsonSchema, type Tool } from "@hawser/tools/internal";
import type { ToolUse } from "./tool-uses.ts";

/** How agents know the server. */
const serverName = "hawser";

export type OwnTools = Awaited<ReturnType<typeof offerTools>>;

/** `turn`: the one that is running now. */
export async function offerTools(tools: readonly Tool[], turn: () => DelegatedTurn | undefined) {
  const offered = tools.map(({ name, description, annotations, output, maxResultSizeChars, input }): Tool => ({
    name,
    description,
    ...(annotations && { annotations }),
    ...(output && { output }),
    ...(maxResultSizeChars !== undefined && { maxResultSizeChars }),
    // As JSON: what a validator makes of the arguments is made where the tool runs, and whose turn it is is decided there too.
    input: toJsonSchema(name, input),
    run(args: Record<string, unknown>, { signal }) {
      const running = turn();
      if (!running) throw new HawserError("usage", "no turn of the conversation runs, so its tools can't be used now");
      return running.callTool(name, args, signal);
    },
  }));
  const clientNames = toClientNames(offered);
  const session: IPCSession | undefined = offered.length === 0 ? undefined : createIPCSession(offered, { keepsAlive: false });
  await session?.start();
  return {
    servers: session ? [toServer(session)] : [],
    /** Which of the tools a use is about, by the forms in which the known agents say so; undefined for another one. */
    match: (use: ToolUse): { readonly toolName: string; readonly input: unknown } | undefined => {
      const call = callIn(use);
      const toolName = call && clientNames.get(call.name);
      return toolName === undefined ? undefined : { toolName, input: call?.input ?? {} };
    },
    stop: async (): Promise<void> => session?.stop(),
  };
}

function toServer({ mcpServerConfig: { command, args, env = {} } }: IPCSession): McpServer {
  return { name: serverName, command, args: [...args], env: Object.entries(env).map(([name, value]) => ({ name, value })) };
}

/**
 * Only where the agent names server and tool in a place that a model can't write to: a command that looks like one of our tools must
 * not be taken for it. Claude Code: the name `mcp__hawser__tool`. Codex: arguments `{server, tool, arguments}`. Gemini CLI: the title
 * `tool (hawser MCP Server)` of a use that is neither a command nor about a file. opencode: `hawser_tool`, and Goose: `hawser: tool`, in
 * the same way; Goose calls its commands `other` too, but their titles begin with `shell`, and they have a `command`.
 */
function callIn({ name = "", title = "", kind, input, blocks }: ToolUse): { readonly name: string; readonly input: unknown } | undefined {
  const byName = /^mcp__hawser__(.+)$/.exec(name)?.[1];
  if (byName !== undefined) return { name: byName, input };
  if (isRecord(input) && input["server"] === serverName && typeof input["tool"] === "string" && !("command" in input))
    return { name: input["tool"], input: input["arguments"] };
  const mayBeOurs = kind === "other" && !(isRecord(input) && "command" in input);
  const titled = mayBeOurs ? /^(\S+) \(hawser MCP Server\)$|^hawser(?:_|: )(\S+)$/.exec(title) : null;
  const byTitle = titled?.[1] ?? titled?.[2];
  if (byTitle === undefined) return undefined;
  const told = input ?? parseOrUndefined(blocks[0]?.["text"]);
  return isRecord(told) ? { name: byTitle, input: told } : undefined;
}

function parseOrUndefined(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
