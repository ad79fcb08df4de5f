// One turn of a model: it answers step by step, the tools it asks for run, and the answer is on disk before the turn is `done`.

import { createTextGap, HawserError, type MessagePart, type UsageData, type UserMessageRequest } from "@hawser/protocol/internal";
import type { Conversation } from "../history/conversation-store.ts";
import type { AttachedContent, Model } from "../model/model.ts";
import { agentLimits } from "../limits.ts";
import { turnLimits, type AgentParts, type TokenPrices, type Workspace } from "./agent-parts.ts";
import { createStepRun, type StepRun, type TurnTotals } from "./model-step.ts";
import { charsOf, recordTurn, toNotRun, toolIdsIn, writeLarge, type TurnBasics, type TurnOutcome } from "./recorded-turn.ts";
import type { RunTime, RequestedCall, ToolResult, ToolRunner } from "./tool-runner.ts";

export interface TurnOptions extends TurnBasics {
  readonly model: Model;
  /** The tools as they are now. */
  toolRunner(): ToolRunner;
}

/** Throws why the turn has failed or was cancelled. */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { request, workspace, conversation, model, scope } = options;
  const attachments = await readAll(workspace, request, conversation, scope.signal);
  const attachedBytes = request.attachments?.reduce((sum, { path }) => sum + (attachments.get(path)?.content.length ?? 0), 0) ?? 0;
  const heldBytes = (): number => conversation.bytes + attachedBytes;
  const grow = (): Promise<void> => options.share.grow(heldBytes());
  options.share.count(heldBytes());
  return recordTurn(options, model.name, async (messageId) => {
    await grow();
    await answerIn(messageId, options, { attachments, grow });
  });
}

interface TurnContents {
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  /** Tells how much the turn holds now; resolves when it may be more. */
  grow(): Promise<void>;
}

async function answerIn(messageId: string, options: TurnOptions, { attachments, grow }: TurnContents): Promise<void> {
  const { parts, conversation, model, scope, share } = options;
  const counts = { textBytes: 0, contextTokens: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: undefined };
  const totals: TurnTotals = { ...counts, toolIds: toolIdsIn(conversation), gap: createTextGap() };
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
    await writeLarge(charsOf(result.result), options, () => conversation.addParts(messageId, [{ type: "tool_result", ...result }]));
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

function toUsage({ name }: Model, totals: TurnTotals, { prices }: AgentParts): UsageData {
  const { inputTokens, outputTokens, cachedInputTokens, contextTokens } = totals;
  // The user's own prices count before the model's estimate.
  const price = prices && Object.hasOwn(prices, name) ? prices[name] : undefined;
  const costUsd = price ? toCostUsd(totals, price) : totals.costUsd;
  return {
    model: name,
    inputTokens,
    outputTokens,
    ...(cachedInputTokens > 0 && { cachedInputTokens }),
    ...(costUsd !== undefined && { costUsd }),
    ...(contextTokens > 0 && { contextTokens }),
  };
}

type UsedTokens = Pick<TurnTotals, "inputTokens" | "outputTokens" | "cachedInputTokens">;

export function toCostUsd({ inputTokens, outputTokens, cachedInputTokens }: UsedTokens, prices: TokenPrices): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const freshTokens = Math.max(0, inputTokens - cachedInputTokens);
  return (freshTokens * inputPerMillion + cachedInputTokens * cachedInputPerMillion + outputTokens * outputPerMillion) / 1_000_000;
}
