// What the AI SDK streams in one call of a model, as our events. Text goes on at once; calls of tools wait
// for the end, so that no tool runs because of an answer that broke off. A stream that ends without the
// vendor's word that it is complete is an error, however it ends.

import { createTextGap, cutText } from "@hawser/protocol/internal";
import type { LanguageModelStreamPart, Warning } from "ai";
import type { InexactCall } from "./exact-arguments.ts";
import { lostError, modelError, redact, toModelError, type ErrorOrigin } from "./model-error.ts";
import type { ModelEvent } from "./model.ts";
import type { ToolNames } from "./vendor-names.ts";

type ToolCallEvent = Extract<ModelEvent, { type: "tool_call" }>;
type ToolCallStreamPart = Extract<LanguageModelStreamPart, { type: "tool-call" }>;

export interface EventContext {
  readonly origin: ErrorOrigin;
  readonly names: ToolNames;
  /** Calls whose arguments hold a number that JavaScript can't. */
  readonly inexact: ReadonlyMap<string, InexactCall>;
  /** An id that no other call of the conversation has. */
  uniqueId(wanted: string): string;
}

type Finish = Extract<LanguageModelStreamPart, { type: "model-call-end" }>;

export async function* toModelEvents(parts: AsyncIterable<LanguageModelStreamPart>, context: EventContext): AsyncGenerator<ModelEvent> {
  const calls: ToolCallEvent[] = [];
  let finish: Finish | undefined;
  let isSilent = true;
  const thoughts = new Map<string, OpenThought>();
  // Texts around a call in the middle of an answer: they become one text, and the call is put behind it.
  const gap = createTextGap();
  for await (const part of parts) {
    if (part.type === "tool-call") gap.interrupt();
    if (part.type === "text-delta" && part.text !== "") {
      isSilent = false;
      yield { type: "text", text: gap.before(part.text) + part.text };
    } else if (part.type === "reasoning-start" || part.type === "reasoning-delta" || part.type === "reasoning-end") {
      yield* thoughtEvents(part, thoughts);
    } else if (part.type === "tool-input-delta") yield { type: "tool_input", chars: part.delta.length };
    else if (part.type === "tool-call" && part.providerExecuted)
      yield { type: "notice", message: `the model used its own tool ${part.toolName}` };
    else if (part.type === "tool-call") calls.push(toCallEvent(part, context));
    else if (part.type === "model-call-start") yield* effortNotices(part.warnings, context.origin);
    else if (part.type === "error") throw toModelError(part.error, context.origin);
    else if (part.type === "model-call-end") finish = part;
  }
  if (finish === undefined || isUnfinished(finish)) throw lostError("the answer ended before it was complete", context.origin);
  yield* calls;
  yield* usageEvents(finish);
  yield* remarkOn(finish, calls.length > 0, isSilent, context.origin);
}

/** The vendor's package leaves out, or changes, what a model does not take: of the effort the user is told. */
function* effortNotices(warnings: readonly Warning[], origin: ErrorOrigin): Generator<ModelEvent> {
  for (const warning of warnings) {
    if (!("feature" in warning) || !warning.feature.startsWith("reasoning")) continue;
    const details = cutText(warning.details ?? "the model takes no effort", 200);
    yield { type: "notice", message: redact(`${origin.name}: ${details}`, origin) };
  }
}

interface OpenThought {
  text: string;
  vendor: unknown;
}

type ThoughtPart = Extract<LanguageModelStreamPart, { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }>;

/** A signature comes with any of the three; the last one counts. */
function* thoughtEvents(part: ThoughtPart, open: Map<string, OpenThought>): Generator<ModelEvent> {
  const thought = open.get(part.id) ?? { text: "", vendor: undefined };
  open.set(part.id, thought);
  thought.vendor = part.providerMetadata ?? thought.vendor;
  if (part.type === "reasoning-delta" && part.text !== "") {
    thought.text += part.text;
    yield { type: "reasoning", text: part.text };
  }
  if (part.type !== "reasoning-end") return;
  open.delete(part.id);
  yield { type: "thought", thought };
}

function toCallEvent(part: ToolCallStreamPart, { names, uniqueId, inexact }: EventContext): ToolCallEvent {
  const { toolCallId, toolName, input } = part;
  const asWritten = inexact.get(toolCallId);
  // A tool that does not exist is the runtime's to refuse; here it is only about what can't be understood.
  const problem = asWritten?.problem ?? (part.invalid && typeof input === "string" ? whyNotJson(input) : undefined);
  return {
    type: "tool_call",
    toolId: uniqueId(toolCallId),
    toolName: names.fromVendor(toolName),
    input: asWritten?.text ?? input,
    ...(problem !== undefined && { problem }),
  };
}

function whyNotJson(input: string): string {
  try {
    JSON.parse(input);
    return "the arguments have a key that is not allowed";
  } catch (error) {
    return `the arguments are not valid JSON: ${cutText((error as Error).message, 200)}`;
  }
}

const isUnfinished = ({ finishReason, rawFinishReason }: Finish): boolean =>
  finishReason === "interrupted" || finishReason === "error" || (finishReason === "other" && rawFinishReason === undefined);

/** None where the vendor does not count. */
function* usageEvents({ usage, providerMetadata = {} }: Finish): Generator<ModelEvent> {
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return;
  // Claude Code counts it, as an estimate.
  const costUsd = Object.values(providerMetadata)
    .map(({ runCostUsd }) => runCostUsd)
    .find((cost) => typeof cost === "number");
  yield { type: "usage", inputTokens, outputTokens, cachedInputTokens: inputTokenDetails.cacheReadTokens, costUsd };
}

/** Anthropic's word. */
const contextFull = "model_context_window_exceeded";

/** An answer that stops short says so: as an error where it would pass for a whole one, else as a notice. */
function* remarkOn(finish: Finish, hasCalls: boolean, isSilent: boolean, origin: ErrorOrigin): Generator<ModelEvent> {
  const { finishReason, rawFinishReason } = finish;
  if (finishReason === "content-filter")
    throw modelError("model_failed", `the vendor's content filter stopped the answer (${rawFinishReason ?? finishReason})`, origin);
  if (rawFinishReason === contextFull) {
    const window = (finish.usage.inputTokens ?? 0) + (finish.usage.outputTokens ?? 0);
    const text =
      "the answer ended where the model's context is full; say that it is to go on, and what was said before is summarised first";
    throw modelError("too_large", text, origin, { isOverflow: true, ...(window > 0 && { window }) });
  }
  if (finishReason === "length") {
    const text = "the answer was cut off at the model's output limit";
    if (!hasCalls) throw modelError("model_failed", `${text}; ask it to go on`, origin);
    yield { type: "notice", message: `${origin.name}: ${text}` };
  } else if (finishReason === "other")
    yield { type: "notice", message: redact(`${origin.name}: stopped for the reason "${cutText(String(rawFinishReason), 100)}"`, origin) };
  else if (isSilent && !hasCalls) yield { type: "notice", message: `${origin.name}: the answer is empty` };
}
