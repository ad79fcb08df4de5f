// The agent protocol: a host talks to an agent runtime over its stdin and stdout, one JSON object per
// line. Three requests and seven responses are the contract; everything else is additive, advertised in
// `ready.capabilities`, and a host that knows only the contract works unchanged.

import * as v from "valibot";
import { defineProtocol, type RequestOf, type ResponseOf } from "../define-protocol.ts";
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
} from "./agent-data.ts";

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
] as const;

const text = (description: string) => v.pipe(v.string(), v.description(description));
const id = v.pipe(v.string(), v.nonEmpty(), v.description("Chosen by the host, unique among requests in flight; every answer carries it."));
const timestamp = v.pipe(v.number(), v.description("Unix time in milliseconds."));
const metadata = v.exactOptional(
  v.pipe(
    v.record(v.string(), v.unknown()),
    v.description("Known members: `conversationId` (absent: the default conversation), `userId`, `model`, `force`. Others are ignored."),
  ),
);
const conversationId = text("Which conversation.");
const seq = v.exactOptional(v.pipe(v.number(), v.description("Additive. Counts the answers of one `user_message` from 1, without gaps.")));

const answer = <const Type extends string>(type: Type) => ({ type: v.literal(type), id, timestamp });

export const agentProtocol = defineProtocol({
  name: "agent",
  version: AGENT_PROTOCOL_VERSION,
  summary: "A desktop app, or any other host, talks to an agent: it sends a message and gets tokens, tool uses, results and an end.",
  conversation: [
    "The host starts `hawser agent` and writes requests to its stdin; responses come on its stdout. stderr is for people.",
    "Each message is one line: JSON in UTF-8 without a line feed inside, ended by a line feed. At most 10,485,760 bytes.",
    "The first line is `ready`. Every other response carries the id of its request; responses of different requests may interleave.",
    "A `user_message` gets any number of `token`, `tool_use`, `tool_result` and additive responses, then exactly one `done` or `error`, and nothing after it. Every other request ends with exactly one `done`, `error` or `status`.",
    "Turns of one conversation run one after the other; conversations run side by side. Requests that are no turn never wait for one.",
    "A line that is no JSON is logged on stderr and reading goes on; an `error` is sent when an id can still be read from it.",
    "When the input ends, accepted turns are finished (up to 10 seconds) and the process exits with 0. On SIGTERM nothing new starts, running turns get 3 seconds, are then cancelled with their one `error`, and the process exits with 0.",
    "A silent turn is followed by a `progress` at least every 15 seconds, except while only a permission is awaited; a host may take 60 seconds without any response of an id as a timeout.",
  ],
  requests: {
    tag: "kind",
    messages: {
      user_message: {
        summary: "Says something to the agent.",
        schema: v.object({
          id,
          kind: v.literal("user_message"),
          message: text("What the user says."),
          attachments: v.exactOptional(
            v.pipe(
              v.array(v.object({ path: text("A file inside the allowed roots."), mime: text("What it is.") })),
              v.description("Files for the agent to see: images and text."),
            ),
          ),
          metadata,
        }),
        examples: [
          { id: "req-uuid-123", kind: "user_message", message: "Hello, can you help me?" },
          {
            id: "req-uuid-126",
            kind: "user_message",
            message: "What is in this file?",
            attachments: [{ path: "/path/to/file.txt", mime: "text/plain" }],
            metadata: { conversationId: "conv-456", userId: "user-789" },
          },
        ],
      },
      clear_history: {
        summary:
          "Empties a conversation. Answered with `done`; with `error` while a turn of it runs, unless `metadata.force` ends that turn.",
        schema: v.object({ id, kind: v.literal("clear_history"), metadata }),
        examples: [{ id: "req-uuid-124", kind: "clear_history" }],
      },
      get_status: {
        summary: "Asks how the agent is. Answered at once, also while turns run.",
        schema: v.object({ id, kind: v.literal("get_status"), metadata }),
        examples: [{ id: "req-uuid-125", kind: "get_status" }],
      },
      cancel: {
        summary:
          "Additive. Ends the request `target` with one `error`, and itself with `done`. A target that is not in flight is no error.",
        schema: v.object({ id, kind: v.literal("cancel"), target: text("The id of what to end.") }),
        examples: [{ id: "req-uuid-127", kind: "cancel", target: "req-uuid-123" }],
      },
      permission_response: {
        summary:
          "Additive. Answers a `permission_request`. Ends with `done`, or with `error` when the permission is unknown or has expired.",
        schema: v.object({
          id,
          kind: v.literal("permission_response"),
          permissionId: text("From the `permission_request`."),
          decision: v.pipe(
            v.picklist(["allow", "allow_always", "deny"]),
            v.description("`allow_always` also answers later calls of the same kind in this conversation."),
          ),
        }),
        examples: [{ id: "req-uuid-128", kind: "permission_response", permissionId: "perm-1", decision: "allow" }],
      },
      list_conversations: {
        summary: "Additive. Answered with one `conversations`, then `done`.",
        schema: v.object({ id, kind: v.literal("list_conversations") }),
        examples: [{ id: "req-uuid-129", kind: "list_conversations" }],
      },
      load_conversation: {
        summary: "Additive. Answered with one or more `conversation`, then `done`.",
        schema: v.object({
          id,
          kind: v.literal("load_conversation"),
          conversationId,
          after: v.exactOptional(text("Only messages after this `messageId`.")),
        }),
        examples: [{ id: "req-uuid-130", kind: "load_conversation", conversationId: "conv-456" }],
      },
      delete_conversation: {
        summary: "Additive. Removes a conversation and its file. Answered with `done`; with `error` while a turn of it runs.",
        schema: v.object({ id, kind: v.literal("delete_conversation"), conversationId }),
        examples: [{ id: "req-uuid-131", kind: "delete_conversation", conversationId: "conv-456" }],
      },
      rename_conversation: {
        summary: "Additive. Gives a conversation a title. Answered with `done`.",
        schema: v.object({ id, kind: v.literal("rename_conversation"), conversationId, title: text("The new title.") }),
        examples: [{ id: "req-uuid-132", kind: "rename_conversation", conversationId: "conv-456", title: "Harbour plans" }],
      },
      truncate_conversation: {
        summary:
          "Additive. Removes the messages after one, for edit and resend. Answered with `done`; with `error` while a turn of it runs.",
        schema: v.object({
          id,
          kind: v.literal("truncate_conversation"),
          conversationId,
          after: v.pipe(v.nullable(v.string()), v.description("The last `messageId` that stays; `null` for none.")),
        }),
        examples: [{ id: "req-uuid-133", kind: "truncate_conversation", conversationId: "conv-456", after: "m2" }],
      },
      list_models: {
        summary: "Additive. Answered with one `models`, then `done`.",
        schema: v.object({ id, kind: v.literal("list_models") }),
        examples: [{ id: "req-uuid-134", kind: "list_models" }],
      },
      subscribe: {
        summary:
          "Additive. Sends again what the running turn of a conversation has sent with a `seq` above `since`, under the turn's own id; then `done`. What comes later arrives by itself.",
        schema: v.object({
          id,
          kind: v.literal("subscribe"),
          conversationId,
          since: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.description("The last `seq` that arrived; 0 unless given."))),
        }),
        examples: [{ id: "req-uuid-135", kind: "subscribe", conversationId: "conv-456", since: 12 }],
      },
    },
  },
  responses: {
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
            data: { model: "anthropic/claude-sonnet-4-5", inputTokens: 812, outputTokens: 64 },
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
                { model: "anthropic/claude-sonnet-4-5", available: false, current: false, reason: "ANTHROPIC_API_KEY is not set" },
              ],
            },
            timestamp: 1234567890007,
          },
        ],
      },
    },
  },
});

/** Requests and responses with all additions; the contract's own types are in `agent-contract.ts`. */
export type AnyAgentRequest = RequestOf<typeof agentProtocol>;
export type AnyAgentResponse = ResponseOf<typeof agentProtocol>;
