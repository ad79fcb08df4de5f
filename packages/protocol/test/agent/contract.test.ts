// The contract's types, once more as the contract writes them, held against what the package exports and
// against the definition with all its additions. The compiler is the test; what runs proves the unions.

import { expect, it } from "vitest";
import {
  agentProtocol,
  type AgentRequest,
  type AgentResponse,
  type AnyAgentRequest,
  type AnyAgentResponse,
  type ClearHistoryRequest,
  type DoneResponse,
  type ErrorResponse,
  type GetStatusRequest,
  type ReadyResponse,
  type StatusResponse,
  type TokenResponse,
  type ToolResultResponse,
  type ToolUseResponse,
  type UserMessageRequest,
} from "@hawser/protocol";

interface Contract {
  user: {
    id: string;
    kind: "user_message";
    message: string;
    attachments?: Array<{ path: string; mime: string }>;
    metadata?: Record<string, unknown>;
  };
  clear: { id: string; kind: "clear_history" };
  getStatus: { id: string; kind: "get_status" };
  ready: { type: "ready"; timestamp: number; version?: string; capabilities?: string[] };
  token: { type: "token"; id: string; token: string; timestamp: number };
  toolUse: { type: "tool_use"; id: string; data: { toolId: string; toolName: string; input: unknown }; timestamp: number };
  toolResult: { type: "tool_result"; id: string; data: { toolId: string; toolName: string; result: unknown }; timestamp: number };
  done: { type: "done"; id: string; timestamp: number };
  error: { type: "error"; id: string; error: string; timestamp: number };
  status: { type: "status"; id: string; data: { state: string; conversationLength: number; uptime: number }; timestamp: number };
}

interface Exported {
  user: UserMessageRequest;
  clear: ClearHistoryRequest;
  getStatus: GetStatusRequest;
  ready: ReadyResponse;
  token: TokenResponse;
  toolUse: ToolUseResponse;
  toolResult: ToolResultResponse;
  done: DoneResponse;
  error: ErrorResponse;
  status: StatusResponse;
}

type Same<Left, Right> = [Left, Right] extends [Right, Left] ? true : false;
const same: { [Name in keyof Contract]: Same<Contract[Name], Exported[Name]> } = {
  user: true,
  clear: true,
  getStatus: true,
  ready: true,
  token: true,
  toolUse: true,
  toolResult: true,
  done: true,
  error: true,
  status: true,
};

it("R148 the exported types are those of the contract, both ways", () => {
  expect(Object.values(same)).toHaveLength(10);
});

it("R148 what the contract's host sends is a request of the definition, and what the definition sends is a response of the contract", () => {
  const request = (value: AgentRequest): AnyAgentRequest => value;
  type Contracted = Extract<AnyAgentResponse, { type: AgentResponse["type"] }>;
  const response = (value: Contracted): AgentResponse => value;
  expect(agentProtocol.parseRequest(request({ id: "1", kind: "get_status" }))).toEqual({ id: "1", kind: "get_status" });
  expect(response({ type: "done", id: "1", timestamp: 1 }).type).toBe("done");
});

it("R149 requests and responses are told apart by one member, and the compiler knows when all are named", () => {
  function describeRequest(value: AgentRequest): string {
    switch (value.kind) {
      case "user_message":
        return value.message;
      case "clear_history":
      case "get_status":
        return value.id;
      default:
        return value satisfies never;
    }
  }
  function describeResponse(value: AgentResponse): string {
    switch (value.type) {
      case "ready":
        return value.version ?? "";
      case "token":
        return value.token;
      case "tool_use":
      case "tool_result":
        return value.data.toolName;
      case "error":
        return value.error;
      case "status":
        return value.data.state;
      case "done":
        return value.id;
      default:
        return value satisfies never;
    }
  }
  expect(describeRequest({ id: "1", kind: "user_message", message: "hi" })).toBe("hi");
  expect(describeResponse({ type: "token", id: "1", token: "t", timestamp: 1 })).toBe("t");
});
