// The agent runtime as a library: what `hawser agent` is made of.

export type { Conversation, ConversationStore } from "./history/conversation-store.ts";
export type { AttachedContent, Model, ModelCatalog, ModelEvent, ModelStep, ModelTool } from "./model/model.ts";
export type { PermissionPolicy, ToolCall, Verdict } from "./permissions/policy.ts";
export type { AgentParts, Attachment } from "./runtime/agent-parts.ts";
export { guardProcessFromTools } from "./runtime/exit-guard.ts";
export { serveAgent } from "./runtime/serve-agent.ts";
export type { ServeAgentOptions } from "./runtime/serve-agent.ts";
export { openInside } from "./tools/files/open-inside.ts";
export type { OpenedFile } from "./tools/files/open-inside.ts";
export { checkDefaultRoot, createRoots } from "./tools/files/roots.ts";
export type { Roots } from "./tools/files/roots.ts";
