// Claude Code as a model, with functions of your process as its tools.

export { claudeCode, ClaudeCodeModel, createClaudeCode } from "./model.ts";
export type { ClaudeCodeProvider } from "./model.ts";
export type { ClaudeCodeModelOptions, CanUseTool, OutputSchema, PermissionMode, RequestOptions } from "./options.ts";
export type { PromptMessage, RequestPrompt } from "./prompt.ts";
export type { ClaudeCodeMetadata, ClaudeCodeResult, ClaudeCodeResultWithMetadata, ClaudeCodeUsage } from "./result.ts";
export type { SdkMessage, McpSdkServerConfig, McpServerConfig } from "./agent-sdk.ts";
export type { ParameterRestriction, ToolRestrictions } from "./tool-restrictions.ts";
export type { ToolSelection, ToolsetOptions } from "./toolset.ts";
export { isClaudeCodeAvailable } from "./find-cli.ts";
export {
  AgentSDKNotInstalledError,
  CLIExecutionError,
  CLIInterruptedError,
  CLINotFoundError,
  CLIResponseParseError,
  CLITimeoutError,
  StructuredOutputError,
  ToolsetNotRegisteredError,
} from "./errors.ts";
export {
  BridgeStartupError,
  ClaudeCodeError,
  DEFAULT_TRANSPORT,
  defineTool,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  SocketPathTooLong,
  LENGTH_PREFIX_SIZE,
  MAX_MESSAGE_SIZE,
  SCHEMA_FILE_PREFIX,
  SOCKET_FILE_PREFIX,
  SOCKET_FILE_SUFFIX,
  SOCKET_PERMISSIONS,
  ToolInputValidationError,
  ToolNotFoundError,
} from "@hawser/bridge";
export type { IPCErrorPayload, McpStdioServerConfig, ToolSchema, TransportType } from "@hawser/bridge";
