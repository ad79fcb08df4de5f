// The contract's own types, letter for letter: three requests and seven responses. The definition with all additions is in
// `protocol.ts`, and a test holds both against each other.

/* oxlint-disable typescript/no-explicit-any -- the contract says `any` */

export type AgentRequest = UserMessageRequest | ClearHistoryRequest | GetStatusRequest;

export interface UserMessageRequest {
  id: string;
  kind: "user_message";
  message: string;
  attachments?: Array<{ path: string; mime: string }>;
  metadata?: Record<string, unknown>;
}

export interface ClearHistoryRequest {
  id: string;
  kind: "clear_history";
}

export interface GetStatusRequest {
  id: string;
  kind: "get_status";
}

export type AgentResponse =
  | ReadyResponse
  | TokenResponse
  | ToolUseResponse
  | ToolResultResponse
  | DoneResponse
  | ErrorResponse
  | StatusResponse;

export interface ReadyResponse {
  type: "ready";
  timestamp: number;
  version?: string;
  capabilities?: string[];
}

export interface TokenResponse {
  type: "token";
  id: string;
  token: string;
  timestamp: number;
}

export interface ToolUseResponse {
  type: "tool_use";
  id: string;
  data: { toolId: string; toolName: string; input: any };
  timestamp: number;
}

export interface ToolResultResponse {
  type: "tool_result";
  id: string;
  data: { toolId: string; toolName: string; result: any };
  timestamp: number;
}

export interface DoneResponse {
  type: "done";
  id: string;
  timestamp: number;
}

export interface ErrorResponse {
  type: "error";
  id: string;
  error: string;
  timestamp: number;
}

export interface StatusResponse {
  type: "status";
  id: string;
  data: { state: string; conversationLength: number; uptime: number };
  timestamp: number;
}
