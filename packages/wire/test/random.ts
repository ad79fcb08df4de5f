// Random numbers that can be repeated: the same seed gives the same run, so that a failure is one
// number in the output. Xorshift on 32 bits: fast, and good enough to choose cuts and mutations.

export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  below(limit: number): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function createRandom(seed: number): Random {
  // Zero is the one state that xorshift never leaves.
  let state = (seed | 0) ^ 0x9e3779b9 || 1;
  function next(): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  }
  for (let round = 0; round < 8; round++) next();
  const below = (limit: number): number => Math.floor((next() / 4_294_967_296) * limit);
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    chance: (probability) => next() / 4_294_967_296 < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
