// What a turn has used, for the host and for its budget.

import type { UsageData } from "@hawser/protocol";
import type { Used } from "../history/record.ts";
import type { Model } from "../model/model.ts";
import type { AgentParts, TokenPrices } from "./agent-parts.ts";
import type { TurnTotals } from "./model-step.ts";

/** Undefined where neither prices nor the model say it. */
function costOf({ name, isFree }: Pick<Model, "name" | "isFree">, totals: TurnTotals, { prices }: AgentParts): number | undefined {
  // The user's own prices count before the model's estimate.
  const price = prices && Object.hasOwn(prices, name) ? prices[name] : undefined;
  return price ? toCostUsd(totals, price) : (totals.costUsd ?? (isFree ? 0 : undefined));
}

export function toUsage(model: Model, totals: TurnTotals, parts: AgentParts): UsageData {
  const { inputTokens, outputTokens, cachedInputTokens, contextTokens } = totals;
  const costUsd = costOf(model, totals, parts);
  const contextWindow = parts.models.windows?.of(model.name);
  return {
    model: model.name,
    inputTokens,
    outputTokens,
    ...(cachedInputTokens > 0 && { cachedInputTokens }),
    ...(costUsd !== undefined && !model.isFree && { costUsd }),
    ...(contextTokens > 0 && { contextTokens }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
}

/** For the history: what is not known counts as nothing. */
export const toUsed = (model: Model, totals: TurnTotals, parts: AgentParts, ms: number): Used => ({
  tokens: totals.inputTokens + totals.outputTokens,
  usd: costOf(model, totals, parts) ?? 0,
  ms: Math.round(ms),
});

type UsedTokens = Pick<TurnTotals, "inputTokens" | "outputTokens" | "cachedInputTokens">;

export function toCostUsd({ inputTokens, outputTokens, cachedInputTokens }: UsedTokens, prices: TokenPrices): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const freshTokens = Math.max(0, inputTokens - cachedInputTokens);
  return (freshTokens * inputPerMillion + cachedInputTokens * cachedInputPerMillion + outputTokens * outputPerMillion) / 1_000_000;
}
