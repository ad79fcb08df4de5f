// What is said on every wire: the definitions of the protocols, the errors with their names in each of them, and how texts are cut and shown.

import "./require-node.ts";
export type * from "./agent/contract.ts";
export type { ChangesData, FileChange, RevertedData } from "./agent/changes.ts";
export type { CompactionData, PlanData } from "./agent/context.ts";
export type {
  ConversationMessage,
  ConversationSummary,
  MessagePart,
  ModelEntry,
  OptionEntry,
  PermissionOption,
  ServerEntry,
  StatusData,
  UsageData,
} from "./agent/data.ts";
export type { SearchMatch } from "./agent/search.ts";
export type { KeyEntry, KeyTest, SettingsChanges, SettingsData } from "./agent/settings.ts";
export type { InstructionEntry, LeftOutEntry, SandboxStatus, SkillEntry } from "./agent/setting-data.ts";
export type { FilesData, FoldersData } from "./agent/files.ts";
export { agentProtocol, type AnyAgentRequest, type AnyAgentResponse, type TurnEvent } from "./agent/protocol.ts";
export { AGENT_CAPABILITIES, AGENT_PROTOCOL_VERSION } from "./agent/responses.ts";
export { bridgeProtocol, type BridgeRequest, type BridgeResponse } from "./bridge.ts";
export type { Protocol, RequestOf, ResponseOf } from "./define-protocol.ts";
export { echoProtocol, type EchoRequest, type EchoResponse } from "./echo.ts";
export { describeThrown, errorTable, HawserError, toHawserError, type ErrorCode, type ErrorDetails } from "./errors.ts";
export { RPC_MIN_HOST_SEMVER, RPC_PROTOCOL, RPC_SEMVER, rpcProtocol } from "./rpc.ts";
export type { CallData, CallItem, CallStats, HelloData, RpcRequest, RpcResponse } from "./rpc.ts";
export { reveal } from "./text/reveal.ts";
