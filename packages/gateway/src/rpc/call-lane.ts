// Where calls wait and run: bounded by workers, queue length and bytes. Every call that was taken ends with exactly one
// answer, whether it was made, refused, cancelled while it waited or cancelled while it ran.

import { describeThrown, HawserError, toHawserError } from "@hawser/protocol";
import {
  type CancelSignal,
  createCancelController,
  createInFlightTable,
  type Flight,
  type Outbox,
  untilAborted,
} from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { CallCore, CallOutcome } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import { parseCallItem } from "../request/call-item.ts";
import { type CallLine, createCallLine, type WaitingCall } from "./call-line.ts";
import { toIdKey } from "./request.ts";
import { toCallText, toCancelledOutcome, toUnmadeOutcome, type IdSource } from "./rpc-answer.ts";

/** One call, from its line to its answer. */
interface LaneCall extends WaitingCall {
  readonly id: IdSource;
  readonly args: unknown;
  readonly flight: Flight<CancelSignal>;
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

export interface CallLane extends Pick<CallLine<unknown>, "isFull" | "whenRoom"> {
  accept(line: Pick<LaneCall, "id" | "args" | "bytes" | "after">): void;
  /** Ends every call of this id; returns how many there were. */
  cancel(idSource: string, reason: HawserError): number;
  cancelAll(reason: HawserError): void;
  /** Resolves when every call that was taken has its answer in the outbox. */
  whenEmpty(): Promise<void>;
}

export function createCallLane(core: CallCore, outbox: Outbox<string>, options: CallLaneOptions): CallLane {
  const { noMore, workers, overflow } = options;
  const inFlight = createInFlightTable(createCancelController);
  const line = createCallLine<LaneCall>(options.queueSize);
  let running = 0;
  // A signal made of others looks at all of them each time it is asked.
  let isOver = noMore.aborted;
  noMore.addEventListener("abort", () => (isOver = true));

  const waited = ({ acceptedAt }: LaneCall) => ({ queueWaitMs: Math.round(performance.now() - acceptedAt), queueDepth: line.queued });
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
    const call: LaneCall = { id, args, flight, bytes, waitsIn: undefined, after, acceptedAt: performance.now() };
    if (isOver) return endUnmade(call);
    flight.signal.addEventListener("abort", () => onAbort(call));
    if (running < workers) return run(call);
    if (overflow === "reject" && !line.hasPlace(bytes))
      return end(call, toUnmadeOutcome(new HawserError("overloaded", "the queue is full; this call was not made")));
    line.add(call);
  }

  function onAbort(call: LaneCall): void {
    // The core knows more about how far it came, and ends soon; one that does not is answered without it.
    if (!call.waitsIn) return void setTimeout(endUnmade, gatewayLimits.rpcCancelAnswerMs, call).unref();
    line.leave(call);
    endUnmade(call);
  }

  function run(call: LaneCall): void {
    running++;
    if (outbox.isFull || call.after) void whenMayStart(call).then(() => make(call));
    else make(call);
  }

  async function whenMayStart({ flight: { signal }, after }: LaneCall): Promise<void> {
    if (outbox.isFull) await untilAborted(signal, outbox.whenRoom()).catch(() => {});
    if (after) await untilAborted(signal, after).catch(() => {});
  }

  function make(call: LaneCall): void {
    const { signal } = call.flight;
    const rpc = waited(call);
    const { promise: untilWritten, resolve: onSent } = Promise.withResolvers<void>();
    const finish = (outcome: CallOutcome): void => {
      try {
        end(call, signal.aborted ? toCancelledOutcome(outcome, whyEnded(call)) : outcome, rpc, onSent);
      } catch (error) {
        logLine(`[hawser] rpc: ${describeThrown(error)}`);
      }
      running--;
      const next = line.take();
      if (next) run(next);
    };
    const fail = (error: unknown): void => finish(toUnmadeOutcome(toHawserError(error)));
    outcomeOf(call, untilWritten).then(finish, fail);
  }

  function outcomeOf(call: LaneCall, untilWritten: Promise<void>): Promise<CallOutcome> {
    const { signal } = call.flight;
    if (isOver || signal.aborted) return Promise.reject(whyEnded(call));
    try {
      return core.call(parseArguments(call.args), { signal, untilWritten });
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  return {
    accept,
    isFull: line.isFull,
    whenRoom: line.whenRoom,
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
