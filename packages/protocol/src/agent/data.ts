// What the agent protocol's responses carry in `data`.

import * as v from "valibot";
import { anything, described, flag, number, text } from "../described.ts";
import { contextParts } from "./context.ts";
import { askedFor } from "./envelope.ts";
import { runs, settingStatus } from "./setting-data.ts";

const toolId = text("Names this use of the tool; its result carries the same.");
const toolName = text("The tool.");
const failure = {
  isError: v.exactOptional(flag("Additive. The tool failed, or was not allowed to run.")),
  error: v.exactOptional(text("Additive. Why it failed.")),
};

const location = v.object({ path: text("The file."), line: v.exactOptional(number("The line, from 1.")) });

const aboutUse = {
  title: v.exactOptional(text("Additive. What this use does, in the words of the agent that makes it.")),
  kind: v.exactOptional(
    text(
      "Additive. What sort of tool it is: `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `switch_mode` or `other`.",
    ),
  ),
  locations: v.exactOptional(described(v.array(location), "Additive. The files that it reads or changes.")),
};

const diff = v.object({
  path: text("The file."),
  oldText: v.exactOptional(text("What it held before; absent for a new file.")),
  newText: text("What it holds now."),
  line: v.exactOptional(
    number(
      "Additive. Where both texts are a part of the file, the number of their first line, from 1. For a runtime with the capability `diff_lines`, which says it of `edit_file` in its questions.",
    ),
  ),
});

const diffs = v.exactOptional(described(v.array(diff), "Additive. What the tool changed in files, where it says so."));

export const toolUseData = v.object({ toolId, toolName, input: anything("The tool's arguments."), ...aboutUse });

const toolResultText =
  'What the tool returned, as JSON. When it is more than text, for example an image, it is `{"content": [...]}` with the blocks as MCP writes them: `{"type": "text", "text"}`, `{"type": "image", "data", "mimeType"}` with the image as base64, and others; media that is too large is only described.';

export const toolResultData = v.object({
  toolId,
  toolName,
  result: anything(toolResultText),
  ...failure,
  diffs,
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
  ...settingStatus,
});

const permissionOption = v.object({
  optionId: text("For `permission_response.optionId`."),
  name: text("What the user is shown."),
  kind: v.picklist(["allow_once", "allow_always", "reject_once", "reject_always"]),
});

export const permissionData = v.object({
  permissionId: text("For the answer."),
  toolId,
  toolName,
  input: anything("The arguments that it would run with."),
  reason: text("Why it is asked."),
  title: aboutUse.title,
  kind: aboutUse.kind,
  locations: aboutUse.locations,
  diffs,
  options: v.exactOptional(
    described(
      v.array(permissionOption),
      "The answers that the asking agent offers; for a runtime with the capability `permission_options`.",
    ),
  ),
  runs,
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
  contextTokens: v.exactOptional(number("Additive. Tokens that the conversation takes in the model's context now.")),
  contextWindow: v.exactOptional(number("Additive. How many tokens the context holds, where it is known.")),
});

const optionValue = v.object({
  value: text("For `set_option`."),
  name: text("What the user is shown."),
  description: v.exactOptional(text("What it means.")),
});

export const optionEntry = v.object({
  optionId: text("For `set_option`."),
  name: text("What the user is shown."),
  description: v.exactOptional(text("What it changes.")),
  category: v.exactOptional(text("`model`, `mode`, `thought_level`, or another one that the agent names.")),
  value: described(v.union([v.string(), v.boolean()]), "What is chosen now."),
  values: v.exactOptional(described(v.array(optionValue), "What may be chosen; absent where it is true or false.")),
});

export const doneData = v.object({
  conversationId: v.exactOptional(text("For a turn: the conversation.")),
  userMessageId: v.exactOptional(text("For a turn: the user's message in the history.")),
  assistantMessageId: v.exactOptional(text("For a turn: the answer in the history.")),
  cancelled: v.exactOptional(flag("For a `cancel`: whether its target was in flight.")),
  running: v.exactOptional(text("For a `subscribe`: the id of the running turn, if there is one.")),
  steerId: v.exactOptional(text("For a `steer`: names it.")),
});

export const conversationSummary = v.object({
  conversationId: text("Which conversation."),
  title: text("Given by `rename_conversation`, or the beginning of the first message."),
  updatedAt: number("Unix time in milliseconds of the last change."),
  messages: number("User and assistant messages."),
  folder: v.exactOptional(text("Additive. The first folder that `set_workspace` gave it.")),
});

const messagePart = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("attachment"), path: v.string(), mime: v.string() }),
  v.object({ type: v.literal("tool_use"), toolId, toolName, input: v.unknown(), ...aboutUse }),
  v.object({ type: v.literal("tool_result"), toolId, toolName, result: v.unknown(), ...failure, diffs }),
  described(
    v.object({ type: v.literal("steer"), steerId: v.string(), message: v.string() }),
    `${askedFor} What the user said while the answer was made, where the model saw it.`,
  ),
  ...contextParts,
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
  reason: v.exactOptional(text("Why it is not available, and what to do. A command that would help stands at its end, behind `run: `.")),
});

export type MessagePart = v.InferOutput<typeof messagePart>;
export type ConversationMessage = v.InferOutput<typeof conversationMessage>;
export type ConversationSummary = v.InferOutput<typeof conversationSummary>;
export type ModelEntry = v.InferOutput<typeof modelEntry>;
export type ServerEntry = v.InferOutput<typeof serverEntry>;
export type OptionEntry = v.InferOutput<typeof optionEntry>;
export type PermissionOption = v.InferOutput<typeof permissionOption>;
export type StatusData = v.InferOutput<typeof statusData>;
export type UsageData = v.InferOutput<typeof usageData>;
