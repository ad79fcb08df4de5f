// What a turn has cost, where the configuration says what its model's tokens cost. Nothing is guessed:
// vendors change their prices, and no list of ours would be told.

export interface TokenPrices {
  /** US dollars for a million tokens. */
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Of what came from a cache; as other input unless given. */
  readonly cachedInputPerMillion?: number | undefined;
}

export interface UsedTokens {
  /** With those from a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

const million = 1_000_000;

export function toCostUsd({ inputTokens, outputTokens, cachedInputTokens }: UsedTokens, prices: TokenPrices): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const freshTokens = Math.max(0, inputTokens - cachedInputTokens);
  return (freshTokens * inputPerMillion + cachedInputTokens * cachedInputPerMillion + outputTokens * outputPerMillion) / million;
}
