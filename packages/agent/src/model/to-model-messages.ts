// The history as the AI SDK takes it. One answer of ours may hold several rounds of tools; vendors want
// them apart: what the model said and called, then the results of exactly these calls. So every call
// gets a result (one that says so where the process ended before there was one), a result without a
// call is left out, and nothing empty is sent, since vendors refuse a whole conversation over that.

import { cutText, isRecord, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";
import type { AssistantContent, JSONValue, ModelMessage, TextPart, ToolCallPart, ToolResultPart, UserContent } from "ai";
import { describeBlock, describeContent, isMcpResult, type McpContent } from "../tool-value.ts";
import type { AttachedContent, ModelStep, PlacedThought } from "./model.ts";
import { withSteersApart } from "./steers-apart.ts";
import { createUniqueIds, type ToolNames } from "./vendor-names.ts";

type ToolResult = Extract<MessagePart, { type: "tool_result" }>;
type UserPart = Exclude<UserContent, string>[number];
type ReasoningPart = Extract<Exclude<AssistantContent, string>[number], { type: "reasoning" }>;

const maxReasonChars = 200;

export interface ConversionOptions {
  readonly names: ToolNames;
  /** Whether the model takes images in results of tools; one that does not is told what they are. */
  readonly takesToolImages: boolean;
}

type Step = Pick<ModelStep, "summary" | "messages" | "attachments" | "thoughts">;

export function toModelMessages({ summary, messages, attachments, thoughts }: Step, options: ConversionOptions): ModelMessage[] {
  const uniqueId = createUniqueIds();
  const converted: ModelMessage[] = [];
  let interrupted: string | undefined;
  for (const message of withSteersApart(messages)) {
    if (message.role === "user") addUserContent(converted, toUserContent(message, attachments, interrupted));
    else converted.push(...toRounds(message, { ...options, uniqueId, thoughts }));
    interrupted = message.interrupted;
  }
  if (summary !== undefined) tellSummary(summary, converted);
  // Where a vendor caches what it has read, it does so up to here; others ignore it.
  const last = converted.at(-1);
  if (last) last.providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  return converted;
}

/** Before the first thing that the user says: two messages of one side in a row are refused by some servers. */
function tellSummary(summary: string, converted: ModelMessage[]): void {
  const told = text(`[A summary of the conversation until here:]\n${summary}\n[The end of the summary]`);
  const [first] = converted;
  if (first?.role === "user" && Array.isArray(first.content)) first.content.unshift(told);
  else converted.unshift({ role: "user", content: [told] });
}

/** What the user said several times in a row is one message: templates of local models refuse two. */
function addUserContent(converted: ModelMessage[], content: UserPart[]): void {
  const last = converted.at(-1);
  if (last?.role === "user" && typeof last.content !== "string") last.content.push(...content);
  else converted.push({ role: "user", content });
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

function toRounds({ parts }: ConversationMessage, options: Omit<RoundContext, "results">): ModelMessage[] {
  // In their order, since two calls of a damaged history may have the same id.
  const results = Map.groupBy(
    parts.filter((part) => part.type === "tool_result"),
    ({ toolId }) => toolId,
  );
  const rounds: ModelMessage[] = [];
  let said: Extract<MessagePart, { type: "text" | "tool_use" }>[] = [];
  const endRound = (): void => {
    rounds.push(...toRound(said, { ...options, results }));
    said = [];
  };
  let isAnswered = false;
  for (const part of parts) {
    if (part.type === "tool_result") isAnswered = true;
    if (part.type !== "text" && part.type !== "tool_use") continue;
    if (isAnswered) endRound();
    isAnswered = false;
    said.push(part);
  }
  endRound();
  return rounds;
}

interface RoundContext extends ConversionOptions {
  readonly results: Map<string, ToolResult[]>;
  readonly thoughts: Step["thoughts"];
  uniqueId(wanted: string): string;
}

function toRound(
  said: readonly Extract<MessagePart, { type: "text" | "tool_use" }>[],
  { results, names, takesToolImages, thoughts, uniqueId }: RoundContext,
): ModelMessage[] {
  const answers: ToolResultPart[] = [];
  const firstCall = said.find((part) => part.type === "tool_use");
  const thought = (firstCall && thoughts?.get(firstCall.toolId)) ?? [];
  const spoken = said.map((part): (TextPart | ToolCallPart)[] => {
    if (part.type === "text") return isSaid(part.text) ? [text(part.text)] : [];
    const { toolId, input } = part;
    const call = { toolCallId: uniqueId(toolId), toolName: names.toVendor(part.toolName) };
    answers.push({ type: "tool-result", ...call, output: toOutput(results.get(toolId)?.shift(), takesToolImages) });
    // Vendors want an object, also where the model had sent something else.
    return [{ type: "tool-call", ...call, input: isRecord(input) ? input : { invalid_arguments: input ?? null } }];
  });
  const content = spoken.flatMap((parts, at) => [...thoughtsAt(thought, at), ...parts]);
  return [
    ...(content.length > 0 ? [{ role: "assistant" as const, content }] : []),
    ...(answers.length > 0 ? [{ role: "tool" as const, content: answers }] : []),
  ];
}

/** What was thought before the part with this number. */
const thoughtsAt = (thoughts: readonly PlacedThought[], at: number): ReasoningPart[] =>
  thoughts
    .filter((thought) => thought.at === at)
    .map(({ text: thought, vendor }) => ({
      type: "reasoning",
      text: thought,
      ...(isRecord(vendor) && { providerOptions: vendor as NonNullable<ReasoningPart["providerOptions"]> }),
    }));

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
