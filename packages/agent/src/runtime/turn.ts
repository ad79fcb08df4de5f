// One turn: the user's message goes into the history, the model answers step by step, the tools it asks for run, and the
// answer is on disk before the turn is `done`. However it ends, the history holds what was said and done until then.

import { randomUUID } from "node:crypto";
import {
  createTextGap,
  HawserError,
  toHawserError,
  type ConversationMessage,
  type MessagePart,
  type UsageData,
  type UserMessageRequest,
} from "@hawser/protocol/internal";
import type { Semaphore } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Conversation } from "../history/conversation-store.ts";
import { toLostResult } from "../history/transcript.ts";
import type { AttachedContent, Model } from "../model/model.ts";
import { agentLimits } from "../limits.ts";
import { turnLimits, type AgentParts, type TokenPrices, type Workspace } from "./agent-parts.ts";
import { createStepRun, type StepRun, type TurnTotals } from "./model-step.ts";
import type { RunTime, TurnScope, RequestedCall, ToolResult, ToolRunner } from "./tool-runner.ts";
import type { TurnShare } from "./turn-memory.ts";

export interface TurnOptions {
  readonly request: UserMessageRequest;
  readonly parts: AgentParts;
  readonly conversation: Conversation;
  readonly workspace: Workspace;
  readonly model: Model;
  readonly scope: TurnScope;
  /** One seat for all conversations: a large value is copied several times on its way to the disk, and many at once would fill the memory. */
  readonly largeWrites: Semaphore;
  /** What the turn holds of the memory that all turns share. */
  readonly share: TurnShare;
  /** The tools as they are now. */
  toolRunner(): ToolRunner;
}

/** What `done` says of a turn. */
export interface TurnOutcome {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly assistantMessageId: string;
}

/** Throws why the turn has failed or was cancelled. */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { request, workspace, conversation, model, scope } = options;
  const attachments = await readAll(workspace, request, conversation, scope.signal);
  const attachedBytes = request.attachments?.reduce((sum, { path }) => sum + (attachments.get(path)?.content.length ?? 0), 0) ?? 0;
  const heldBytes = (): number => conversation.bytes + attachedBytes;
  options.share.count(heldBytes());
  const user = toUserMessage(request);
  const answer: ConversationMessage = {
    messageId: randomUUID(),
    role: "assistant",
    parts: [],
    timestamp: Date.now(),
    requestId: request.id,
    model: model.name,
  };
  await writeLarge(request.message.length, options, () => conversation.add(user));
  await conversation.add(answer);
  try {
    const grow = (): Promise<void> => options.share.grow(heldBytes());
    await grow();
    await answerIn(answer.messageId, options, { attachments, grow });
  } catch (error) {
    await conversation
      .finish(answer.messageId, toHawserError(error).message)
      .catch((cause: unknown) => logLine(`[hawser] agent: the end of a turn could not be written: ${toHawserError(cause).message}`));
    throw error;
  }
  await conversation.finish(answer.messageId);
  return { conversationId: conversation.conversationId, userMessageId: user.messageId, assistantMessageId: answer.messageId };
}

const writeLarge = (chars: number, { largeWrites }: TurnOptions, write: () => Promise<void>): Promise<void> =>
  chars > agentLimits.agentTokenChars ? largeWrites.run(write) : write();

interface TurnContents {
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  /** Tells how much the turn holds now; resolves when it may be more. */
  grow(): Promise<void>;
}

async function answerIn(messageId: string, options: TurnOptions, { attachments, grow }: TurnContents): Promise<void> {
  const { parts, conversation, model, scope, share } = options;
  const counts = { textBytes: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: undefined };
  const totals: TurnTotals = { ...counts, toolIds: idsIn(conversation), gap: createTextGap() };
  const { agentSteps } = turnLimits(parts);
  for (let count = 1; count <= agentSteps; count++) {
    const runner = options.toolRunner();
    const step = {
      instructions: options.workspace.instructions,
      messages: conversation.messages,
      attachments,
      tools: runner.tools,
      signal: scope.signal,
    };
    const keep = async (added: readonly MessagePart[]): Promise<void> => {
      await conversation.addParts(messageId, added);
      await grow();
    };
    const run = createStepRun({ model, step, totals, emit: scope.emit, growInput: share.growInput, keep });
    await keepWhatWasSaid(run, (added) => conversation.addParts(messageId, added));
    share.endStep();
    await grow();
    if (totals.inputTokens + totals.outputTokens > 0) await scope.emit({ type: "usage", data: toUsage(model, totals, parts) });
    if (run.calls.length === 0) return;
    await runCalls(run.calls, { runner, messageId, grow }, options);
  }
  throw new HawserError("overloaded", `the agent took ${agentSteps} steps without an end; ask for less at once`);
}

/** What was said before a failure belongs in the history as much as what was said before the end. */
async function keepWhatWasSaid(run: StepRun, addParts: (parts: readonly MessagePart[]) => Promise<void>): Promise<void> {
  try {
    await run.run();
  } catch (error) {
    // A use that was announced and will not be made has a result, so that the two stay together.
    await addParts([...run.parts, ...run.calls.map((call) => toNotRun(call, error))]);
    throw error;
  }
  if (run.parts.length > 0) await addParts(run.parts);
}

interface Calling extends Pick<TurnContents, "grow"> {
  readonly runner: ToolRunner;
  readonly messageId: string;
}

async function runCalls(calls: readonly RequestedCall[], { runner, messageId, grow }: Calling, options: TurnOptions): Promise<void> {
  const { conversation, scope, parts } = options;
  const open = new Map(calls.map((call) => [call.toolId, call]));
  const onResult = async (result: ToolResult, time: RunTime): Promise<void> => {
    scope.signal.throwIfAborted();
    open.delete(result.toolId);
    // The length of a text is close enough; writing it out as JSON only to measure it would cost as much as keeping it.
    const { length: chars } = typeof result.result === "string" ? result.result : JSON.stringify(result.result);
    await writeLarge(chars, options, () => conversation.addParts(messageId, [{ type: "tool_result", ...result }]));
    await scope.emit({ type: "tool_result", data: { ...result, ...time } });
    await grow();
    if (result.isError && parts.toolFailure === "fatal")
      throw new HawserError("tool_failed", `tool "${result.toolName}" failed: ${result.error}`);
  };
  try {
    await runner.run(calls, scope, onResult);
  } catch (error) {
    const unmade = Array.from(open.values(), (call) => toNotRun(call, error));
    await conversation.addParts(messageId, unmade);
    throw error;
  }
}

const toNotRun = (call: RequestedCall, error: unknown): MessagePart =>
  toLostResult(call, `the turn ended before the tool did: ${toHawserError(error).message}`);

function toUserMessage({ id, message, attachments = [] }: UserMessageRequest): ConversationMessage {
  const files = attachments.map(({ path, mime }): MessagePart => ({ type: "attachment", path, mime }));
  const parts: MessagePart[] = message === "" ? files : [{ type: "text", text: message }, ...files];
  return { messageId: randomUUID(), role: "user", parts, timestamp: Date.now(), requestId: id };
}

/** The attachments of this message must be there. An earlier one that is gone or doesn't fit any more fails no turn. */
async function readAll(
  workspace: Workspace,
  { attachments = [] }: UserMessageRequest,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AttachedContent>> {
  const read = attachments.length > 0 ? await workspace.readAttachments(attachments, signal) : [];
  const contents = new Map(read.map((content) => [content.path, content]));
  let bytes = read.reduce((sum, { content }) => sum + content.length, 0);
  const earlier = conversation.messages.flatMap((message) => message.parts).filter((part) => part.type === "attachment");
  for (const { path, mime } of earlier.slice(-agentLimits.agentEarlierEntries).toReversed()) {
    if (contents.has(path)) continue;
    const [content] = await workspace.readAttachments([{ path, mime }], signal, true).catch(() => []);
    bytes += content?.content.length ?? 0;
    if (bytes > agentLimits.maxAttachedBytes) break;
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

type UsedTokens = Pick<TurnTotals, "inputTokens" | "outputTokens" | "cachedInputTokens">;

export function toCostUsd({ inputTokens, outputTokens, cachedInputTokens }: UsedTokens, prices: TokenPrices): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const freshTokens = Math.max(0, inputTokens - cachedInputTokens);
  return (freshTokens * inputPerMillion + cachedInputTokens * cachedInputPerMillion + outputTokens * outputPerMillion) / 1_000_000;
}
