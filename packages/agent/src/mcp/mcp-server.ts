// The life of one MCP server. It is connected to in the background; its tools are there once it has listed
// them. One that is lost is a notice; the next call of one of its tools connects again, a few times in a row
// without an answered call, and then says that the server is lost. Nothing is ever called twice.

import { agentLimits } from "../limits.ts";
import { createNoiseLog, describeThrown, HawserError, isRecord, reveal, toErrorText } from "@hawser/protocol/internal";
import { untilAborted } from "@hawser/wire/internal";
import type { Tool, ToolContext } from "@hawser/tools";
import type { ConfiguredServer } from "../config/agent-config.ts";
import { fromMcpResult, isMcpResult } from "../tool-value.ts";
import { toServerTools, type RemoteTool } from "./remote-tool.ts";
import { locateServer } from "./server-address.ts";
import { connectServer, type ServerConnection } from "./server-connection.ts";

export interface McpServerOptions {
  readonly name: string;
  readonly configured: ConfiguredServer;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly version: string;
  readonly mcpConnectMs?: number | undefined;
  onNotice(message: string): void;
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: "connecting" | "connected" | "failed" | "lost" | "closed";
  readonly reason?: string;
}

/** A tool as the server calls it, and whether it is offered. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly on: boolean;
}

export type McpServer = ReturnType<typeof createMcpServer>;

export function createMcpServer(options: McpServerOptions) {
  const { name } = options;
  const closing = new AbortController();
  let status: McpServerStatus = { name, state: "connecting" };
  let remote: readonly RemoteTool[] = [];
  let tools: readonly Tool[] = [];
  let disabled: readonly string[] = options.configured.disabledTools ?? [];
  let connecting: Promise<ServerConnection> | undefined;
  let startsInRow = 0;
  let hide = (text: string): string => text;

  const clean = (text: string): string => toErrorText(hide(text));
  // One line, in which the server's words can't act on a terminal or look like lines of ours.
  const notice = (message: string): void =>
    options.onNotice(`MCP server "${name}": ${reveal(clean(message).replaceAll(/\s*\n\s*/g, " "))}`);
  const noteNoise = createNoiseLog(notice, (text) => hide(text));
  const fail = (code: "tool_failed" | "connection_lost" | "closed", text: string): HawserError =>
    new HawserError(code, `MCP server "${name}": ${clean(text)}`);

  async function open(): Promise<ServerConnection> {
    const located = locateServer(options.configured, options.environment, name);
    hide = located.hide;
    let connection: ServerConnection | undefined;
    let lost: string | undefined;
    const { signal, stop } = startClock();
    try {
      connection = await connectServer({
        ...options,
        address: located.address,
        signal,
        onLost(reason) {
          lost = reason;
          if (connection) lose(connection, reason);
        },
        onToolsChanged() {
          if (connection) listAgain(connection);
        },
        onNoise: noteNoise,
      });
      await list(connection, signal);
      return connection;
    } catch (error) {
      await connection?.close();
      if (signal.aborted) throw signal.reason;
      // How it ended says more than that it did.
      throw lost === undefined ? error : new HawserError("connection_lost", lost, { cause: error });
    } finally {
      stop();
    }
  }

  /** For whatever has to be answered within the time to connect. */
  function startClock(): { signal: AbortSignal; stop(): void } {
    const clock = new AbortController();
    const ms = options.mcpConnectMs ?? agentLimits.mcpConnectMs;
    const timer = setTimeout(() => clock.abort(new HawserError("timeout", `it has not answered within ${ms} ms`)), ms);
    return { signal: AbortSignal.any([closing.signal, clock.signal]), stop: () => clearTimeout(timer) };
  }

  async function list(connection: ServerConnection, signal: AbortSignal): Promise<void> {
    const all = await connection.listTools(signal);
    const named = all.filter((tool) => tool.name.length <= agentLimits.mcpToolNameChars);
    if (named.length < all.length)
      notice(
        `${all.length - named.length} of its tools are left out: their names have more than ${agentLimits.mcpToolNameChars} characters`,
      );
    remote = named.slice(0, agentLimits.mcpToolEntries + 1);
    offer();
  }

  function offer(): void {
    const offered = remote.filter((tool) => !disabled.includes(tool.name));
    tools = toServerTools(name, offered, call, notice);
  }

  function listAgain(connection: ServerConnection): void {
    const { signal, stop } = startClock();
    list(connection, signal)
      .catch((error: unknown) => notice(`its tools can't be listed again: ${explain(error)}`))
      .finally(stop);
  }

  function connect(): Promise<ServerConnection> {
    const attempt = open();
    connecting = attempt;
    status = { name, state: "connecting" };
    attempt.then(
      () => connecting === attempt && (status = { name, state: "connected" }),
      (error: unknown) => connecting === attempt && leave(remote.length === 0 ? "failed" : "lost", explain(error)),
    );
    return attempt;
  }

  function leave(state: "failed" | "lost", reason: string): void {
    connecting = undefined;
    if (closing.signal.aborted) return;
    status = { name, state, reason: clean(reason) };
    notice(state === "failed" ? `can't be connected to: ${reason}` : `is lost: ${reason}`);
  }

  /** Only for the connection in use; what an earlier one says does not count any more. */
  function lose(connection: ServerConnection, reason: string): void {
    connecting
      ?.then((current) => {
        if (current !== connection) return;
        leave("lost", reason);
        connection.close().catch(() => {});
      })
      .catch(() => {});
  }

  async function connected(): Promise<ServerConnection> {
    if (closing.signal.aborted) throw fail("closed", "the connection is closed");
    if (!connecting && startsInRow >= agentLimits.mcpRestartEntries) {
      const advice = `also after ${startsInRow} new starts. Start the agent again`;
      throw fail("connection_lost", `is lost (${status.reason ?? "it does not answer"}), ${advice}`);
    }
    if (!connecting) startsInRow += 1;
    return (connecting ?? connect()).catch((error: unknown) => {
      throw fail("connection_lost", `is lost, and can't be connected to: ${explain(error)}`);
    });
  }

  async function call(toolName: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const connection = await untilAborted(context.signal, connected());
    let result: unknown;
    try {
      result = await connection.call(toolName, args, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (isConnectionFault(error)) lose(connection, explain(error));
      // The reason of a loss is known in the next turn of the loop, and says more than the error that it causes.
      await new Promise((resolve) => setImmediate(resolve));
      throw status.state === "lost" ? fail("connection_lost", `is lost: ${status.reason}`) : fail("tool_failed", explain(error));
    }
    startsInRow = 0;
    try {
      // As a whole result again, whose value is taken out once: it may itself look like one.
      return { content: [], structuredContent: isMcpResult(result) ? fromMcpResult(result) : toLegacyValue(result) };
    } catch (error) {
      throw fail("tool_failed", describeThrown(error));
    }
  }

  return {
    get tools(): readonly Tool[] {
      return tools;
    },
    get status(): McpServerStatus {
      return status;
    },
    /** All that it has listed, also those that are not offered. */
    get listed(): readonly ListedTool[] {
      return remote.map(({ name: toolName, title, description }) => ({
        name: toolName,
        description: description ?? title ?? "",
        on: !disabled.includes(toolName),
      }));
    },
    /** The tools that are not offered from now on. */
    disable(names: readonly string[]): void {
      disabled = names;
      offer();
    },
    /** Resolves when it was connected to for the first time, or that has failed. */
    ready: connect().then(
      () => {},
      () => {},
    ),
    async close(): Promise<void> {
      const connection = connecting;
      closing.abort(fail("closed", "the connection is closed"));
      await (await connection?.catch(() => undefined))?.close();
      status = { name, state: "closed" };
    },
  };
}

/** An address that does not answer, or has forgotten the session. A child tells by itself that it is gone. */
const isConnectionFault = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) => (cause as { statusCode?: unknown }).statusCode === 404 || (cause instanceof TypeError && cause.cause !== undefined),
  );

/** The MCP client wraps what happened; a reader wants to know what it was. */
const explain = (error: unknown): string => [...new Set(causesOf(error).map((cause) => describeThrown(cause)))].join(": ");

function causesOf(error: unknown, depth = 1): readonly unknown[] {
  const cause = error instanceof Error && error.cause instanceof Error && depth < maxCauses ? causesOf(error.cause, depth + 1) : [];
  return [error, ...cause];
}

// A chain may be a circle.
const maxCauses = 4;

/** Servers of the first days have no content. */
const toLegacyValue = (result: unknown): unknown => (isRecord(result) ? (result["toolResult"] ?? result) : null);
