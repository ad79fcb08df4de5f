// The host client for programs that have no processes: a page, a webview, anything that can move lines to
// and from an agent runtime. Imports nothing of Node.

export { createAgentClient } from "./agent-client.ts";
export type {
  AgentClient,
  AgentClientOptions,
  AgentMessage,
  AgentTurn,
  LoadedConversation,
  SendOptions,
  TurnEvent,
} from "./agent-client.ts";
export type { AgentLink, LostRuntime, ParsedLine } from "./agent-link.ts";
export type { AgentInfo } from "./exchange.ts";
export type { Decision, OnPermission, PermissionAnswer, PermissionRequest } from "./open-request.ts";
// For whoever writes rules for an agent: what it would refuse to start with.
export { parseRules } from "../permissions/rules.ts";
