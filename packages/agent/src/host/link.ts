// The host client for programs that have no processes: a page, a webview, anything that can move lines to
// and from an agent runtime. Imports nothing of Node.

export { createAgentClient } from "./agent-client.ts";
export type {
  AgentClient,
  AgentClientOptions,
  AgentMessage,
  LoadedConversation,
  LoadOptions,
  OptionChoice,
  SearchResult,
  WorkspaceFolders,
} from "./agent-client.ts";
export type { TurnEvent } from "@hawser/protocol";
export type { AgentLink, LostRuntime, ParsedLine } from "./agent-link.ts";
export type { AgentInfo } from "./exchange.ts";
export type { ChangeMethods, ListChangesOptions, RevertChangesOptions } from "./change-methods.ts";
export type { FileMethods } from "./file-methods.ts";
export type { SettingsMethods } from "./settings-methods.ts";
export type { AgentTurn } from "./request-answers.ts";
export type { Queue, SteerMethods, SteerOptions } from "./steer-methods.ts";
export { agentHostLimits } from "./limits.ts";
export type { Decision, FollowOptions, OnPermission, PermissionAnswer, PermissionRequest, SendOptions } from "./open-request.ts";
// For a page that edits rules: the agent refuses to start with rules that this refuses.
export { parseRules, type PermissionRule } from "../rules/permission-rule.ts";
