// The names of the bridge's contract: its types and its seven constants, letter for letter.

import { wireLimits } from "@hawser/wire";
import type { BridgeRequest, BridgeResponse } from "@hawser/protocol";

export {
  LENGTH_PREFIX_SIZE,
  SCHEMA_FILE_PREFIX,
  SOCKET_FILE_PREFIX,
  SOCKET_FILE_SUFFIX,
  SOCKET_PERMISSIONS,
} from "@hawser/wire/internal/node";

/** `auto` is `stdio` today: through a bridge process. `sdk`: a server in this process. */
export type TransportType = "auto" | "stdio" | "sdk";

export const DEFAULT_TRANSPORT: TransportType = "auto";

export const MAX_MESSAGE_SIZE: number = wireLimits.maxMessageBytes;

export type IPCRequest = Extract<BridgeRequest, { method: "call_tool" }>;
export type CallToolParams = IPCRequest["params"];
export type IPCResponse = Extract<BridgeResponse, { result: unknown }>;
export type ToolResult = IPCResponse["result"];
export type ToolResultContent = ToolResult["content"][number];
export type IPCErrorResponse = Extract<BridgeResponse, { error: unknown }>;
export type IPCErrorPayload = IPCErrorResponse["error"];

/** One entry of the schema file. The members behind the first three are additions; bridges may ignore them. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly output_schema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A function behind a tool, reduced to what crosses the socket. */
export type ToolHandler = (args: Record<string, unknown>) => Promise<Record<string, unknown>>;
