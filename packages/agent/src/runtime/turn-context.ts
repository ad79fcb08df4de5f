// The context of a model during a turn: what it is told at each step, and room for it. Nearly full, the beginning of the conversation
// is summarised before the step; refused as too long, it is summarised and tried once more, and after that the turn ends.

import { createTextGap, HawserError, type CompactionData } from "@hawser/protocol/internal";
import { compactConversation, type CompactOptions } from "../context/compact.ts";
import { toContextView } from "../context/context-view.ts";
import { createTokenCount, type TokenCount } from "../context/estimate-tokens.ts";
import type { Conversation } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";
import { overflowOf } from "../model/context-overflow.ts";
import type { ContextWindows } from "../model/context-windows.ts";
import type { Model, ModelStep } from "../model/model.ts";
import { createStepRun, type TurnTotals } from "./model-step.ts";
import type { TurnScope } from "./tool-runner.ts";

/** How a model counts in a conversation is kept as long as the conversation is open. */
const counts = new WeakMap<Conversation, { readonly model: string; readonly count: TokenCount }>();

function countOf(conversation: Conversation, { name }: Model): TokenCount {
  const kept = counts.get(conversation);
  if (kept?.model === name) return kept.count;
  const count = createTokenCount();
  counts.set(conversation, { model: name, count });
  return count;
}

export interface TurnContextOptions {
  readonly conversation: Conversation;
  readonly model: Model;
  readonly windows: ContextWindows | undefined;
  readonly totals: TurnTotals;
  readonly scope: Pick<TurnScope, "emit" | "signal">;
  /** What every request tells besides the conversation. */
  readonly request: Omit<ModelStep, "messages" | "summary" | "tools">;
}

export function createTurnContext({ conversation, model, windows, totals, scope, request }: TurnContextOptions) {
  const count = countOf(conversation, model);

  async function compact(tools: ModelStep["tools"], reason: CompactOptions["reason"]): Promise<CompactionData | undefined> {
    const ask: CompactOptions["ask"] = (prompt) => askForSummary(prompt, { model, totals, scope });
    const notice = (message: string): Promise<void> => scope.emit({ type: "progress", data: { message } });
    const window = windows?.of(model.name);
    const data = await compactConversation({ conversation, model, window, count, request: { ...request, tools }, reason, ask, notice });
    if (data) await scope.emit({ type: "compaction", data });
    return data;
  }

  const toStep = (tools: ModelStep["tools"]): ModelStep => ({ ...request, ...toContextView(conversation), tools });

  return {
    compact,
    /** The next step; with room for it as far as that is known. */
    async prepare(tools: ModelStep["tools"]): Promise<{ readonly step: ModelStep; readonly tokens: number }> {
      const window = model.ownsContext ? undefined : windows?.of(model.name);
      const step = toStep(tools);
      const tokens = count.estimate(step);
      if (window === undefined || tokens <= (window * agentLimits.compactAtPercent) / 100) return { step, tokens };
      if (!(await compact(tools, "near"))) return { step, tokens };
      const shorter = toStep(tools);
      return { step: shorter, tokens: count.estimate(shorter) };
    },
    /** The model has said how long this request was. */
    learn: (step: ModelStep, inputTokens: number): void => count.learn(step, inputTokens),
    /** Makes room after a request was refused as too long. Throws where that can't help. */
    async makeRoom(error: HawserError, tools: ModelStep["tools"]): Promise<void> {
      const { window } = overflowOf(error.facts) ?? {};
      if (window !== undefined) windows?.learn(model.name, window);
      if (model.ownsContext) throw error;
      await scope.emit({ type: "progress", data: { message: `${model.name}: the context is full; what was said before is summarised` } });
      if (!(await compact(tools, "overflow"))) throw toFullError(error, "there is nothing left to summarise");
    },
  };
}

export type TurnContext = ReturnType<typeof createTurnContext>;

/** After this there is only the user who can help. */
export function toFullError(error: HawserError, why: string): HawserError {
  const remedy = "Begin another conversation, have it read less at once, or pick a model with a larger context";
  return new HawserError("too_large", `${error.message}; ${why}. ${remedy}`, { facts: error.facts });
}

export const isOverflow = (error: unknown): error is HawserError => HawserError.isInstance(error) && overflowOf(error.facts) !== undefined;

interface Asking {
  readonly model: Model;
  readonly totals: Pick<TurnTotals, "inputTokens" | "outputTokens" | "cachedInputTokens" | "costUsd">;
  readonly scope: Pick<TurnScope, "emit" | "signal">;
}

/** One request without tools; what it uses is used by the turn. Its words are for the summary alone. */
async function askForSummary({ instructions, message }: Parameters<CompactOptions["ask"]>[0], asking: Asking): Promise<string> {
  const { model, totals, scope } = asking;
  const said: string[] = [];
  const own = createTotals();
  const step: ModelStep = {
    instructions,
    messages: [{ messageId: "summary", role: "user", parts: [{ type: "text", text: message }], timestamp: Date.now() }],
    attachments: new Map(),
    tools: [],
    signal: scope.signal,
  };
  const run = createStepRun({
    model,
    step,
    totals: own,
    // A waiting user is told of retries, not of the words.
    emit: async (event) => (event.type === "progress" ? scope.emit(event) : undefined),
    growInput: async () => {},
    keep: async (parts) => void said.push(...textsOf(parts)),
  });
  try {
    await run.run();
  } finally {
    totals.inputTokens += own.inputTokens;
    totals.outputTokens += own.outputTokens;
    totals.cachedInputTokens += own.cachedInputTokens;
    if (own.costUsd !== undefined) totals.costUsd = (totals.costUsd ?? 0) + own.costUsd;
  }
  return [...said, ...textsOf(run.parts)].join("");
}

const textsOf = (parts: Parameters<Parameters<typeof createStepRun>[0]["keep"]>[0]): string[] =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

/** Of a turn that has not begun. */
export const createTotals = (toolIds = new Set<string>()): TurnTotals => ({
  textBytes: 0,
  thoughtBytes: 0,
  contextTokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd: undefined,
  toolIds,
  thoughts: new Map(),
  gap: createTextGap(),
});
