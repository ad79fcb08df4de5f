// One `tools/call` of the client, carried to the parent and back. What the model can act on is a
// result with `isError`; only faults of the MCP protocol itself are JSON-RPC errors.

import { CLIENT_INFO_META_KEY, type CallToolRequest, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { limits, toHawserError, toIPCError, type LogLevel } from "@hawser/wire";
import type { ToolResult } from "../contract.ts";
import type { ClientTools } from "./client-tools.ts";
import { ParentError, type CallEvents } from "./connection.ts";
import type { Pool } from "./pool.ts";
import type { Spill } from "./spill.ts";

export interface RelayOptions {
  readonly clientTools: ClientTools;
  readonly pool: Pool;
  readonly spill: Spill;
  /** The client of the 2025 era, which names itself once; later ones do in every request. */
  initializedClient(): { name: string; version: string } | undefined;
  /** Aborted when the process ends and what still runs is cancelled. */
  readonly cancelling: AbortSignal;
}

export type Relay = (request: CallToolRequest, context: ServerContext) => Promise<CallToolResult>;

export function createRelay(options: RelayOptions): Relay {
  const { clientTools, pool, spill } = options;
  const structured = new Set(clientTools.tools.filter(({ outputSchema }) => outputSchema).map(({ name }) => name));

  return async ({ params }, context) => {
    const signal = AbortSignal.any([context.mcpReq.signal, options.cancelling]);
    const progress = createProgress(context);
    try {
      const name = clientTools.originalNames.get(params.name) ?? params.name;
      const events: CallEvents = { onProgress: progress.report, onLog: ({ level, message }) => log(context, level, message) };
      const client = namedInRequest(context) ?? options.initializedClient();
      const result = await pool.call({ params: { name, arguments: params.arguments ?? {} }, events, signal, client });
      const fitted = spill.fit(withStructuredValue(result), pool.privateDirectory);
      // A client that was promised structured content takes a result without it only as an error.
      const lacksPromised = structured.has(params.name) && fitted.structuredContent === undefined && fitted.isError !== true;
      return (lacksPromised ? { ...fitted, isError: true } : fitted) as CallToolResult;
    } catch (error) {
      return errorResult(params.name, error);
    } finally {
      progress.stop();
    }
  };
}

/** The library does not check what a client says about itself. */
function namedInRequest(context: ServerContext): { name: string; version?: string } | undefined {
  const info: unknown = (context.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  return typeof name === "string" ? { name, ...(typeof version === "string" && { version }) } : undefined;
}

/** Some clients fail a call whose only text is JSON but no object; structured content keeps them content. */
function withStructuredValue(result: ToolResult): ToolResult {
  const [only] = result.content;
  const text = (only as { text?: unknown } | undefined)?.text;
  if (result.content.length !== 1 || only?.type !== "text" || typeof text !== "string" || result.structuredContent !== undefined)
    return result;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? result : { ...result, structuredContent: { result: value } };
  } catch {
    return result;
  }
}

function errorResult(toolName: string, thrown: unknown): CallToolResult {
  const error = thrown instanceof ParentError ? thrown : toIPCError(toHawserError(thrown));
  const type = error instanceof ParentError ? error.type : error.name;
  const text = error instanceof ParentError ? error.message : `tool "${toolName}" could not be called: ${error.message}`;
  return { content: [{ type: "text", text }], isError: true, _meta: { error: { type } } };
}

/** Progress for a call that asked for it; a heartbeat when the tool itself is silent, since clients time out. */
function createProgress(context: ServerContext): { report: CallEvents["onProgress"]; stop(): void } {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, stop: () => {} };
  let last = 0;
  const notify = (params: Record<string, unknown>): void => {
    context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...params } }).catch(() => {});
  };
  // Progress must grow; a step far below any real one says only that the call lives.
  const heartbeat = setInterval(() => notify({ progress: (last += 1e-6) }), limits.progressHeartbeatMs);
  return {
    report({ progress, total, message }) {
      if (progress <= last) return;
      last = progress;
      heartbeat.refresh();
      notify({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
    },
    stop: () => clearInterval(heartbeat),
  };
}

// Deprecated since 2026-07-28 in favour of stderr, which a client's user never sees.
function log(context: ServerContext, level: LogLevel, message: string): void {
  context.mcpReq.log(level, message).catch(() => {});
}
