// The responses of the agent protocol: the contract's seven, and the additions.

import * as v from "valibot";
import type { DirectionDefinition } from "../define-protocol.ts";
import {
  conversationMessage,
  conversationSummary,
  doneData,
  modelEntry,
  permissionData,
  progressData,
  statusData,
  toolResultData,
  toolUseData,
  usageData,
} from "./data.ts";

export const AGENT_PROTOCOL_VERSION = "1.0.0";

/** What `ready` advertises: the contract's three, then each addition. */
export const AGENT_CAPABILITIES = [
  "streaming",
  "tools",
  "attachments",
  "cancel",
  "permissions",
  "progress",
  "usage",
  "conversations",
  "models",
  "subscribe",
  "permission_via",
] as const;

const text = (description: string) => v.pipe(v.string(), v.description(description));
const id = v.pipe(v.string(), v.nonEmpty(), v.description("Of the request that is answered."));
const timestamp = v.pipe(v.number(), v.description("Unix time in milliseconds."));
const conversationId = text("Which conversation.");
const seq = v.exactOptional(v.pipe(v.number(), v.description("Additive. Counts the answers of one `user_message` from 1, without gaps.")));

const answer = <const Type extends string>(type: Type) => ({ type: v.literal(type), id, timestamp });

export const agentResponses = {
  tag: "type",
  messages: {
    ready: {
      summary: "Sent once, as the first line. The only response without an id.",
      schema: v.object({
        type: v.literal("ready"),
        timestamp,
        version: v.exactOptional(text("Of this protocol.")),
        capabilities: v.exactOptional(v.pipe(v.array(v.string()), v.description("What this runtime can do."))),
        build: v.exactOptional(text("Additive. The product's version.")),
        model: v.exactOptional(text("Additive. The model that answers unless a message picks another.")),
      }),
      examples: [
        { type: "ready", timestamp: 1234567890000 },
        {
          type: "ready",
          version: AGENT_PROTOCOL_VERSION,
          capabilities: [...AGENT_CAPABILITIES],
          build: "0.1.0",
          model: "offline",
          timestamp: 1234567890000,
        },
      ],
    },
    token: {
      summary: "One piece of the answer's text, as it is made.",
      schema: v.object({ ...answer("token"), token: text("The piece."), seq }),
      examples: [{ type: "token", id: "req-uuid-123", token: "Hello", timestamp: 1234567890001 }],
    },
    tool_use: {
      summary: "The agent uses a tool.",
      schema: v.object({ ...answer("tool_use"), data: toolUseData, seq }),
      examples: [
        {
          type: "tool_use",
          id: "req-uuid-123",
          data: { toolId: "tool-call-abc", toolName: "list_files", input: { path: "src" } },
          timestamp: 1234567890002,
        },
      ],
    },
    tool_result: {
      summary: "The tool has ended, well or not; the turn goes on.",
      schema: v.object({ ...answer("tool_result"), data: toolResultData, seq }),
      examples: [
        {
          type: "tool_result",
          id: "req-uuid-123",
          data: { toolId: "tool-call-abc", toolName: "list_files", result: { files: ["index.ts", "app.tsx"] } },
          timestamp: 1234567890003,
        },
        {
          type: "tool_result",
          id: "req-uuid-123",
          data: {
            toolId: "tool-call-abd",
            toolName: "write_file",
            result: null,
            isError: true,
            error: "denied: nobody answered within 120 seconds",
          },
          timestamp: 1234567890003,
        },
      ],
    },
    done: {
      summary: "Ends a request that succeeded. What it announces is on disk.",
      schema: v.object({ ...answer("done"), data: v.exactOptional(doneData), seq }),
      examples: [{ type: "done", id: "req-uuid-123", timestamp: 1234567890004 }],
    },
    error: {
      summary: "Ends a request that failed, was refused or was cancelled.",
      schema: v.object({
        ...answer("error"),
        error: text("What happened and what to do, for people."),
        code: v.exactOptional(text("Additive. One of the error codes.")),
        seq,
      }),
      examples: [
        { type: "error", id: "req-uuid-123", error: "Failed to process request: API rate limit exceeded", timestamp: 1234567890005 },
        { type: "error", id: "req-uuid-123", error: "Cancelled by request req-uuid-127", code: "cancelled", timestamp: 1234567890005 },
      ],
    },
    status: {
      summary: "Ends a `get_status`.",
      schema: v.object({ ...answer("status"), data: statusData }),
      examples: [
        {
          type: "status",
          id: "req-uuid-125",
          data: { state: "idle", conversationLength: 10, uptime: 3600000 },
          timestamp: 1234567890006,
        },
      ],
    },
    permission_request: {
      summary: "Additive. Asks the host whether a tool may run. What is shown is what will be executed.",
      schema: v.object({ ...answer("permission_request"), data: permissionData, seq }),
      examples: [
        {
          type: "permission_request",
          id: "req-uuid-123",
          data: {
            permissionId: "perm-1",
            toolId: "tool-call-abd",
            toolName: "write_file",
            input: { path: "notes.txt", content: "hello" },
            reason: "write_file changes files",
          },
          timestamp: 1234567890002,
        },
      ],
    },
    progress: {
      summary: "Additive. The turn lives: what a tool reports, that a model is tried again, or a heartbeat.",
      schema: v.object({ ...answer("progress"), data: progressData, seq }),
      examples: [{ type: "progress", id: "req-uuid-123", data: { message: "waiting for the model" }, timestamp: 1234567890002 }],
    },
    usage: {
      summary: "Additive. What the turn has used so far, after each step of the model.",
      schema: v.object({ ...answer("usage"), data: usageData, seq }),
      examples: [
        {
          type: "usage",
          id: "req-uuid-123",
          data: { model: "anthropic/claude-sonnet-5-5", inputTokens: 812, outputTokens: 64 },
          timestamp: 1234567890003,
        },
      ],
    },
    conversations: {
      summary: "Additive. The conversations, the latest first.",
      schema: v.object({ ...answer("conversations"), data: v.object({ conversations: v.array(conversationSummary) }) }),
      examples: [
        {
          type: "conversations",
          id: "req-uuid-129",
          data: { conversations: [{ conversationId: "conv-456", title: "Harbour plans", updatedAt: 1234567890004, messages: 2 }] },
          timestamp: 1234567890007,
        },
      ],
    },
    conversation: {
      summary: "Additive. Messages of a conversation, in order. Parts of the same `messageId` in following lines belong together.",
      schema: v.object({
        ...answer("conversation"),
        data: v.object({
          conversationId,
          title: v.exactOptional(text("Its title.")),
          messages: v.array(conversationMessage),
          next: v.exactOptional(text("The last `messageId` of this line, when another line follows.")),
        }),
      }),
      examples: [
        {
          type: "conversation",
          id: "req-uuid-130",
          data: {
            conversationId: "conv-456",
            title: "Harbour plans",
            messages: [
              { messageId: "m1", role: "user", parts: [{ type: "text", text: "Hello" }], timestamp: 1234567890000 },
              { messageId: "m2", role: "assistant", parts: [{ type: "text", text: "Hi!" }], timestamp: 1234567890004, model: "offline" },
            ],
          },
          timestamp: 1234567890007,
        },
      ],
    },
    models: {
      summary: "Additive. The models that a message may pick by `metadata.model`, and why one is not available.",
      schema: v.object({ ...answer("models"), data: v.object({ models: v.array(modelEntry) }) }),
      examples: [
        {
          type: "models",
          id: "req-uuid-134",
          data: {
            models: [
              { model: "offline", available: true, current: true },
              { model: "anthropic/claude-sonnet-5-5", available: false, current: false, reason: "ANTHROPIC_API_KEY is not set" },
            ],
          },
          timestamp: 1234567890007,
        },
      ],
    },
  },
} as const satisfies DirectionDefinition;
