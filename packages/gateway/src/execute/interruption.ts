// What ends a call from outside: its deadline, or somebody who cancels it. The first of both counts,
// and reaches whatever the call is waiting for at that moment.

import { HawserError, startDeadline } from "@hawser/wire";

export interface Interruption {
  /** Set once the call is over early. */
  readonly reason: HawserError | undefined;
  remainingMs(): number;
  /** Who is told; replaces the one before. Told at once if it already happened. */
  attach(onInterrupt: ((reason: HawserError) => void) | undefined): void;
  /** Waits; rejects with the reason. */
  sleep(ms: number): Promise<void>;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

/** Who may cancel a call: its caller, and the owner of all calls, who finds it in a set while it runs. */
export interface Cancellers {
  readonly signal?: AbortSignal | undefined;
  /** A set costs less than one more listener per call. */
  readonly running?: Set<() => void> | undefined;
}

export function startInterruption(timeoutMs: number, { signal, running }: Cancellers): Interruption {
  const endsAt = performance.now() + timeoutMs;
  let reason: HawserError | undefined;
  let listener: ((reason: HawserError) => void) | undefined;

  function interrupt(error: HawserError): void {
    if (reason) return;
    reason = error;
    end();
    listener?.(error);
  }
  const onAbort = (): void => interrupt(new HawserError("cancelled", "cancelled"));
  const deadline = startDeadline({
    totalMs: timeoutMs,
    onExpire: () => interrupt(new HawserError("timeout", `network timeout: no end within ${timeoutMs} ms`)),
  });
  function end(): void {
    deadline.clear();
    signal?.removeEventListener("abort", onAbort);
    running?.delete(onAbort);
  }
  function attach(onInterrupt: ((reason: HawserError) => void) | undefined): void {
    listener = onInterrupt;
    if (reason) onInterrupt?.(reason);
  }

  running?.add(onAbort);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    get reason() {
      return reason;
    },
    remainingMs: () => endsAt - performance.now(),
    attach,
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
