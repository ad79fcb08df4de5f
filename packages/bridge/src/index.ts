// The parent's side of the tool bridge: offer functions of this process to MCP clients.

export * from "./contract/contract.ts";
export { printClientConfig, type ClientName } from "./parent/client-config.ts";
export { createIPCSession } from "./parent/session.ts";
export type { IPCSession, IPCSessionOptions, IPCSessionState, McpStdioServerConfig } from "./parent/session.ts";
export {
  BridgeStartupError,
  ClaudeCodeError,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  SocketPathTooLong,
  ToolInputValidationError,
  ToolNotFoundError,
} from "@hawser/protocol/internal";
export { defineTool } from "@hawser/tools";
export type { Tool, ToolAnnotations, ToolContext, ToolDefinition, ToolSource } from "@hawser/tools";
