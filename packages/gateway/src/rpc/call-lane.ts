// Where calls wait and run. So many run at once, so many wait, with so much text; one more is refused
// or held until there is room, and then its reader waits with it. Every call that was taken ends with
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
import { createQueuedBytes } from "./queued-bytes.ts";
import { parseCallItem } from "./call-item.ts";
import type { Outbox } from "./outbox.ts";
import { toIdKey } from "./request.ts";
import { toCallText, toCancelledOutcome, toUnmadeOutcome, type IdSource } from "./rpc-answer.ts";

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
  /** A promise only where the call has to be held: read nothing until it resolves. */
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
  const queuedBytes = createQueuedBytes(limits.rpcQueuedBytes);
  const queue = createWorkQueue({
    workers: options.workers,
    capacity: options.queueSize,
    onJobError: (error) => logLine(`[hawser] rpc: ${describeThrown(error)}`),
  });

  const hasPlace = (): boolean => queue.running < options.workers || queue.waiting < options.queueSize;
  const hasRoomFor = ({ bytes }: LaneCall): boolean => hasPlace() && queuedBytes.hasRoomFor(bytes);
  const begin = ({ id }: LaneCall): CallFlight => inFlight.begin(id === undefined ? noIdKey : toIdKey(id));

  function end(call: LaneCall, flight: CallFlight, outcome: CallOutcome, how: Ending = {}): void {
    const { rpc = { queueWaitMs: 0, queueDepth: queue.waiting }, onSent } = how;
    if (flight.finish()) outbox.put(toCallText(call.id, outcome, rpc), onSent);
    else onSent?.();
  }

  function accept(call: LaneCall): Promise<void> | undefined {
    // In the table from the beginning, so that the end of the process finds it, wherever it waits.
    const flight = begin(call);
    const hasRoom = hasRoomFor(call);
    if (!hasRoom && !noMore.aborted && options.overflow === "block") return hold(call, flight);
    if (hasRoom || noMore.aborted) place(call, flight);
    else end(call, flight, toUnmadeOutcome(new HawserError("overloaded", "the queue is full; this call was not made")));
    return undefined;
  }

  async function hold(call: LaneCall, flight: CallFlight): Promise<void> {
    while (!hasRoomFor(call) && !flight.signal.aborted && !noMore.aborted) {
      const room = hasPlace() ? queuedBytes.whenReturned() : queue.whenRoom();
      await untilAborted(noMore, untilAborted(flight.signal, room)).catch(() => {});
    }
    place(call, flight);
  }

  function place(call: LaneCall, flight: CallFlight): void {
    if (noMore.aborted || flight.signal.aborted) return end(call, flight, toUnmadeOutcome(whyEnded(flight)));
    const placedAt = performance.now();
    queuedBytes.take(call.bytes);
    const ticket = queue.add(() => {
      queuedBytes.giveBack(call.bytes);
      return run(call, flight, placedAt);
    });
    flight.signal.addEventListener("abort", () => {
      const endUnmade = (): void => end(call, flight, toUnmadeOutcome(whyEnded(flight)), { rpc: waited(placedAt) });
      if (ticket?.withdraw()) {
        queuedBytes.giveBack(call.bytes);
        endUnmade();
      } else {
        // The core knows more about how far it came, and ends soon; but nobody waits for one that does not.
        setTimeout(endUnmade, limits.rpcCancelAnswerMs).unref();
      }
    });
  }

  const whyEnded = ({ signal }: CallFlight): HawserError => toHawserError(signal.aborted ? signal.reason : noMore.reason, "cancelled");
  const waited = (placedAt: number) => ({ queueWaitMs: Math.round(performance.now() - placedAt), queueDepth: queue.waiting });

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
