// What the agent protocol's responses carry in `data`.

import * as v from "valibot";
import { anything, described, flag, number, text } from "../described.ts";

const toolId = text("Names this use of the tool; its result carries the same.");
const toolName = text("The tool.");
const failure = {
  isError: v.exactOptional(flag("Additive. The tool failed, or was not allowed to run.")),
  error: v.exactOptional(text("Additive. Why it failed.")),
};

export const toolUseData = v.object({ toolId, toolName, input: anything("The tool's arguments.") });

const toolResultText =
  'What the tool returned, as JSON. When it is more than text, for example an image, it is `{"content": [...]}` with the blocks as MCP writes them: `{"type": "text", "text"}`, `{"type": "image", "data", "mimeType"}` with the image as base64, and others; media that is too large is only described.';

export const toolResultData = v.object({
  toolId,
  toolName,
  result: anything(toolResultText),
  ...failure,
  durationMs: v.exactOptional(
    number(
      "Additive. How many milliseconds it ran, without the time until it was its turn and until a question was answered. Missing where it never ran.",
    ),
  ),
});

const serverEntry = v.object({
  name: text("As the configuration calls it."),
  state: text("`connecting`, `connected`, `failed` (it never was), `lost` (it was once; its next call tries again) or `closed`."),
  reason: v.exactOptional(text("Why it failed or is lost.")),
});

export const statusData = v.object({
  state: text("`idle`, `busy` (a turn runs), `stopping` or `error`."),
  conversationLength: number("User and assistant messages of the conversation."),
  uptime: number("Milliseconds since the start."),
  model: v.exactOptional(text("Additive. The model that answers unless a message picks another.")),
  running: v.exactOptional(number("Additive. Turns that run, in all conversations.")),
  waiting: v.exactOptional(number("Additive. Turns that wait, in all conversations.")),
  servers: v.exactOptional(described(v.array(serverEntry), "Additive. The MCP servers of the configuration, where there are any.")),
});

export const permissionData = v.object({
  permissionId: text("For the answer."),
  toolId,
  toolName,
  input: anything("The arguments that it would run with."),
  reason: text("Why it is asked."),
  replaces: v.exactOptional(flag("For `write_file`: whether there is a file of that name, which would be replaced.")),
});

export const progressData = v.object({
  message: v.exactOptional(text("What happens.")),
  toolId: v.exactOptional(toolId),
  done: v.exactOptional(number("How much of it is done.")),
  total: v.exactOptional(number("How much there is.")),
});

export const usageData = v.object({
  model: text("Which model."),
  inputTokens: v.exactOptional(number("Tokens that the model has read.")),
  outputTokens: v.exactOptional(number("Tokens that it has written.")),
  cachedInputTokens: v.exactOptional(number("Those of the input that came from a cache.")),
  costUsd: v.exactOptional(
    number(
      "What they cost in US dollars: by the prices of the configuration, else as the model says itself (Claude Code does, once a turn is complete).",
    ),
  ),
});

export const doneData = v.object({
  conversationId: v.exactOptional(text("For a turn: the conversation.")),
  userMessageId: v.exactOptional(text("For a turn: the user's message in the history.")),
  assistantMessageId: v.exactOptional(text("For a turn: the answer in the history.")),
  cancelled: v.exactOptional(flag("For a `cancel`: whether its target was in flight.")),
  running: v.exactOptional(text("For a `subscribe`: the id of the running turn, if there is one.")),
});

export const conversationSummary = v.object({
  conversationId: text("Which conversation."),
  title: text("Given by `rename_conversation`, or the beginning of the first message."),
  updatedAt: number("Unix time in milliseconds of the last change."),
  messages: number("User and assistant messages."),
});

const messagePart = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("attachment"), path: v.string(), mime: v.string() }),
  v.object({ type: v.literal("tool_use"), toolId, toolName, input: v.unknown() }),
  v.object({ type: v.literal("tool_result"), toolId, toolName, result: v.unknown(), ...failure }),
]);

export const conversationMessage = v.object({
  messageId: text("Names this message within its conversation."),
  role: v.picklist(["user", "assistant"]),
  parts: described(v.array(messagePart), "In the order in which they were said or done."),
  timestamp: number("Unix time in milliseconds."),
  requestId: v.exactOptional(text("The request that it came from or answers.")),
  model: v.exactOptional(text("Which model answered.")),
  interrupted: v.exactOptional(text("Why the answer ended early: cancelled, failed, or the process ended.")),
});

export const modelEntry = v.object({
  model: text("For `metadata.model` and `--model`."),
  available: v.boolean(),
  current: flag("It answers unless a message picks another."),
  reason: v.exactOptional(text("Why it is not available, and what to do.")),
});

export type MessagePart = v.InferOutput<typeof messagePart>;
export type ConversationMessage = v.InferOutput<typeof conversationMessage>;
export type ConversationSummary = v.InferOutput<typeof conversationSummary>;
export type ModelEntry = v.InferOutput<typeof modelEntry>;
export type ServerEntry = v.InferOutput<typeof serverEntry>;
export type StatusData = v.InferOutput<typeof statusData>;
export type UsageData = v.InferOutput<typeof usageData>;
