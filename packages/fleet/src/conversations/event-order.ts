// In which order the events of a conversation count, the same for every reader: each once, those of a turn by their number, and nothing of a
// machine that another one has overtaken. Where a turn began anew under a later claim, its numbers go on from those before.

import { createRecentMap } from "@hawser/wire/internal";

export interface OrderedEvent {
  readonly id: string;
  /** The claim under which it was said. */
  readonly epoch: number;
  readonly seq: number | undefined;
  readonly isEnd: boolean;
}

/** `seq` as a host sees it. `gap`: something before it is missing. */
export type Placed = "drop" | "gap" | { readonly seq: number | undefined };

interface Turn {
  epoch: number;
  /** The last number under this claim. */
  last: number;
  /** What was numbered under earlier claims. */
  before: number;
  isEnded: boolean;
}

export type EventOrder = ReturnType<typeof createEventOrder>;

/** `maxTurns`: those that began first are forgotten. */
export function createEventOrder(maxTurns: number) {
  const turns = createRecentMap<Turn>(maxTurns);

  function turnOf(id: string, epoch: number): Turn {
    const known = turns.get(id);
    if (known) return known;
    const turn = { epoch, last: 0, before: 0, isEnded: false };
    turns.set(id, turn);
    return turn;
  }

  return {
    /** The turns that have not ended, the latest last. */
    get running(): readonly string[] {
      return [...turns.entries()].flatMap(([id, { isEnded }]) => (isEnded ? [] : [id]));
    },
    /** `mayMiss`: what is missing will not come any more. */
    place({ id, epoch, seq, isEnd }: OrderedEvent, mayMiss = false): Placed {
      const turn = turnOf(id, epoch);
      if (turn.isEnded || epoch < turn.epoch) return "drop";
      if (epoch > turn.epoch) Object.assign(turn, { epoch, last: 0, before: turn.before + turn.last });
      if (seq !== undefined) {
        if (seq <= turn.last) return "drop";
        if (seq > turn.last + 1 && !mayMiss) return "gap";
        turn.last = seq;
      }
      turn.isEnded = isEnd;
      return { seq: seq === undefined ? undefined : turn.before + seq };
    },
  };
}
