// The agent runtime as a library: what `hawser agent` is made of.

export type { Conversation, ConversationStore } from "./history/conversation-store.ts";
export type { AttachedContent, Model, ModelCatalog, ModelEvent, ModelStep, ModelTool } from "./model/model.ts";
export type { PermissionPolicy, ToolCall, Verdict } from "./permissions/policy.ts";
