// What ends a call from outside: its deadline, or somebody who cancels it. The first of both counts,
// and reaches whatever the call is waiting for at that moment.

import { HawserError, type CancelSignal } from "@hawser/wire";
import { createRunningCalls, type RunningCall, type RunningCalls } from "./running-calls.ts";

export interface Interruption {
  /** Why the call is over early; undefined while it is not. */
  reason(): HawserError | undefined;
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
  let reason: HawserError | undefined;
  let isOver = false;
  let listener: ((reason: HawserError) => void) | undefined;

  function interrupt(error: HawserError): void {
    if (reason) return;
    reason = error;
    end();
    listener?.(error);
  }
  const onAbort = (): void => interrupt(new HawserError("cancelled", "cancelled"));
  const call: RunningCall = {
    place: -1,
    endsAt: performance.now() + Math.max(1, timeoutMs - spentMs),
    expire: () => interrupt(new HawserError("timeout", `network timeout: no end within ${timeoutMs} ms`)),
    cancel: onAbort,
  };
  function end(): void {
    isOver = true;
    running.delete(call);
    signal?.removeEventListener("abort", onAbort);
  }
  function endAt(ms: number): void {
    if (isOver) return;
    running.delete(call);
    call.endsAt = ms;
    running.add(call);
  }
  function hold(): () => void {
    const { endsAt } = call;
    const since = performance.now();
    endAt(Infinity);
    return () => endAt(endsAt + performance.now() - since);
  }
  function attach(onInterrupt: ((reason: HawserError) => void) | undefined): void {
    listener = onInterrupt;
    if (reason) onInterrupt?.(reason);
  }

  running.add(call);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  // No getter here, nor in other objects that each call has: V8 makes each a type of its own, slowly, and keeps what it refers to.
  return {
    reason: () => reason,
    remainingMs: () => call.endsAt - performance.now(),
    attach,
    hold,
    sleep: (ms) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        attach((error) => {
          clearTimeout(timer);
          reject(error);
        });
      }),
    end,
  };
}
