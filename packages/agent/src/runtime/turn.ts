// One turn of a model: it answers step by step, the tools it asks for run, and the answer is on disk before the turn is `done`.

import { HawserError, type MessagePart, type UserMessageRequest } from "@hawser/protocol/internal";
import { toContextView } from "../context/context-view.ts";
import type { Conversation } from "../history/conversation-store.ts";
import type { Used } from "../history/record.ts";
import type { AttachedContent, Effort, Model, ModelStep } from "../model/model.ts";
import { agentLimits } from "../limits.ts";
import { turnLimits, type Workspace } from "./agent-parts.ts";
import { checkBudget, type BudgetCheck } from "./budget.ts";
import { createStepRun, type StepRun, type TurnTotals } from "./model-step.ts";
import { charsOf, recordTurn, toNotRun, toolIdsIn, writeLarge, type TurnBasics, type TakeUsed, type TurnOutcome } from "./recorded-turn.ts";
import type { RunTime, RequestedCall, ToolResult, ToolRunner } from "./tool-runner.ts";
import { planIn } from "../tools/update-plan.ts";
import { createTotals, createTurnContext, isOverflow, toFullError, type TurnContext } from "./turn-context.ts";
import { toUsage, toUsed } from "./turn-usage.ts";

export interface TurnOptions extends TurnBasics {
  readonly model: Model;
  readonly budget: BudgetCheck;
  readonly effort: Effort | undefined;
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
  const startedAt = performance.now();
  const totals = createTotals(toolIdsIn(conversation));
  const used = (): Used => toUsed(model, totals, options.parts, performance.now() - startedAt);
  return recordTurn({ ...options, answeredBy: model.name, used }, async (messageId, takeUsed) => {
    await grow();
    await answerIn(messageId, options, { attachments, grow, totals, used, takeUsed });
  });
}

interface TurnContents {
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  readonly totals: TurnTotals;
  readonly takeUsed: TakeUsed;
  used(): Used;
  /** Tells how much the turn holds now; resolves when it may be more. */
  grow(): Promise<void>;
}

async function answerIn(messageId: string, options: TurnOptions, contents: TurnContents): Promise<void> {
  const { attachments, grow, totals, used, takeUsed } = contents;
  const { parts, conversation, model, scope, share } = options;
  const { agentSteps } = turnLimits(parts);
  const { instructions } = options.workspace;
  const request = { instructions, attachments, effort: options.effort, thoughts: totals.thoughts, signal: scope.signal };
  const context = createTurnContext({ conversation, model, windows: parts.models.windows, totals, scope, request });
  const add: Stepping["add"] = (added, usedBy) => conversation.addParts(messageId, added, usedBy);
  const checkNext = (tokens: number): void => checkBudget(options.budget, { used: used(), tokens });
  for (let count = 1; count <= agentSteps; count++) {
    await showSteers(messageId, options);
    const runner = options.toolRunner();
    const run = await runStep(runner.tools, { context, options, totals, takeUsed, add, grow, checkNext });
    share.endStep();
    await grow();
    if (totals.inputTokens + totals.outputTokens > 0) await scope.emit({ type: "usage", data: toUsage(model, totals, parts) });
    if (run.calls.length === 0) return;
    await runCalls(run.calls, { runner, messageId, grow }, options);
  }
  throw new HawserError("overloaded", `the agent took ${agentSteps} steps without an end; ask for less at once`);
}

/** What the user has said to this turn meanwhile: in the history at this place, and from now on before the model. */
async function showSteers(messageId: string, { model, conversation, request, scope }: TurnOptions): Promise<void> {
  if (model.takesSteers === false || conversation.steers.length === 0) return;
  for (const { steerId, message } of await conversation.takeSteers(messageId, request.id))
    await scope.emit({ type: "steered", data: { steerId, message } });
}

interface Stepping extends Pick<TurnContents, "totals" | "takeUsed" | "grow"> {
  readonly context: TurnContext;
  readonly options: TurnOptions;
  add(added: readonly MessagePart[], used?: Used): Promise<void>;
  /** Throws when the budget does not allow another step of about so many tokens. */
  checkNext(tokens: number): void;
}

/** One step. Where the vendor refuses it as too long, what was said before is summarised, and it is tried once more. */
async function runStep(tools: ModelStep["tools"], stepping: Stepping): Promise<StepRun> {
  const { context, options, totals, add, grow, checkNext } = stepping;
  const { model, scope, share } = options;
  const keep = (added: readonly MessagePart[]): Promise<void> => add(added).then(grow);
  for (let hasMadeRoom = false; ; hasMadeRoom = true) {
    const { step, tokens } = await context.prepare(tools);
    checkNext(tokens);
    const run = createStepRun({ model, step, totals, emit: scope.emit, growInput: share.growInput, keep });
    try {
      await keepWhatWasSaid(run, stepping);
    } catch (error) {
      // A host that was told something of it would be told it twice.
      if (!isOverflow(error) || run.hasSpoken) throw error;
      if (hasMadeRoom) throw toFullError(error, "that is so also after what was said before was summarised");
      await context.makeRoom(error, tools);
      continue;
    }
    if (run.inputTokens !== undefined) context.learn(step, run.inputTokens);
    return run;
  }
}

/** What was said before a failure belongs in the history as much as what was said before the end. */
async function keepWhatWasSaid(run: StepRun, { add, takeUsed }: Pick<Stepping, "add" | "takeUsed">): Promise<void> {
  try {
    await run.run();
  } catch (error) {
    await add([...run.parts, ...run.calls.map((call) => toNotRun(call, error))]);
    throw error;
  }
  // Tools may take long: what the step has used is written before they begin.
  if (run.parts.length > 0) await add(run.parts, run.calls.length > 0 ? takeUsed() : undefined);
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
    const plan = planIn(result.toolName, result.result);
    if (plan) {
      await conversation.addParts(messageId, [{ type: "plan", ...plan }]);
      await scope.emit({ type: "plan", data: plan });
    }
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
  const earlier = toContextView(conversation)
    .messages.flatMap((message) => message.parts)
    .filter((part) => part.type === "attachment");
  for (const { path, mime } of earlier.slice(-agentLimits.agentEarlierEntries).toReversed()) {
    if (contents.has(path)) continue;
    const [content] = await workspace.readAttachments([{ path, mime }], signal, true).catch(() => []);
    bytes += content?.content.length ?? 0;
    if (bytes > agentLimits.maxAttachedBytes) break;
    if (content) contents.set(path, content);
  }
  return contents;
}
