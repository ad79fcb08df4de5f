// The history as the AI SDK takes it. One answer of ours may hold several rounds of tools; vendors want
// them apart: what the model said and called, then the results of exactly these calls. So every call
// gets a result (one that says so where the process ended before there was one), a result without a
// call is left out, and nothing empty is sent, since vendors refuse a whole conversation over that.

import { cutText, isRecord, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";
import type { JSONValue, ModelMessage, TextPart, ToolCallPart, ToolResultPart, UserContent } from "ai";
import { describeBlock, describeContent, isMcpResult, type McpContent } from "../tool-value.ts";
import type { AttachedContent, ModelStep } from "./model.ts";
import { createUniqueIds, type ToolNames } from "./vendor-names.ts";

type ToolResult = Extract<MessagePart, { type: "tool_result" }>;
type UserPart = Exclude<UserContent, string>[number];

const maxReasonChars = 200;

export interface ConversionOptions {
  readonly names: ToolNames;
  /** Whether the model takes images in results of tools; one that does not is told what they are. */
  readonly takesToolImages: boolean;
}

type Step = Pick<ModelStep, "messages" | "attachments">;

export function toModelMessages({ messages, attachments }: Step, options: ConversionOptions): ModelMessage[] {
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

function toUserContent({ parts }: ConversationMessage, attachments: Step["attachments"], interrupted: string | undefined): UserPart[] {
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
  // In their order, since two calls of a damaged history may have the same id.
  const results = Map.groupBy(
    parts.filter((part) => part.type === "tool_result"),
    ({ toolId }) => toolId,
  );
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
    const { toolId, input } = part;
    const call = { toolCallId: uniqueId(toolId), toolName: names.toVendor(part.toolName) };
    answers.push({ type: "tool-result", ...call, output: toOutput(results.get(toolId)?.shift(), takesToolImages) });
    // Vendors want an object, also where the model had sent something else.
    return [{ type: "tool-call", ...call, input: isRecord(input) ? input : { invalid_arguments: input ?? null } }];
  });
  return [
    ...(content.length > 0 ? [{ role: "assistant" as const, content }] : []),
    ...(answers.length > 0 ? [{ role: "tool" as const, content: answers }] : []),
  ];
}

function toOutput(result: ToolResult | undefined, takesToolImages: boolean): ToolResultPart["output"] {
  if (result === undefined) return { type: "error-text", value: "no result: the turn ended before the tool did" };
  if (result.isError) return { type: "error-text", value: (result.error ?? "the tool failed").toWellFormed() };
  if (isMcpResult(result.result)) return toContent(result.result, takesToolImages);
  if (typeof result.result === "string") return { type: "text", value: result.result.toWellFormed() };
  return { type: "json", value: (result.result ?? null) as JSONValue };
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

const isSaid = (value: string): boolean => value.trim() !== "";
const text = (value: string): TextPart => ({ type: "text", text: value.toWellFormed() });
