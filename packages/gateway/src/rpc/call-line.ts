// Calls that wait for a worker, in the order in which they came. The first of them have a place in the queue, which is bounded
// in number and bytes; those behind were read ahead until there is one. A call may leave from anywhere. Not two semaphores: nearly every call waits, and
// would have two promises and a handful of closures for it.

import { createByteBudget } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";

export interface WaitingCall {
  /** What the line weighs while it waits. */
  readonly bytes: number;
  /** Only the line changes it. */
  waitsIn: "queue" | "ahead" | undefined;
}

export interface CallLine<Call> {
  /** Calls with a place in the queue. */
  readonly queued: number;
  /** Whether a call of this size would get a place at once. */
  hasPlace(bytes: number): boolean;
  add(call: Call): void;
  /** The first one, which leaves. */
  take(): Call | undefined;
  leave(call: Call): void;
  /** Enough was read ahead: read nothing until `whenRoom`. */
  isFull(): boolean;
  whenRoom(): Promise<void>;
}

// The places of calls that have left are given up once they are this many and the larger part.
const dropFrom = 256;

export function createCallLine<Call extends WaitingCall>(queueSize: number): CallLine<Call> {
  // Full with the call that reaches the bound.
  const readAhead = createByteBudget(gatewayLimits.rpcReadAheadBytes - 1);
  const share = readAhead.openShare();
  let aheadBytes = 0;
  let queuedBytes = 0;
  let calls: Call[] = [];
  /** Those before it have left. */
  let first = 0;
  /** Those before it have left, or have a place. */
  let firstAhead = 0;

  const isPlaceFree = (bytes: number): boolean =>
    line.queued < queueSize && (line.queued === 0 || queuedBytes + bytes <= gatewayLimits.rpcQueuedBytes);

  function count(call: Call, sign: 1 | -1): void {
    if (call.waitsIn === "queue") {
      line.queued += sign;
      queuedBytes += sign * call.bytes;
    } else if (call.waitsIn === "ahead") {
      aheadBytes += sign * call.bytes;
      share.set(aheadBytes);
    }
  }

  function move(call: Call, to: WaitingCall["waitsIn"]): void {
    count(call, -1);
    call.waitsIn = to;
    count(call, 1);
  }

  function giveOutPlaces(): void {
    for (let call = calls[firstAhead]; call; call = calls[++firstAhead]) {
      if (call.waitsIn !== "ahead") continue;
      if (!isPlaceFree(call.bytes)) return;
      move(call, "queue");
    }
  }

  function leave(call: Call): void {
    move(call, undefined);
    giveOutPlaces();
  }

  function dropPlaces(): void {
    if (first < calls.length && (first < dropFrom || first * 2 <= calls.length)) return;
    calls = calls.slice(first);
    firstAhead -= first;
    first = 0;
  }

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const line = {
    queued: 0,
    hasPlace: (bytes: number) => firstAhead === calls.length && isPlaceFree(bytes),
    add(call: Call) {
      calls.push(call);
      move(call, "ahead");
      giveOutPlaces();
    },
    take() {
      let next: Call | undefined;
      while (first < calls.length && !next) {
        const call = calls[first++] as Call;
        if (call.waitsIn) next = call;
      }
      if (next) leave(next);
      firstAhead = Math.max(firstAhead, first);
      dropPlaces();
      return next;
    },
    leave,
    isFull: () => readAhead.isFull,
    whenRoom: readAhead.whenRoom,
  };
  return line;
}
