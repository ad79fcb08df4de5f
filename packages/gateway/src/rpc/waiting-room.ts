// What waits for a worker, counted: so many calls with so much text. Where the input blocks, calls beyond
// that are read ahead for the sake of the control operations behind them, until they weigh `maxAheadBytes`
// together. Each call is counted in one of the two, and moves up in the order in which it came.

export interface WaitingRoomOptions {
  readonly maxCalls: number;
  readonly maxBytes: number;
  readonly maxAheadBytes: number;
}

export interface WaitingRoom {
  /** Calls that were read ahead are not among them. */
  readonly waiting: number;
  /** One that is larger than all of the room fits when nothing else waits: it would wait for ever. */
  hasRoomFor(bytes: number): boolean;
  /** Ahead, where there is no room. */
  enter(bytes: number): Visit;
  /** Undefined while more may be read. */
  whenReadOn(): Promise<void> | undefined;
}

export interface Visit {
  leave(): void;
}

export function createWaitingRoom({ maxCalls, maxBytes, maxAheadBytes }: WaitingRoomOptions): WaitingRoom {
  const ahead = new Map<Visit, number>();
  let calls = 0;
  let callBytes = 0;
  let aheadBytes = 0;
  let readOn: PromiseWithResolvers<void> | undefined;

  const fits = (bytes: number): boolean => calls < maxCalls && (calls === 0 || callBytes + bytes <= maxBytes);
  const hasRoomFor = (bytes: number): boolean => ahead.size === 0 && fits(bytes);

  function add(bytes: number): void {
    calls++;
    callBytes += bytes;
  }

  function moveUp(): void {
    for (const [visit, bytes] of ahead) {
      if (!fits(bytes)) return;
      leaveAhead(visit, bytes);
      add(bytes);
    }
  }

  function leaveAhead(visit: Visit, bytes: number): void {
    ahead.delete(visit);
    aheadBytes -= bytes;
    if (aheadBytes >= maxAheadBytes) return;
    readOn?.resolve();
    readOn = undefined;
  }

  function enter(bytes: number): Visit {
    const visit: Visit = {
      leave() {
        if (ahead.has(visit)) {
          leaveAhead(visit, bytes);
        } else {
          calls--;
          callBytes -= bytes;
        }
        moveUp();
      },
    };
    if (hasRoomFor(bytes)) {
      add(bytes);
    } else {
      ahead.set(visit, bytes);
      aheadBytes += bytes;
    }
    return visit;
  }

  return {
    get waiting() {
      return calls;
    },
    hasRoomFor,
    enter,
    whenReadOn: () => (aheadBytes < maxAheadBytes ? undefined : (readOn ??= Promise.withResolvers<void>()).promise),
  };
}
