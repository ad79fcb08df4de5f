// The runtime-neutral part of the wire: it imports nothing of Node, so that a page can use it too.

import "./require-node.ts";
export { isSettledWithin, untilAborted, whenAborted } from "./abort.ts";
export { createCancelController } from "./cancel-signal.ts";
export type { CancelSignal } from "./cancel-signal.ts";
export { createByteBudget } from "./byte-budget.ts";
export type { ByteBudget, Share } from "./byte-budget.ts";
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
  toIPCError,
} from "./contract-errors.ts";
export { cutText, splitText } from "./cut-text.ts";
export { defineProtocol } from "./define-protocol.ts";
export type { DirectionDefinition, MessageDefinition, Protocol, ProtocolDefinition, RequestOf, ResponseOf } from "./define-protocol.ts";
export { defineTool, isStandardSchema } from "./define-tool.ts";
export type {
  ArgumentsOf,
  JsonSchema,
  LogLevel,
  StandardIssue,
  StandardResult,
  StandardSchema,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolDefinition,
  ToolInput,
} from "./define-tool.ts";
export { startDeadline } from "./deadline.ts";
export type { Deadline, DeadlineOptions } from "./deadline.ts";
export { describeThrown, errorTable, HawserError, quoteShort, toHawserError } from "./errors.ts";
export type { ErrorCode, ErrorDetails } from "./errors.ts";
export { isRecord } from "./is-record.ts";
export { createInFlightTable } from "./in-flight.ts";
export type { Flight, InFlightTable } from "./in-flight.ts";
export { describeAltered, findAlteredNumber, isKeptNumber, keepNumbers } from "./codec/json-numbers.ts";
export type { AlteredNumber } from "./codec/json-numbers.ts";
export { memberSource, withIdSource } from "./codec/json-source.ts";
export { exceedsDepth, JsonText, parseJsonText, replaceHalfPairs, toJsonText, weighJsonText } from "./codec/json-text.ts";
export { limits, limitTable } from "./limits.ts";
export type { LimitName } from "./limits.ts";
export { createMemoryPair } from "./memory-transport.ts";
export { createNoiseLog } from "./noise-log.ts";
export { nearNames } from "./near-names.ts";
export { createPlaces } from "./places.ts";
export type { Places } from "./places.ts";
export { createPendingTable } from "./pending.ts";
export type { PendingTable, WaitOptions } from "./pending.ts";
export { agentProtocol } from "./protocols/agent.ts";
export { AGENT_CAPABILITIES, AGENT_PROTOCOL_VERSION } from "./protocols/agent-responses.ts";
export type { AnyAgentRequest, AnyAgentResponse } from "./protocols/agent.ts";
export type {
  AgentRequest,
  AgentResponse,
  ClearHistoryRequest,
  DoneResponse,
  ErrorResponse,
  GetStatusRequest,
  ReadyResponse,
  StatusResponse,
  TokenResponse,
  ToolResultResponse,
  ToolUseResponse,
  UserMessageRequest,
} from "./protocols/agent-contract.ts";
export type {
  ConversationMessage,
  ConversationSummary,
  MessagePart,
  ModelEntry,
  ServerEntry,
  StatusData,
  UsageData,
} from "./protocols/agent-data.ts";
export { bridgeProtocol } from "./protocols/bridge.ts";
export type { BridgeRequest, BridgeResponse } from "./protocols/bridge.ts";
export { echoProtocol } from "./protocols/echo.ts";
export type { EchoRequest, EchoResponse } from "./protocols/echo.ts";
export { callData, callItem, callStats, helloData, RPC_MIN_HOST_SEMVER, RPC_PROTOCOL, RPC_SEMVER, rpcProtocol } from "./protocols/rpc.ts";
export type { CallData, CallItem, CallStats, HelloData, RpcRequest, RpcResponse } from "./protocols/rpc.ts";
export { createProseRevealer, reveal, revealProse } from "./reveal.ts";
export { parseRetryAfter, parseRetryAfterMs, retryPauseMs } from "./retry-pause.ts";
export { createTextGap, createWholeCharacters, joinTexts } from "./text-pieces.ts";
export type { TextGap, WholeCharacters } from "./text-pieces.ts";
export type { Incoming, Received, Refused, Transport } from "./transport.ts";
export { createWorkQueue } from "./work-queue.ts";
export type { Ticket, WorkQueue, WorkQueueOptions } from "./work-queue.ts";
