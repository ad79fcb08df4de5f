// Where calls wait and run: bounded by workers, queue length and bytes. Every call that was taken ends with exactly one
// answer, whether it was made, refused, cancelled while it waited or cancelled while it ran.

import { describeThrown, HawserError, toHawserError } from "@hawser/protocol";
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

/** One call, from its line to its answer. */
interface LaneCall {
  readonly id: IdSource;
  readonly args: unknown;
  readonly flight: Flight<CancelSignal>;
  /** What the line weighs while it waits. */
  readonly bytes: number;
  /** What must be over before the call is made. */
  readonly after: Promise<void> | undefined;
  readonly acceptedAt: number;
}

interface CallLaneOptions {
  readonly workers: number;
  readonly queueSize: number;
  readonly overflow: "block" | "reject";
  /** Once aborted, nothing starts. */
  readonly noMore: AbortSignal;
}

export interface CallLane {
  accept(line: Pick<LaneCall, "id" | "args" | "bytes" | "after">): void;
  /** Enough was read ahead: read nothing until `whenRoom`. */
  isFull(): boolean;
  whenRoom(): Promise<void>;
  /** Ends every call of this id; returns how many there were. */
  cancel(idSource: string, reason: HawserError): number;
  cancelAll(reason: HawserError): void;
  /** Resolves when every call that was taken has its answer in the outbox. */
  whenEmpty(): Promise<void>;
}

export function createCallLane(core: CallCore, outbox: Outbox<string>, options: CallLaneOptions): CallLane {
  const { noMore } = options;
  const inFlight = createInFlightTable(createCancelController);
  const workers = createSemaphore(options.workers);
  const queue = createSemaphore(options.queueSize, { maxWeight: gatewayLimits.rpcQueuedBytes });
  // Full with the call that reaches the bound.
  const readAhead = createByteBudget(gatewayLimits.rpcReadAheadBytes - 1);

  const waited = ({ acceptedAt }: LaneCall) => ({ queueWaitMs: Math.round(performance.now() - acceptedAt), queueDepth: queue.used });
  const whyEnded = ({ flight: { signal } }: LaneCall): HawserError =>
    toHawserError(signal.aborted ? signal.reason : noMore.reason, "cancelled");

  /** `onSent` is called when the answer has left, or there is none to send. */
  function end(call: LaneCall, outcome: CallOutcome, rpc = waited(call), onSent?: () => void): void {
    if (call.flight.finish()) outbox.put(toCallText(call.id, outcome, rpc), onSent);
    else onSent?.();
  }
  const endUnmade = (call: LaneCall): void => end(call, toUnmadeOutcome(whyEnded(call)));

  function accept({ id, args, bytes, after }: Parameters<CallLane["accept"]>[0]): void {
    // In the table from the beginning, so that a cancel and the end of the process find it, wherever it waits.
    // No JSON text is empty, so that no `cancel` can name a call without an id.
    const flight = inFlight.begin(id === undefined ? "" : toIdKey(id));
    const call: LaneCall = { id, args, flight, bytes, after, acceptedAt: performance.now() };
    if (noMore.aborted) return endUnmade(call);
    const worker = workers.tryAcquire();
    if (worker) return void run(call, worker);
    const place = queue.tryAcquire(bytes);
    if (!place && options.overflow === "reject")
      return end(call, toUnmadeOutcome(new HawserError("overloaded", "the queue is full; this call was not made")));
    const leaveQueue = place?.release ?? enterAhead(call);
    const onAbort = (): void => {
      leaveQueue();
      endUnmade(call);
    };
    flight.signal.addEventListener("abort", onAbort);
    workers.acquire(flight.signal).then(
      (freed) => {
        flight.signal.removeEventListener("abort", onAbort);
        leaveQueue();
        void run(call, freed);
      },
      () => {},
    );
  }

  /** Counts as read ahead until there is a place in the queue. Returns how to leave either. */
  function enterAhead({ bytes, flight }: LaneCall): () => void {
    const share = readAhead.openShare();
    let place: Lease | undefined;
    let hasLeft = false;
    share.set(bytes);
    const enter = (lease?: Lease): void => {
      share.set(0);
      place = lease;
      if (hasLeft) place?.release();
    };
    queue.acquire(flight.signal, bytes).then(enter, () => enter());
    return () => {
      hasLeft = true;
      place?.release();
    };
  }

  async function run(call: LaneCall, worker: Lease): Promise<void> {
    const { signal } = call.flight;
    // The core knows more about how far it came, and ends soon; one that does not is answered without it.
    signal.addEventListener("abort", () => setTimeout(endUnmade, gatewayLimits.rpcCancelAnswerMs, call).unref());
    try {
      if (outbox.isFull) await untilAborted(signal, outbox.whenRoom()).catch(() => {});
      if (call.after) await untilAborted(signal, call.after).catch(() => {});
      if (noMore.aborted || signal.aborted) return endUnmade(call);
      const rpc = waited(call);
      const { promise: untilWritten, resolve: onSent } = Promise.withResolvers<void>();
      let outcome: CallOutcome;
      try {
        outcome = await core.call(parseArguments(call.args), { signal, untilWritten });
      } catch (error) {
        outcome = toUnmadeOutcome(toHawserError(error));
      }
      end(call, signal.aborted ? toCancelledOutcome(outcome, whyEnded(call)) : outcome, rpc, onSent);
    } catch (error) {
      logLine(`[hawser] rpc: ${describeThrown(error)}`);
    } finally {
      worker.release();
    }
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
