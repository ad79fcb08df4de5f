// Where calls wait and run. So many run at once, so many wait, with so much text; one more is refused, or
// counts as read ahead, and when enough was read ahead its reader waits. Every call that was taken ends with
// exactly one answer, whether it was made, refused, cancelled while it waited or cancelled while it ran.

import {
  createCancelController,
  createInFlightTable,
  createWorkQueue,
  describeThrown,
  HawserError,
  limits,
  toHawserError,
  untilAborted,
} from "@hawser/wire";
import type { CallStats, CancelSignal, Flight } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { CallCore, CallOutcome } from "../call.ts";
import { parseCallItem } from "./call-item.ts";
import type { Outbox } from "./outbox.ts";
import { toIdKey } from "./request.ts";
import { toCallText, toCancelledOutcome, toUnmadeOutcome, type IdSource } from "./rpc-answer.ts";
import { createWaitingRoom } from "./waiting-room.ts";

export interface LaneCall {
  readonly id: IdSource;
  readonly args: unknown;
  /** What the line weighs while it waits. */
  readonly bytes: number;
  /** What must be over before the call is made. */
  readonly after: Promise<void> | undefined;
}

export interface CallLaneOptions {
  readonly workers: number;
  readonly queueSize: number;
  readonly overflow: "block" | "reject";
  /** Once aborted, nothing starts. */
  readonly noMore: AbortSignal;
}

export interface CallLane {
  /** A promise only where enough was read ahead: read nothing until it resolves. */
  accept(call: LaneCall): Promise<void> | undefined;
  /** Ends every call of this id; returns how many there were. */
  cancel(idSource: string, reason: HawserError): number;
  cancelAll(reason: HawserError): void;
  /** Resolves when every call that was taken has its answer in the outbox. */
  whenEmpty(): Promise<void>;
}

type CallFlight = Flight<CancelSignal>;

interface Ending {
  readonly rpc?: CallStats["rpc"];
  /** Called when the answer has left, or there is none to send. */
  readonly onSent?: () => void;
}

// No JSON text is empty: calls without an id are in the table, and no `cancel` can name them.
const noIdKey = "";

export function createCallLane(core: CallCore, outbox: Outbox, options: CallLaneOptions): CallLane {
  const { noMore } = options;
  const inFlight = createInFlightTable(createCancelController);
  const room = createWaitingRoom({
    maxCalls: options.queueSize,
    maxBytes: limits.rpcQueuedBytes,
    maxAheadBytes: limits.rpcReadAheadBytes,
  });
  const queue = createWorkQueue({
    workers: options.workers,
    // The room decides who may wait; no call weighs less than a byte, so that the queue itself is never full.
    capacity: options.queueSize + limits.rpcReadAheadBytes,
    onJobError: (error) => logLine(`[hawser] rpc: ${describeThrown(error)}`),
  });

  const begin = ({ id }: LaneCall): CallFlight => inFlight.begin(id === undefined ? noIdKey : toIdKey(id));

  function end(call: LaneCall, flight: CallFlight, outcome: CallOutcome, how: Ending = {}): void {
    const { rpc = { queueWaitMs: 0, queueDepth: room.waiting }, onSent } = how;
    if (flight.finish()) outbox.put(toCallText(call.id, outcome, rpc), onSent);
    else onSent?.();
  }

  function accept(call: LaneCall): Promise<void> | undefined {
    // In the table from the beginning, so that a cancel and the end of the process find it, wherever it waits.
    const flight = begin(call);
    if (noMore.aborted) {
      end(call, flight, toUnmadeOutcome(whyEnded(flight)));
    } else if (options.overflow === "reject" && !room.hasRoomFor(call.bytes)) {
      end(call, flight, toUnmadeOutcome(new HawserError("overloaded", "the queue is full; this call was not made")));
    } else {
      place(call, flight);
    }
    return room.whenReadOn();
  }

  function place(call: LaneCall, flight: CallFlight): void {
    const placedAt = performance.now();
    const visit = room.enter(call.bytes);
    const ticket = queue.add(() => {
      visit.leave();
      return run(call, flight, placedAt);
    });
    flight.signal.addEventListener("abort", () => {
      const endUnmade = (): void => end(call, flight, toUnmadeOutcome(whyEnded(flight)), { rpc: waited(placedAt) });
      if (ticket?.withdraw()) {
        visit.leave();
        endUnmade();
      } else {
        // The core knows more about how far it came, and ends soon; but nobody waits for one that does not.
        setTimeout(endUnmade, limits.rpcCancelAnswerMs).unref();
      }
    });
  }

  const whyEnded = ({ signal }: CallFlight): HawserError => toHawserError(signal.aborted ? signal.reason : noMore.reason, "cancelled");
  const waited = (placedAt: number) => ({ queueWaitMs: Math.round(performance.now() - placedAt), queueDepth: room.waiting });

  async function run(call: LaneCall, flight: CallFlight, placedAt: number): Promise<void> {
    if (outbox.isFull) await untilAborted(flight.signal, outbox.whenRoom()).catch(() => {});
    if (call.after) await untilAborted(flight.signal, call.after).catch(() => {});
    const rpc = waited(placedAt);
    if (noMore.aborted || flight.signal.aborted) return end(call, flight, toUnmadeOutcome(whyEnded(flight)), { rpc });
    let outcome: CallOutcome;
    const { promise: untilWritten, resolve: onSent } = Promise.withResolvers<void>();
    try {
      outcome = await core.call(parseArguments(call.args), { signal: flight.signal, untilWritten });
    } catch (error) {
      outcome = toUnmadeOutcome(toHawserError(error));
    }
    end(call, flight, flight.signal.aborted ? toCancelledOutcome(outcome, whyEnded(flight)) : outcome, { rpc, onSent });
  }

  return {
    accept,
    cancel: (idSource, reason) => inFlight.cancel(toIdKey(idSource), reason),
    cancelAll: inFlight.cancelAll,
    whenEmpty: inFlight.whenEmpty,
  };
}

function parseArguments(args: unknown): ReturnType<typeof parseCallItem> {
  try {
    return parseCallItem(args);
  } catch (error) {
    throw new HawserError("invalid_message", `invalid call args: ${toHawserError(error).message}`, { cause: error });
  }
}
