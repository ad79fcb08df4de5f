// The parent's side of the tool bridge: offer functions of this process to MCP clients.

export * from "./contract.ts";
export { isTool, toTools } from "./adapt-tool.ts";
export type { ToolSource } from "./adapt-tool.ts";
export { printClientConfig, toClientCommand } from "./client-config.ts";
export type { ClientCommand, ClientName } from "./client-config.ts";
export { createInProcessServer, toClientNames } from "./in-process-server.ts";
export type { InProcessServer } from "./in-process-server.ts";
export { createIPCSession } from "./session.ts";
export type { IPCSession, IPCSessionOptions, IPCSessionState, McpStdioServerConfig } from "./session.ts";
export { createToolHost } from "./tool-host.ts";
export type { ToolHost, ToolHostOptions } from "./tool-host.ts";
export {
  BridgeStartupError,
  ClaudeCodeError,
  defineTool,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  SocketPathTooLong,
  ToolInputValidationError,
  ToolNotFoundError,
} from "@hawser/wire";
export type { Tool, ToolAnnotations, ToolContext, ToolDefinition } from "@hawser/wire";
