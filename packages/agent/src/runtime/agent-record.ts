// What an agent tells during a turn, on its way to the host and into the history, within the same bounds as what a model
// says: whole characters, bounded texts and values, one result for every use. Told one after the other, in the order given.

import { createTextGap, cutText, HawserError, toErrorText, type MessagePart } from "@hawser/protocol/internal";
import { createSemaphore, exceedsDepth, replaceHalfPairs, wireLimits } from "@hawser/wire/internal";
import { agentLimits } from "../limits.ts";
import type { Used } from "../history/record.ts";
import type { AboutUse, DelegatedEvent, FileDiff } from "../model/turn-agent.ts";
import { envelopeDepth, toToolValue } from "../tool-value.ts";
import { maxToolIdChars, uniqueId } from "./model-step.ts";
import { charsOf, toNotRun, toolIdsIn, writeLarge, type TakeUsed, type TurnBasics } from "./recorded-turn.ts";
import { createSpokenText } from "./spoken-text.ts";
import { createThoughtText } from "./thought-text.ts";

type UsePart = Extract<MessagePart, { type: "tool_use" }>;
type EventOf<Type extends DelegatedEvent["type"]> = Extract<DelegatedEvent, { type: Type }>;

export interface AgentRecordOptions extends Pick<TurnBasics, "conversation" | "scope" | "largeWrites"> {
  /** The answer in the making. */
  readonly messageId: string;
  /** As models are named. */
  readonly agent: string;
  readonly takeUsed: TakeUsed;
  /** Resolves when the turn may hold more. */
  grow(): Promise<void>;
}

export type AgentRecord = ReturnType<typeof createAgentRecord>;

export function createAgentRecord({ conversation, scope, largeWrites, messageId, agent, takeUsed, grow }: AgentRecordOptions) {
  const parts: MessagePart[] = [];
  const totals = { textBytes: 0, thoughtBytes: 0, gap: createTextGap() };
  /** Looked up with the first use: most answers are words only, and a conversation may be long. */
  let toolIds: Set<string> | undefined;
  /** By the ids that the agent gives them. */
  const open = new Map<string, UsePart>();
  const inOrder = createSemaphore(1);
  /** What it says that the turn has used; undefined until it does. */
  let reported: Pick<Used, "tokens" | "usd"> | undefined;
  const keep = async (added: readonly MessagePart[], used?: Used): Promise<void> => {
    await conversation.addParts(messageId, added, used);
    await grow();
  };
  const spoken = createSpokenText({ totals, parts, emit: scope.emit, keep });
  const thought = createThoughtText({ totals, parts, emit: scope.emit, keep });

  /** Ends the text that came until now: something else follows. */
  async function interrupt(): Promise<void> {
    await spoken.end();
    await thought.end();
    totals.gap.interrupt();
    if (parts.length > 0) await keep(parts.splice(0));
  }

  async function beginUse({ toolId: given, toolName, input, ...about }: EventOf<"tool_use">): Promise<void> {
    if (open.size >= agentLimits.agentStepCalls)
      throw new HawserError("overloaded", `${agent} uses more than ${agentLimits.agentStepCalls} tools at once`);
    await interrupt();
    const name = cutText(toolName, maxToolIdChars, "").toWellFormed();
    const data = {
      toolId: uniqueId(given, (toolIds ??= toolIdsIn(conversation))),
      toolName: name,
      input: toShownInput(input),
      ...toShownAbout(about),
    };
    open.set(given, { type: "tool_use", ...data });
    await writeLarge(charsOf(data.input), { largeWrites }, () => keep([{ type: "tool_use", ...data }]));
    await scope.emit({ type: "tool_use", data });
  }

  async function endUse({ toolId: given, result, error, diffs }: EventOf<"tool_result">): Promise<void> {
    const use = open.get(given);
    if (!use) return;
    open.delete(given);
    await interrupt();
    const { toolId, toolName } = use;
    const outcome = error === undefined ? { result: toToolValue(result) } : { result: null, isError: true, error: toErrorText(error) };
    const shown = fittingDiffs(diffs);
    const data = { toolId, toolName, ...outcome, ...(shown.length > 0 && { diffs: shown }) };
    await writeLarge(charsOf(data), { largeWrites }, () => keep([{ type: "tool_result", ...data }]));
    await scope.emit({ type: "tool_result", data });
  }

  async function tell(event: DelegatedEvent): Promise<void> {
    switch (event.type) {
      case "text":
        return spoken.push(event.text);
      case "reasoning":
        return thought.push(event.text);
      case "tool_use":
        return beginUse(event);
      case "tool_result":
        return endUse(event);
      case "plan":
        // What is said goes on afterwards, without a gap.
        await keep([...parts.splice(0), { type: "plan", entries: [...event.entries] }]);
        return scope.emit({ type: "plan", data: { entries: [...event.entries] } });
      case "usage": {
        const { type, ...counts } = event;
        const before = reported;
        reported = { tokens: (counts.inputTokens ?? 0) + (counts.outputTokens ?? 0), usd: counts.costUsd ?? before?.usd ?? 0 };
        // What is said goes on afterwards, without a gap.
        if (reported.tokens > (before?.tokens ?? 0) || reported.usd > (before?.usd ?? 0)) await keep(parts.splice(0), takeUsed());
        return scope.emit({ type, data: { model: agent, ...withoutUndefined(counts) } });
      }
      case "title":
        return conversation.suggestTitle(event.title);
      case "notice":
        return scope.emit({ type: "progress", data: { message: toErrorText(event.message) } });
      case "life":
    }
  }

  return {
    tell: (event: DelegatedEvent): Promise<void> => inOrder.run(() => tell(event)),
    get reported() {
      return reported;
    },
    /** A use that has begun and has no result yet. */
    openUse: (given: string): UsePart | undefined => open.get(given),
    /** The turn is complete: what is still held goes into the history, and every use has a result. */
    end: (): Promise<void> =>
      inOrder.run(async () => {
        for (const toolId of [...open.keys()])
          await endUse({ type: "tool_result", toolId, result: null, error: `${agent} told no result` });
        await interrupt();
      }),
    /** The turn has failed: the same for the history alone. */
    fail: (error: unknown): Promise<void> =>
      inOrder.run(async () => {
        await spoken.end().catch(() => {});
        await thought.end().catch(() => {});
        await conversation.addParts(messageId, [...parts.splice(0), ...Array.from(open.values(), (use) => toNotRun(use, error))]);
        open.clear();
      }),
  };
}

/** Arguments are for people here, so what does not fit is described instead of refused. */
export function toShownInput(input: unknown): unknown {
  const text = replaceHalfPairs(JSON.stringify(input) ?? "null");
  const bytes = Buffer.byteLength(text);
  if (bytes > agentLimits.agentToolInputBytes) return `(${bytes} bytes of arguments, too long to be shown)`;
  return exceedsDepth(text, wireLimits.maxWriteDepth - envelopeDepth) ? text : (JSON.parse(text) as unknown);
}

export function toShownAbout({ title, kind, locations = [] }: AboutUse) {
  const shown = locations.slice(0, agentLimits.agentLocationEntries).map(({ path, line }) => ({
    path: cutText(path, agentLimits.maxPathBytes).toWellFormed(),
    ...(line !== undefined && { line }),
  }));
  return {
    ...(title !== undefined && { title: toErrorText(title) }),
    ...(kind !== undefined && { kind: cutText(kind, maxToolIdChars, "").toWellFormed() }),
    ...(shown.length > 0 && { locations: shown }),
  };
}

/** The first ones, as many as one line takes. */
export function fittingDiffs(diffs: readonly FileDiff[] = []) {
  let left = agentLimits.agentDiffChars;
  const fitting = diffs.filter(({ path, oldText = "", newText }) => (left -= path.length + oldText.length + newText.length) >= 0);
  return fitting.map(({ path, oldText, newText, line }) => ({
    path: path.toWellFormed(),
    newText: newText.toWellFormed(),
    ...(line !== undefined && { line }),
    ...(oldText !== undefined && { oldText: oldText.toWellFormed() }),
  }));
}

function withoutUndefined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
