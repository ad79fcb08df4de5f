// The agent runtime as a library: what `hawser agent` is made of.

export { createAttachmentReader, type OpenAttachmentOptions } from "./attachments/read-attachments.ts";
export type { ChangeLog } from "./changes/change-log.ts";
export type { WorkspaceChanges } from "./changes/workspace-changes.ts";
export type { AgentConfig, ConfiguredAgent, ConfiguredGateway, ConfiguredSandbox, ConfiguredServer } from "./config/agent-config.ts";
export { loadAgentConfig, type LoadConfigOptions, type LoadedConfig } from "./config/config-file.ts";
export type { Conversation, ConversationStore } from "./history/conversation-store.ts";
export { createFileStore } from "./history/file-store.ts";
export { createMemoryStore } from "./history/memory-store.ts";
export { connectMcpServers, type McpServers, type McpServersOptions, type ServerConfiguration } from "./mcp/connect-servers.ts";
export { createModelCatalog, type ConfiguredCatalog, type ModelCatalogOptions } from "./model/catalog.ts";
export type { ListedTool, McpServerStatus } from "./mcp/mcp-server.ts";
export type { AttachedContent, Model, ModelCatalog, ModelEvent, ModelStep, ModelTool } from "./model/model.ts";
export type {
  AboutUse,
  DelegatedEvent,
  AgentPlace,
  AgentQuestion,
  DelegatedTurn,
  FileDiff,
  TurnAgent,
  UseLocation,
} from "./model/turn-agent.ts";
export type { Environment, ModelConfiguration, ModelProvider } from "./model/vendors.ts";
export { createOfflineModel } from "./offline/offline-model.ts";
export { createAuditLog, type AuditLog, type AuditLogOptions } from "./permissions/audit-log.ts";
export { createPolicy, type PolicyMode, type PolicyOptions, type RulesPolicy } from "./permissions/create-policy.ts";
export type { PermissionPolicy, ToolCall, Verdict } from "./permissions/policy.ts";
export type { PermissionRule } from "./rules/permission-rule.ts";
export type { AgentParts, Attachment, TrustQuestion, Workspace, WorkspaceChoice, Workspaces } from "./runtime/agent-parts.ts";
export { createOneWorkspace } from "./runtime/one-workspace.ts";
export { serveAgent, type ServeAgentOptions } from "./runtime/serve-agent.ts";
export { createBuiltinTools, type BuiltinToolsOptions } from "./tools/builtin-tools.ts";
export { createRoots, type Roots } from "./tools/files/roots.ts";
export type { Sandbox } from "./tools/sandbox/sandbox.ts";
