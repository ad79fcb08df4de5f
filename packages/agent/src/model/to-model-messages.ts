// The history as the AI SDK takes it. One answer of ours may hold several rounds of tools; vendors want
// them apart: what the model said and called, then the results of exactly these calls. So every call
// gets a result (one that says so where the process ended before there was one), a result without a
// call is left out, and nothing empty is sent, since vendors refuse a whole conversation over that.

import { cutText, isRecord, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";
import type { JSONValue, ModelMessage, TextPart, ToolCallPart, ToolResultPart, UserContent } from "ai";
import { describeBlock, describeContent, isMcpResult, type McpContent } from "../tool-value.ts";
import type { AttachedContent, ModelStep } from "./model.ts";
import { createUniqueIds, type ToolNames } from "./vendor-names.ts";

type ToolUse = Extract<MessagePart, { type: "tool_use" }>;
type ToolResult = Extract<MessagePart, { type: "tool_result" }>;
type UserPart = Exclude<UserContent, string>[number];

const maxReasonChars = 200;

export interface ConversionOptions {
  readonly names: ToolNames;
  /** Whether the model takes images in results of tools; one that does not is told what they are. */
  readonly takesToolImages: boolean;
}

export function toModelMessages(
  { messages, attachments }: Pick<ModelStep, "messages" | "attachments">,
  options: ConversionOptions,
): ModelMessage[] {
  const uniqueId = createUniqueIds();
  const converted: ModelMessage[] = [];
  let interrupted: string | undefined;
  for (const message of messages) {
    if (message.role === "user") converted.push({ role: "user", content: toUserContent(message, attachments, interrupted) });
    else converted.push(...toRounds(message, options, uniqueId));
    interrupted = message.interrupted;
  }
  // Where a vendor caches what it has read, it does so up to here; others ignore it.
  const last = converted.at(-1);
  if (last) last.providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  return converted;
}

function toUserContent(
  { parts }: ConversationMessage,
  attachments: ReadonlyMap<string, AttachedContent>,
  interrupted: string | undefined,
): UserPart[] {
  const content: UserPart[] = [];
  // The model sees half an answer of its own; without this it would take it for a whole one.
  if (interrupted !== undefined) content.push(text(`[The answer before ended early: ${cutText(interrupted, maxReasonChars)}]`));
  const before = content.length;
  for (const part of parts) {
    if (part.type === "text" && isSaid(part.text)) content.push(text(part.text));
    if (part.type === "attachment") content.push(toAttachment(part.path, attachments.get(part.path)));
  }
  if (content.length === before) content.push(text("[The message is empty]"));
  return content;
}

function toAttachment(path: string, attached: AttachedContent | undefined): UserPart {
  if (attached === undefined) return text(`[The attached file ${path} can't be read any more]`);
  const { content, mime } = attached;
  if (typeof content !== "string") return { type: "file", mediaType: mime, data: { type: "data", data: content } };
  return text(`[The attached file ${path}, ${mime}:]\n${content}\n[The end of ${path}]`);
}

function toRounds({ parts }: ConversationMessage, options: ConversionOptions, uniqueId: (wanted: string) => string): ModelMessage[] {
  const results = resultsById(parts);
  const rounds: ModelMessage[] = [];
  let said: Extract<MessagePart, { type: "text" | "tool_use" }>[] = [];
  const endRound = (): void => {
    rounds.push(...toRound(said, { ...options, results, uniqueId }));
    said = [];
  };
  let isAnswered = false;
  for (const part of parts) {
    if (part.type === "attachment") continue;
    if (part.type === "tool_result") isAnswered = true;
    else {
      if (isAnswered) endRound();
      isAnswered = false;
      said.push(part);
    }
  }
  endRound();
  return rounds;
}

interface RoundContext extends ConversionOptions {
  readonly results: Map<string, ToolResult[]>;
  uniqueId(wanted: string): string;
}

function toRound(
  said: readonly Extract<MessagePart, { type: "text" | "tool_use" }>[],
  { results, names, takesToolImages, uniqueId }: RoundContext,
): ModelMessage[] {
  const answers: ToolResultPart[] = [];
  const content = said.flatMap((part): (TextPart | ToolCallPart)[] => {
    if (part.type === "text") return isSaid(part.text) ? [text(part.text)] : [];
    const call = toCall(part, uniqueId(part.toolId), names);
    answers.push({
      ...toOutput(results.get(part.toolId)?.shift(), takesToolImages),
      type: "tool-result",
      toolCallId: call.toolCallId,
      toolName: call.toolName,
    });
    return [call];
  });
  if (content.length === 0) return [];
  return answers.length === 0
    ? [{ role: "assistant", content }]
    : [
        { role: "assistant", content },
        { role: "tool", content: answers },
      ];
}

/** Vendors want an object, also where the model had sent something else. */
const toCall = ({ toolName, input }: ToolUse, toolCallId: string, names: ToolNames): ToolCallPart => ({
  type: "tool-call",
  toolCallId,
  toolName: names.toVendor(toolName),
  input: isRecord(input) ? input : { invalid_arguments: input ?? null },
});

function toOutput(result: ToolResult | undefined, takesToolImages: boolean): Pick<ToolResultPart, "output"> {
  if (result === undefined) return { output: { type: "error-text", value: "no result: the turn ended before the tool did" } };
  if (result.isError) return { output: { type: "error-text", value: (result.error ?? "the tool failed").toWellFormed() } };
  if (isMcpResult(result.result)) return { output: toContent(result.result, takesToolImages) };
  if (typeof result.result === "string") return { output: { type: "text", value: result.result.toWellFormed() } };
  return { output: { type: "json", value: (result.result ?? null) as JSONValue } };
}

// What the vendors that take images take.
const imageTypes: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function toContent(result: McpContent, takesToolImages: boolean): ToolResultPart["output"] {
  if (!takesToolImages) return { type: "text", value: describeContent(result).toWellFormed() };
  const value = result.content.map((block) => {
    const { type, data, mimeType } = block;
    if (type === "image" && typeof data === "string" && typeof mimeType === "string" && imageTypes.has(mimeType))
      return { type: "file" as const, mediaType: mimeType, data: { type: "data" as const, data } };
    return text(describeBlock(block) || "[empty]");
  });
  return { type: "content", value };
}

/** In their order, since two calls of a damaged history may have the same id. */
function resultsById(parts: readonly MessagePart[]): Map<string, ToolResult[]> {
  return Map.groupBy(
    parts.filter((part) => part.type === "tool_result"),
    ({ toolId }) => toolId,
  );
}

const isSaid = (value: string): boolean => value.trim() !== "";
const text = (value: string): TextPart => ({ type: "text", text: value.toWellFormed() });
