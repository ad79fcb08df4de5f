// Where calls wait and run: bounded by workers, queue length and bytes. Every call that was taken ends with exactly one
// answer, whether it was made, refused, cancelled while it waited or cancelled while it ran.

import { type CallStats, describeThrown, HawserError, toHawserError } from "@hawser/protocol";
import {
  type CancelSignal,
  createCancelController,
  createInFlightTable,
  type Flight,
  type Outbox,
  untilAborted,
} from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { CallCore, CallOptions, CallOutcome } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import { parseCallItem } from "../request/call-item.ts";
import { type CallLine, createCallLine, type WaitingCall } from "./call-line.ts";
import { toIdKey } from "./request.ts";
import { toCallText, toCancelledOutcome, toUnmadeOutcome, type IdSource } from "./rpc-answer.ts";

/** One call, from its line to its answer. A class, since there are many thousands. */
class LaneCall implements WaitingCall, CallOptions {
  waitsIn: WaitingCall["waitsIn"];
  readonly id: IdSource;
  /** Undefined once it is made: its answer may wait for long, and they may be large. */
  args: unknown;
  readonly bytes: number;
  /** What must be over before the call is made. */
  readonly after: Promise<void> | undefined;
  readonly flight: Flight<CancelSignal>;
  readonly signal: CancelSignal;
  readonly acceptedAt = performance.now();
  /** How it waited; known when it is made. */
  rpc: CallStats["rpc"];
  private tellWritten: (() => void) | undefined;

  constructor({ id, args, bytes, after }: CallLineItem, flight: Flight<CancelSignal>) {
    this.id = id;
    this.args = args;
    this.bytes = bytes;
    this.after = after;
    this.flight = flight;
    this.signal = flight.signal;
  }

  whenWritten(tell: () => void): void {
    this.tellWritten = tell;
  }

  /** Its answer has left, or there is none to send. */
  noteWritten(): void {
    this.tellWritten?.();
  }
}

type CallLineItem = Pick<LaneCall, "id" | "args" | "bytes" | "after">;

interface CallLaneOptions {
  readonly workers: number;
  readonly queueSize: number;
  readonly overflow: "block" | "reject";
  /** Once aborted, nothing starts. */
  readonly noMore: AbortSignal;
}

export interface CallLane extends Pick<CallLine<unknown>, "isFull" | "whenRoom"> {
  accept(item: CallLineItem): void;
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
  const whyEnded = ({ signal }: LaneCall): HawserError => toHawserError(signal.aborted ? signal.reason : noMore.reason, "cancelled");

  function end(call: LaneCall, outcome: CallOutcome): void {
    if (call.flight.finish()) outbox.put(toCallText(call.id, outcome, call.rpc ?? waited(call)), () => call.noteWritten());
    else call.noteWritten();
  }
  const endUnmade = (call: LaneCall): void => end(call, toUnmadeOutcome(whyEnded(call)));

  function accept(item: CallLineItem): void {
    // In the table from the beginning, so that a cancel and the end of the process find it, wherever it waits.
    // No JSON text is empty, so that no `cancel` can name a call without an id.
    const call = new LaneCall(item, inFlight.begin(item.id === undefined ? "" : toIdKey(item.id)));
    if (isOver) return endUnmade(call);
    call.signal.addEventListener("abort", () => onAbort(call));
    if (running < workers) return run(call);
    if (overflow === "reject" && !line.hasPlace(call.bytes))
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

  async function whenMayStart({ signal, after }: LaneCall): Promise<void> {
    if (outbox.isFull) await untilAborted(signal, outbox.whenRoom()).catch(() => {});
    if (after) await untilAborted(signal, after).catch(() => {});
  }

  function make(call: LaneCall): void {
    const { args } = call;
    call.args = undefined;
    call.rpc = waited(call);
    try {
      if (isOver || call.signal.aborted) throw whyEnded(call);
      core.call(parseArguments(args), call).then(
        (outcome) => finish(call, outcome),
        (error: unknown) => fail(call, error),
      );
    } catch (error) {
      // Not within the call that ended before: a long line of them would be as many calls deep.
      queueMicrotask(() => fail(call, error));
    }
  }

  function finish(call: LaneCall, outcome: CallOutcome): void {
    try {
      end(call, call.signal.aborted ? toCancelledOutcome(outcome, whyEnded(call)) : outcome);
    } catch (error) {
      logLine(`[hawser] rpc: ${describeThrown(error)}`);
    }
    running--;
    const next = line.take();
    if (next) run(next);
  }

  const fail = (call: LaneCall, error: unknown): void => finish(call, toUnmadeOutcome(toHawserError(error)));

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
