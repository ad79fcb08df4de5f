// What carrying one `tools/call` needs to know of its request, whichever way the request came: through the
// MCP library, or the short way beside it.

import { CLIENT_INFO_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import type { LogLevel } from "@hawser/wire";

export interface CallContext {
  /** Aborted when the client cancels. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  /** As it named itself in this request; undefined in the era in which it does so once. */
  readonly client: { readonly name: string; readonly version?: string } | undefined;
  notifyProgress(params: { progressToken: string | number; progress: number; total?: number; message?: string }): void;
  log(level: LogLevel, message: string): void;
}

export function fromServerContext({ mcpReq }: ServerContext): CallContext {
  const ignore = (): void => {};
  return {
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    client: clientIn(mcpReq.envelope as Record<string, unknown> | undefined),
    notifyProgress: (params) => void mcpReq.notify({ method: "notifications/progress", params }).catch(ignore),
    // Deprecated since 2026-07-28 in favour of stderr, which a client's user never sees.
    log: (level, message) => void mcpReq.log(level, message).catch(ignore),
  };
}

/** The library does not check what a client says about itself. */
export function clientIn(meta: Readonly<Record<string, unknown>> | undefined): CallContext["client"] {
  const { name, version } = (meta?.[CLIENT_INFO_META_KEY] ?? {}) as { name?: unknown; version?: unknown };
  return typeof name === "string" ? { name, ...(typeof version === "string" && { version }) } : undefined;
}
