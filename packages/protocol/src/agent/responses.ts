// The responses of the agent protocol: the contract's seven, and the additions.

import * as v from "valibot";
import type { DirectionDefinition } from "../define-protocol.ts";
import { text, texts } from "../described.ts";
import { changeResponses } from "./changes.ts";
import * as context from "./context.ts";
import * as data from "./data.ts";
import { answer, conversationId, example, exampleTime, seq, timestamp } from "./envelope.ts";
import { fileResponses } from "./files.ts";
import { forkResponses } from "./fork.ts";
import { searchResponses } from "./search.ts";
import { settingsResponses } from "./settings.ts";
import { steerResponses } from "./steer.ts";

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
  "reasoning",
  "plan",
  "permission_options",
  "options",
  "workspaces",
  "changes",
  "steer",
  "queue",
  "fork",
  "search",
  "instructions",
  "skills",
  "sandbox",
  "files",
  "compaction",
  "budgets",
  "settings",
  "settings_edit",
  "diff_lines",
] as const;

export const agentResponses = {
  tag: "type",
  messages: {
    ready: {
      summary: "Sent once, as the first line. The only response without an id.",
      schema: v.object({
        type: v.literal("ready"),
        timestamp,
        version: v.exactOptional(text("Of this protocol.")),
        capabilities: v.exactOptional(texts("What this runtime can do.")),
        build: v.exactOptional(text("Additive. The product's version.")),
        model: v.exactOptional(text("Additive. The model that answers unless a message picks another.")),
      }),
      examples: [
        { type: "ready", timestamp: exampleTime },
        {
          type: "ready",
          version: AGENT_PROTOCOL_VERSION,
          capabilities: [...AGENT_CAPABILITIES],
          build: "0.1.0",
          model: "offline",
          timestamp: exampleTime,
        },
      ],
    },
    token: {
      summary: "One piece of the answer's text, as it is made.",
      schema: v.object({ ...answer("token"), token: text("The piece."), seq }),
      examples: [example("token", 123, 1, { token: "Hello" })],
    },
    tool_use: {
      summary: "The agent uses a tool.",
      schema: v.object({ ...answer("tool_use"), data: data.toolUseData, seq }),
      examples: [example("tool_use", 123, 2, { data: { toolId: "tool-call-abc", toolName: "list_files", input: { path: "src" } } })],
    },
    tool_result: {
      summary: "The tool has ended, well or not; the turn goes on.",
      schema: v.object({ ...answer("tool_result"), data: data.toolResultData, seq }),
      examples: [
        example("tool_result", 123, 3, {
          data: { toolId: "tool-call-abc", toolName: "list_files", result: { files: ["index.ts", "app.tsx"] }, durationMs: 3 },
        }),
        example("tool_result", 123, 3, {
          data: {
            toolId: "tool-call-abd",
            toolName: "write_file",
            result: null,
            isError: true,
            error: "denied: nobody answered within 120 seconds",
          },
        }),
      ],
    },
    done: {
      summary: "Ends a request that succeeded. What it announces is on disk.",
      schema: v.object({ ...answer("done"), data: v.exactOptional(data.doneData), seq }),
      examples: [example("done", 123, 4)],
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
        example("error", 123, 5, { error: "Failed to process request: API rate limit exceeded" }),
        example("error", 123, 5, { error: "Cancelled by request req-uuid-127", code: "cancelled" }),
      ],
    },
    status: {
      summary: "Ends a `get_status`.",
      schema: v.object({ ...answer("status"), data: data.statusData }),
      examples: [
        example("status", 125, 6, { data: { state: "idle", conversationLength: 10, uptime: 3600000 } }),
        example("status", 125, 6, {
          data: {
            state: "idle",
            conversationLength: 10,
            uptime: 3600000,
            instructions: [{ path: "/home/ada/harbour/AGENTS.md", bytes: 812 }],
            skills: [{ name: "tides", description: "Computes tides.", path: "/home/ada/harbour/.agents/skills/tides/SKILL.md" }],
            leftOut: [{ path: "/home/ada/harbour/.agents/skills/Bad Name/SKILL.md", reason: "its name is not a skill's name" }],
            sandbox: { mode: "auto", state: "on", network: false },
          },
        }),
      ],
    },
    permission_request: {
      summary: "Additive. Asks the host whether a tool may run. What is shown is what will be executed.",
      schema: v.object({ ...answer("permission_request"), data: data.permissionData, seq }),
      examples: [
        example("permission_request", 123, 2, {
          data: {
            permissionId: "perm-1",
            toolId: "tool-call-abd",
            toolName: "write_file",
            input: { path: "notes.txt", content: "hello" },
            reason: "write_file changes files",
          },
        }),
        example("permission_request", 123, 2, {
          data: {
            permissionId: "perm-2",
            toolId: "call-7",
            toolName: "shell",
            input: { command: ["git", "push"] },
            reason: "acp/codex asks before it runs something",
            title: "git push",
            kind: "execute",
            options: [
              { optionId: "yes", name: "Yes", kind: "allow_once" },
              { optionId: "no", name: "No, and tell the agent why", kind: "reject_once" },
            ],
          },
        }),
      ],
    },
    progress: {
      summary: "Additive. The turn lives: what a tool reports, that a model is tried again, or a heartbeat.",
      schema: v.object({ ...answer("progress"), data: data.progressData, seq }),
      examples: [example("progress", 123, 2, { data: { message: "waiting for the model" } })],
    },
    usage: {
      summary: "Additive. What the turn has used so far, after each step of the model.",
      schema: v.object({ ...answer("usage"), data: data.usageData, seq }),
      examples: [example("usage", 123, 3, { data: { model: "anthropic/claude-sonnet-5-5", inputTokens: 812, outputTokens: 64 } })],
    },
    reasoning: {
      summary: "Additive. One piece of what the model thinks before it answers. It is not part of the answer.",
      schema: v.object({ ...answer("reasoning"), data: v.object({ text: text("The piece.") }), seq }),
      examples: [example("reasoning", 123, 1, { data: { text: "The user wants a list of files." } })],
    },
    plan: {
      summary: "Additive. What the agent means to do, whole, whenever it changes.",
      schema: v.object({ ...answer("plan"), data: context.planData, seq }),
      examples: [
        example("plan", 123, 2, {
          data: {
            entries: [
              { content: "Read the tests", status: "completed" },
              { content: "Fix the parser", status: "in_progress" },
            ],
          },
        }),
      ],
    },
    compaction: {
      summary:
        "Additive. A summary stands for the earlier messages in the model's context from now on: the answer to `compact_conversation`, or, under the id of a turn, because the context was nearly full.",
      schema: v.object({ ...answer("compaction"), data: context.compactionData, seq }),
      examples: [
        example("compaction", 140, 6, { data: { conversationId: "conv-456", messages: 24, tokensBefore: 161_204, tokensAfter: 22_480 } }),
      ],
    },
    options: {
      summary: "Additive. What can be chosen about the agent of a conversation, with what is chosen now.",
      schema: v.object({ ...answer("options"), data: v.object({ conversationId, options: v.array(data.optionEntry) }) }),
      examples: [
        example("options", 137, 7, {
          data: {
            conversationId: "conv-456",
            options: [
              {
                optionId: "mode",
                name: "Mode",
                category: "mode",
                value: "ask",
                values: [
                  { value: "ask", name: "Ask before edits" },
                  { value: "plan", name: "Plan only" },
                ],
              },
            ],
          },
        }),
      ],
    },
    conversations: {
      summary: "Additive. The conversations, the latest first.",
      schema: v.object({ ...answer("conversations"), data: v.object({ conversations: v.array(data.conversationSummary) }) }),
      examples: [
        example("conversations", 129, 7, {
          data: { conversations: [{ conversationId: "conv-456", title: "Harbour plans", updatedAt: 1234567890004, messages: 2 }] },
        }),
      ],
    },
    conversation: {
      summary: "Additive. Messages of a conversation, in order. Parts of the same `messageId` in following lines belong together.",
      schema: v.object({
        ...answer("conversation"),
        data: v.object({
          conversationId,
          title: v.exactOptional(text("Its title.")),
          messages: v.array(data.conversationMessage),
          next: v.exactOptional(text("The last `messageId` of this line, when another line follows.")),
        }),
      }),
      examples: [
        example("conversation", 130, 7, {
          data: {
            conversationId: "conv-456",
            title: "Harbour plans",
            messages: [
              { messageId: "m1", role: "user", parts: [{ type: "text", text: "Hello" }], timestamp: 1234567890000 },
              { messageId: "m2", role: "assistant", parts: [{ type: "text", text: "Hi!" }], timestamp: 1234567890004, model: "offline" },
            ],
          },
        }),
      ],
    },
    models: {
      summary: "Additive. The models that a message may pick by `metadata.model`, and why one is not available.",
      schema: v.object({ ...answer("models"), data: v.object({ models: v.array(data.modelEntry) }) }),
      examples: [
        example("models", 134, 7, {
          data: {
            models: [
              { model: "offline", available: true, current: true },
              { model: "anthropic/claude-sonnet-5-5", available: false, current: false, reason: "ANTHROPIC_API_KEY is not set" },
            ],
          },
        }),
      ],
    },
    ...changeResponses,
    ...steerResponses,
    ...forkResponses,
    ...searchResponses,
    ...fileResponses,
    ...settingsResponses,
  },
} as const satisfies DirectionDefinition;
