// Where calls wait and run: bounded by workers, queue length and bytes. A call that finds the queue full is refused, or
// counts as read ahead, and when enough was read ahead the reader waits. Every call that was taken ends with exactly one
// answer, whether it was made, refused, cancelled while it waited or cancelled while it ran.

import { type CallStats, describeThrown, HawserError, toHawserError } from "@hawser/protocol";
import {
  type CancelSignal,
  createByteBudget,
  createCancelController,
  createInFlightTable,
  createSemaphore,
  type Flight,
  type Lease,
  type Outbox,
  untilAborted,
} from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { CallCore, CallOutcome } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import { parseCallItem } from "../request/call-item.ts";
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
  accept(call: LaneCall): void;
  /** Enough was read ahead: read nothing until `whenRoom`. */
  isFull(): boolean;
  whenRoom(): Promise<void>;
  /** Ends every call of this id; returns how many there were. */
  cancel(idSource: string, reason: HawserError): number;
  cancelAll(reason: HawserError): void;
  /** Resolves when every call that was taken has its answer in the outbox. */
  whenEmpty(): Promise<void>;
}

interface Ending {
  readonly rpc?: CallStats["rpc"];
  /** Called when the answer has left, or there is none to send. */
  readonly onSent?: () => void;
}

// No JSON text is empty: calls without an id are in the table, and no `cancel` can name them.
const noIdKey = "";

export function createCallLane(core: CallCore, outbox: Outbox<string>, options: CallLaneOptions): CallLane {
  const { noMore } = options;
  const inFlight = createInFlightTable(createCancelController);
  const workers = createSemaphore(options.workers);
  const queue = createSemaphore(options.queueSize, { maxWeight: gatewayLimits.rpcQueuedBytes });
  // Full with the call that reaches the bound.
  const readAhead = createByteBudget(gatewayLimits.rpcReadAheadBytes - 1);

  function end(call: LaneCall, flight: Flight<CancelSignal>, outcome: CallOutcome, how: Ending = {}): void {
    const { rpc = { queueWaitMs: 0, queueDepth: queue.used }, onSent } = how;
    if (flight.finish()) outbox.put(toCallText(call.id, outcome, rpc), onSent);
    else onSent?.();
  }

  function accept(call: LaneCall): void {
    // In the table from the beginning, so that a cancel and the end of the process find it, wherever it waits.
    const flight = inFlight.begin(call.id === undefined ? noIdKey : toIdKey(call.id));
    if (noMore.aborted) return end(call, flight, toUnmadeOutcome(whyEnded(flight)));
    const acceptedAt = performance.now();
    const worker = workers.tryAcquire();
    if (worker) return start(call, flight, worker, acceptedAt);
    const place = queue.tryAcquire(call.bytes);
    if (!place && options.overflow === "reject")
      return end(call, flight, toUnmadeOutcome(new HawserError("overloaded", "the queue is full; this call was not made")));
    const leaveQueue = place?.release ?? enterAhead(call, flight.signal);
    const onAbort = (): void => {
      leaveQueue();
      end(call, flight, toUnmadeOutcome(whyEnded(flight)), { rpc: waited(acceptedAt) });
    };
    flight.signal.addEventListener("abort", onAbort);
    workers.acquire(flight.signal).then(
      (freed) => {
        flight.signal.removeEventListener("abort", onAbort);
        leaveQueue();
        start(call, flight, freed, acceptedAt);
      },
      () => {},
    );
  }

  /** Counts as read ahead until there is a place in the queue. Returns how to leave either. */
  function enterAhead({ bytes }: LaneCall, signal: CancelSignal): () => void {
    const share = readAhead.openShare();
    let place: Lease | undefined;
    let hasLeft = false;
    share.set(bytes);
    const enter = (lease?: Lease): void => {
      share.set(0);
      place = lease;
      if (hasLeft) place?.release();
    };
    queue.acquire(signal, bytes).then(enter, () => enter());
    return () => {
      hasLeft = true;
      place?.release();
    };
  }

  const whyEnded = ({ signal }: Flight<CancelSignal>): HawserError =>
    toHawserError(signal.aborted ? signal.reason : noMore.reason, "cancelled");
  const waited = (acceptedAt: number) => ({ queueWaitMs: Math.round(performance.now() - acceptedAt), queueDepth: queue.used });

  function start(call: LaneCall, flight: Flight<CancelSignal>, worker: Lease, acceptedAt: number): void {
    flight.signal.addEventListener("abort", () => {
      // The core knows more about how far it came, and ends soon; one that does not is answered without it.
      const endUnmade = (): void => end(call, flight, toUnmadeOutcome(whyEnded(flight)), { rpc: waited(acceptedAt) });
      setTimeout(endUnmade, gatewayLimits.rpcCancelAnswerMs).unref();
    });
    run(call, flight, acceptedAt)
      .catch((error: unknown) => logLine(`[hawser] rpc: ${describeThrown(error)}`))
      .finally(worker.release);
  }

  async function run(call: LaneCall, flight: Flight<CancelSignal>, acceptedAt: number): Promise<void> {
    if (outbox.isFull) await untilAborted(flight.signal, outbox.whenRoom()).catch(() => {});
    if (call.after) await untilAborted(flight.signal, call.after).catch(() => {});
    const rpc = waited(acceptedAt);
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
    isFull: () => readAhead.isFull,
    whenRoom: readAhead.whenRoom,
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
