// How many tokens a request to a model will take, about. Vendors count with vocabularies of their own, so a text is taken at
// four bytes a token, and what a model said that a request really took corrects that for the next one.

import { isRecord, type MessagePart } from "@hawser/protocol/internal";
import type { ModelStep } from "../model/model.ts";

const bytesPerToken = 4;
/** What vendors count for a picture of usual size. */
const imageTokens = 1_600;
/** Roles, ids and brackets around a part. */
const partTokens = 8;

export const toTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

/** Parts are never changed, and a long conversation has many. */
const known = new WeakMap<MessagePart, number>();

export function partTokensOf(part: MessagePart): number {
  const before = known.get(part);
  if (before !== undefined) return before;
  const tokens = partTokens + contentTokens(part);
  known.set(part, tokens);
  return tokens;
}

function contentTokens(part: MessagePart): number {
  switch (part.type) {
    case "text":
      return toTokens(part.text);
    case "steer":
      return toTokens(part.message);
    case "tool_use":
      return toTokens(part.toolName) + valueTokens(part.input);
    case "tool_result":
      return part.isError ? toTokens(part.error ?? "") : valueTokens(part.result);
    default:
      // Thoughts and plans are not told to a model again; what is attached is counted by its content.
      return 0;
  }
}

function valueTokens(value: unknown): number {
  if (typeof value === "string") return toTokens(value);
  const blocks = isRecord(value) && Array.isArray(value["content"]) ? (value["content"] as unknown[]) : [];
  const images = blocks.filter((block) => isRecord(block) && block["type"] === "image");
  if (images.length === 0) return toTokens(JSON.stringify(value) ?? "");
  const rest = blocks.filter((block) => !images.includes(block));
  return images.length * imageTokens + toTokens(JSON.stringify(rest));
}

type Request = Pick<ModelStep, "instructions" | "summary" | "messages" | "attachments" | "tools">;

export function estimateRequest({ instructions, summary = "", messages, attachments, tools }: Request): number {
  const told = messages.reduce((sum, { parts }) => sum + parts.reduce((tokens, part) => tokens + partTokensOf(part), 0), 0);
  const attached = messages
    .flatMap(({ parts }) => parts)
    .map((part) => (part.type === "attachment" ? attachments.get(part.path)?.content : undefined))
    .reduce((sum, content) => sum + (content === undefined ? 0 : typeof content === "string" ? toTokens(content) : imageTokens), 0);
  return toTokens(instructions) + toTokens(summary) + toolTokens(tools) + told + attached;
}

const knownTools = new WeakMap<object, number>();

function toolTokens(tools: ModelStep["tools"]): number {
  const before = knownTools.get(tools);
  if (before !== undefined) return before;
  const tokens = tools.length === 0 ? 0 : toTokens(JSON.stringify(tools));
  knownTools.set(tools, tokens);
  return tokens;
}

const [leastFactor, largestFactor] = [0.4, 4];

/** How much a model's own count differs from ours, for one conversation. */
export function createTokenCount() {
  let factor = 1;
  return {
    estimate: (request: Request): number => Math.ceil(estimateRequest(request) * factor),
    /** The same for a part of a request. */
    scale: (tokens: number): number => Math.ceil(tokens * factor),
    /** The model has said how much this request was. */
    learn(request: Request, inputTokens: number): void {
      const estimated = estimateRequest(request);
      if (estimated > 0 && inputTokens > 0) factor = Math.min(largestFactor, Math.max(leastFactor, inputTokens / estimated));
    },
  };
}

export type TokenCount = ReturnType<typeof createTokenCount>;
