// What the running turns have sent, for a host that comes back (`subscribe`). Bounded for all turns
// together: the oldest of the turn that holds most is forgotten first.

import { limits } from "@hawser/wire";

/** A response of a turn, without what is the same in all of them. */
export type TurnEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface SentEvent {
  readonly seq: number;
  readonly event: TurnEvent;
}

export interface TurnRecord {
  add(sent: SentEvent): void;
  /** What was sent after `seq`; undefined when some of it is forgotten. */
  since(seq: number): readonly SentEvent[] | undefined;
  /** The turn has ended: nothing is kept. */
  close(): void;
}

interface Kept {
  events: (SentEvent & { readonly bytes: number })[];
  bytes: number;
  lastSeq: number;
}

export function createReplay(maxBytes: number = limits.agentReplayBytes): { open(): TurnRecord } {
  const turns = new Set<Kept>();
  let total = 0;

  function forgetOldest(): void {
    const largest = [...turns].reduce((most, turn) => (turn.bytes > most.bytes ? turn : most));
    // Half of it at once: forgetting one by one would look through all turns at every token.
    const gone = largest.events.splice(0, Math.ceil(largest.events.length / 2));
    const bytes = gone.reduce((sum, event) => sum + event.bytes, 0);
    largest.bytes -= bytes;
    total -= bytes;
  }

  return {
    open() {
      const turn: Kept = { events: [], bytes: 0, lastSeq: 0 };
      turns.add(turn);
      return {
        add({ seq, event }) {
          const bytes = weigh(event);
          turn.events.push({ seq, event, bytes });
          turn.bytes += bytes;
          turn.lastSeq = seq;
          total += bytes;
          while (total > maxBytes) forgetOldest();
        },
        since(seq) {
          const first = turn.events[0]?.seq ?? turn.lastSeq + 1;
          return seq + 1 < first ? undefined : turn.events.filter((sent) => sent.seq > seq);
        },
        close() {
          turns.delete(turn);
          total -= turn.bytes;
          turn.events = [];
        },
      };
    },
  };
}

// About what an event takes besides its text.
const eventBytes = 200;

function weigh({ type, token, data }: TurnEvent): number {
  if (type === "token") return eventBytes + 2 * (token as string).length;
  return eventBytes + 2 * JSON.stringify(data ?? null).length;
}
