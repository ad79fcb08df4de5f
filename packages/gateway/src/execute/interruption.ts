// What ends a call from outside: its deadline, or a caller that cancels it; the first of both counts. The deadlines of all
// running calls share one timer, which keeps no process alive once nothing runs. A process that was stopped or busy does
// not blame its peer: before a call expires, what has already arrived for it is let in.

import { HawserError } from "@hawser/protocol";
import type { CancelSignal } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";

export interface Interruption extends RunningCall {
  /** Why the call is over early; undefined while it is not. */
  reason: HawserError | undefined;
  remainingMs(): number;
  /** Who is told; replaces the one before. Told at once if it already happened. */
  attach(onInterrupt: ((reason: HawserError) => void) | undefined): void;
  /** Stops the clock of the deadline until the returned function is called. */
  hold(): () => void;
  /** Waits; rejects with the reason. */
  sleep(ms: number): Promise<void>;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

/** Who may cancel a call: its caller, and the owner of all calls, who finds it among those that run. */
export interface Cancellers {
  /** What of the call's time was gone before. */
  readonly spentMs?: number | undefined;
  readonly signal?: CancelSignal | undefined;
  readonly running?: RunningCalls | undefined;
}

export function startInterruption(timeoutMs: number, { spentMs = 0, signal, running = createRunningCalls() }: Cancellers): Interruption {
  let isOver = false;
  let listener: ((reason: HawserError) => void) | undefined;

  function interrupt(error: HawserError): void {
    if (interruption.reason) return;
    interruption.reason = error;
    interruption.end();
    listener?.(error);
  }
  const cancel = (): void => interrupt(new HawserError("cancelled", "cancelled"));
  function endAt(ms: number): void {
    if (isOver) return;
    running.delete(interruption);
    interruption.endsAt = ms;
    running.add(interruption);
  }
  // No getter here, nor in other objects that each call has: V8 makes each a type of its own, slowly, and keeps what it refers to.
  const interruption: Interruption = {
    place: -1,
    endsAt: performance.now() + Math.max(1, timeoutMs - spentMs),
    expire: () => interrupt(new HawserError("timeout", `network timeout: no end within ${timeoutMs} ms`)),
    cancel,
    reason: undefined,
    remainingMs: () => interruption.endsAt - performance.now(),
    attach(onInterrupt) {
      listener = onInterrupt;
      if (interruption.reason) onInterrupt?.(interruption.reason);
    },
    hold() {
      const { endsAt } = interruption;
      const since = performance.now();
      endAt(Infinity);
      return () => endAt(endsAt + performance.now() - since);
    },
    sleep: (ms) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        interruption.attach((error) => {
          clearTimeout(timer);
          reject(error);
        });
      }),
    end() {
      isOver = true;
      running.delete(interruption);
      signal?.removeEventListener("abort", cancel);
    },
  };
  running.add(interruption);
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return interruption;
}

export interface RunningCall {
  /** Where it stands in the list; only the list changes it. */
  place: number;
  /** By `performance.now()`; changed only while it is not in the list. */
  endsAt: number;
  /** It is past its deadline. */
  expire(): void;
  cancel(): void;
}

export interface RunningCalls {
  add(call: RunningCall): void;
  delete(call: RunningCall): void;
  cancelAll(): void;
}

export function createRunningCalls(): RunningCalls {
  // Not a Set: with many entries that come and go, V8 keeps ended calls alive through its outgrown tables until a full collection.
  const calls: RunningCall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let goesOffAt = Infinity;

  function arm(at: number): void {
    clearTimeout(timer);
    goesOffAt = at;
    // Node turns a longer delay into one millisecond.
    timer = setTimeout(look, Math.min(Math.max(Math.ceil(at - performance.now()), 1), gatewayLimits.maxDurationMs));
  }

  // Timers run before input is read: one more turn of the loop lets in what is already there.
  function look(): void {
    if (overdue().length > 0) timer = setTimeout(expireOverdue, 0);
    else armForNext();
  }

  function expireOverdue(): void {
    for (const call of overdue()) call.expire();
    armForNext();
  }

  /** In the order of their deadlines, however late it is. */
  function overdue(): RunningCall[] {
    const now = performance.now();
    return calls.filter(({ endsAt }) => endsAt <= now).sort((one, other) => one.endsAt - other.endsAt);
  }

  function armForNext(): void {
    timer = undefined;
    goesOffAt = Infinity;
    for (const { endsAt } of calls) goesOffAt = Math.min(goesOffAt, endsAt);
    if (calls.length > 0) arm(goesOffAt);
  }

  return {
    add(call) {
      call.place = calls.push(call) - 1;
      if (call.endsAt < goesOffAt) arm(call.endsAt);
      else if (calls.length === 1) timer?.ref();
    },
    delete(call) {
      if (calls[call.place] !== call) return;
      const last = calls.pop() as RunningCall;
      if (last !== call) {
        calls[call.place] = last;
        last.place = call.place;
      }
      if (calls.length === 0) timer?.unref();
    },
    cancelAll() {
      for (const call of [...calls]) call.cancel();
    },
  };
}
