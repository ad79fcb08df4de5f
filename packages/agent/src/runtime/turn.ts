// One turn: the user's message goes into the history, the model answers step by step, the tools it asks
// for are run, and the answer is on disk before the turn is said to be done. However it ends, the history
// holds what was said and done up to then.

import { randomUUID } from "node:crypto";
import {
  createTextGap,
  HawserError,
  limits,
  toHawserError,
  type ConversationMessage,
  type MessagePart,
  type UsageData,
  type UserMessageRequest,
} from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { Conversation } from "../history/conversation-store.ts";
import type { AttachedContent, Model } from "../model/model.ts";
import { turnLimits, type AgentParts } from "./agent-parts.ts";
import type { HeavyWork } from "./heavy-work.ts";
import { createStepRun, type StepRun, type TurnTotals } from "./model-step.ts";
import { toCostUsd } from "./prices.ts";
import type { CallScope, RequestedCall, ToolResult, ToolRunner } from "./tool-runner.ts";
import { createHolding, type Holding } from "./turn-holding.ts";
import type { TurnPlace } from "./turn-room.ts";

export interface TurnOptions {
  readonly request: UserMessageRequest;
  readonly parts: AgentParts;
  readonly conversation: Conversation;
  readonly model: Model;
  readonly scope: CallScope;
  /** Through which what may be large goes into the history. */
  readonly heavyWork: HeavyWork;
  /** Where it is said how much the turn holds. */
  readonly place: TurnPlace;
  /** The tools as they are now. */
  toolRunner(): ToolRunner;
}

export interface TurnOutcome {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly assistantMessageId: string;
}

/** Throws why the turn has failed or was cancelled. */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { request, parts, conversation, model, scope } = options;
  const attachments = await readAll(parts, request, conversation, scope.signal);
  const held = createHolding({ request, conversation, place: options.place, signal: scope.signal }, attachments);
  held.count();
  const user = toUserMessage(request);
  const answer: ConversationMessage = {
    messageId: randomUUID(),
    role: "assistant",
    parts: [],
    timestamp: Date.now(),
    requestId: request.id,
    model: model.name,
  };
  await options.heavyWork(request.message.length, () => conversation.add(user));
  await conversation.add(answer);
  try {
    await held.grow();
    await answerIn(answer.messageId, options, { attachments, held });
  } catch (error) {
    await conversation
      .finish(answer.messageId, toHawserError(error).message)
      .catch((cause: unknown) => logLine(`[hawser] agent: the end of a turn could not be written: ${toHawserError(cause).message}`));
    throw error;
  }
  await conversation.finish(answer.messageId);
  return { conversationId: conversation.conversationId, userMessageId: user.messageId, assistantMessageId: answer.messageId };
}

interface TurnContents {
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  readonly held: Holding;
}

async function answerIn(messageId: string, options: TurnOptions, { attachments, held }: TurnContents): Promise<void> {
  const { parts, conversation, model, scope } = options;
  const counts = { textBytes: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: undefined };
  const totals: TurnTotals = { ...counts, toolIds: idsIn(conversation), gap: createTextGap() };
  const { agentSteps } = turnLimits(parts);
  for (let count = 1; count <= agentSteps; count++) {
    const runner = options.toolRunner();
    const step = {
      instructions: parts.instructions,
      messages: conversation.messages,
      attachments,
      tools: runner.tools,
      signal: scope.signal,
      holdInput: held.growInput,
    };
    const keep = async (added: readonly MessagePart[]): Promise<void> => {
      await conversation.addParts(messageId, added);
      await held.grow();
    };
    const run = createStepRun({ model, step, totals, emit: (event) => scope.emit(event), keep });
    await keepWhatWasSaid(run, (added) => conversation.addParts(messageId, added));
    held.endStep();
    await held.grow();
    if (totals.inputTokens + totals.outputTokens > 0) await scope.emit({ type: "usage", data: toUsage(model, totals, parts) });
    if (run.calls.length === 0) return;
    await runCalls(run.calls, { runner, messageId, held }, options);
  }
  throw new HawserError("overloaded", `the agent took ${agentSteps} steps without an end; ask for less at once`);
}

/** What was said before a failure belongs into the history as much as what was said before the end. */
async function keepWhatWasSaid(run: StepRun, addParts: (parts: readonly MessagePart[]) => Promise<void>): Promise<void> {
  try {
    await run.run();
  } catch (error) {
    // A use that was announced and will not be made has a result, so that the two stay together.
    const unmade = run.calls.map(({ toolId, toolName }): MessagePart => notRun(toolId, toolName, toHawserError(error).message));
    await addParts([...run.parts, ...unmade]);
    throw error;
  }
  if (run.parts.length > 0) await addParts(run.parts);
}

interface Calling {
  readonly runner: ToolRunner;
  readonly messageId: string;
  readonly held: Holding;
}

async function runCalls(calls: readonly RequestedCall[], { runner, messageId, held }: Calling, options: TurnOptions): Promise<void> {
  const { conversation, scope, parts } = options;
  const open = new Map(calls.map((call) => [call.toolId, call]));
  const onResult = async (result: ToolResult): Promise<void> => {
    scope.signal.throwIfAborted();
    open.delete(result.toolId);
    // A text is as long as it is, about; to write it out once more only to measure it would cost as much as to keep it.
    const { length: chars } = typeof result.result === "string" ? result.result : JSON.stringify(result.result);
    await options.heavyWork(chars, () => conversation.addParts(messageId, [{ type: "tool_result", ...result }]));
    await scope.emit({ type: "tool_result", data: result });
    await held.grow();
    if (result.isError && parts.toolFailure === "fatal")
      throw new HawserError("tool_failed", `tool "${result.toolName}" failed: ${result.error}`);
  };
  try {
    await runner.run(calls, scope, onResult);
  } catch (error) {
    const reason = toHawserError(error).message;
    await conversation.addParts(
      messageId,
      [...open.values()].map(({ toolId, toolName }) => notRun(toolId, toolName, reason)),
    );
    throw error;
  }
}

const notRun = (toolId: string, toolName: string, error: string): MessagePart => ({
  type: "tool_result",
  toolId,
  toolName,
  result: null,
  isError: true,
  error: `the turn ended before the tool did: ${error}`,
});

function toUserMessage({ id, message, attachments = [] }: UserMessageRequest): ConversationMessage {
  const files = attachments.map(({ path, mime }): MessagePart => ({ type: "attachment", path, mime }));
  const parts: MessagePart[] = message === "" ? files : [{ type: "text", text: message }, ...files];
  return { messageId: randomUUID(), role: "user", parts, timestamp: Date.now(), requestId: id };
}

/** Those of this message must be there; an earlier one that has gone since, or finds no room, is not worth a failed turn. */
async function readAll(
  parts: AgentParts,
  { attachments = [] }: UserMessageRequest,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AttachedContent>> {
  const read = attachments.length > 0 ? await parts.readAttachments(attachments, signal) : [];
  const contents = new Map(read.map((content) => [content.path, content]));
  let bytes = read.reduce((sum, { content }) => sum + content.length, 0);
  const earlier = conversation.messages.flatMap((message) => message.parts).filter((part) => part.type === "attachment");
  for (const { path, mime } of earlier.slice(-limits.agentEarlierEntries).toReversed()) {
    if (contents.has(path)) continue;
    const [content] = await parts.readAttachments([{ path, mime }], signal, true).catch(() => []);
    bytes += content?.content.length ?? 0;
    if (bytes > limits.maxAttachedBytes) break;
    if (content) contents.set(path, content);
  }
  return contents;
}

function idsIn({ messages }: Conversation): Set<string> {
  return new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_use" ? [part.toolId] : []))));
}

function toUsage({ name }: Model, totals: TurnTotals, { prices }: AgentParts): UsageData {
  const { inputTokens, outputTokens, cachedInputTokens } = totals;
  // The user's own prices count before the model's estimate.
  const price = prices && Object.hasOwn(prices, name) ? prices[name] : undefined;
  const costUsd = price ? toCostUsd(totals, price) : totals.costUsd;
  return {
    model: name,
    inputTokens,
    outputTokens,
    ...(cachedInputTokens > 0 && { cachedInputTokens }),
    ...(costUsd !== undefined && { costUsd }),
  };
}
