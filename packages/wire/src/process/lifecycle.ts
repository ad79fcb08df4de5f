// How a protocol process ends, as two signals that its server obeys:
//   stopping    nothing new starts: a request that comes now is refused
//   cancelling  what still runs is cancelled now, and gets its one final answer
// The end of input only starts the clock, since everything that came before it was accepted. The wait is always bounded.

import { HawserError } from "@hawser/protocol";
import { wireLimits } from "../limits.ts";

export type EndCause = "input-ended" | "signal" | "parent-gone" | "output-closed";

export interface Lifecycle {
  readonly stopping: AbortSignal;
  readonly cancelling: AbortSignal;
}

export interface LifecycleControl extends Lifecycle {
  /** Begins the end and cancels after `graceMs`. A later call may only make it sooner. */
  end(cause: EndCause, graceMs: number): void;
  /** Everything that has called for the end so far. */
  readonly causes: ReadonlySet<EndCause>;
  /** Resolves when even the time to answer cancelled work is over. */
  readonly overdue: Promise<void>;
  dispose(): void;
}

export function createLifecycle(): LifecycleControl {
  const stopping = new AbortController();
  const cancelling = new AbortController();
  const causes = new Set<EndCause>();
  const overdue = Promise.withResolvers<void>();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function after(ms: number, action: () => void): void {
    timers.add(setTimeout(action, ms));
  }

  function cancel(why: EndCause): void {
    if (cancelling.signal.aborted) return;
    cancelling.abort(new HawserError("cancelled", `cancelled: ${explanation[why]}`, { facts: { cause: why } }));
    after(wireLimits.cancelGraceMs, overdue.resolve);
  }

  return {
    stopping: stopping.signal,
    cancelling: cancelling.signal,
    causes,
    overdue: overdue.promise,
    end(cause, graceMs) {
      causes.add(cause);
      if (cause !== "input-ended") {
        stopping.abort(new HawserError("cancelled", `not started: ${explanation[cause]}`, { facts: { cause: cause } }));
      }
      if (graceMs === 0) cancel(cause);
      else after(graceMs, () => cancel(cause));
    },
    dispose() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const secondSignalExitCode = 143;

/**
 * Serves until a signal comes, or the process that started this one is gone (`parent`, its id, where that was read
 * earlier). `run` returns, with everything that it holds let go, once `stopping` is aborted.
 */
export async function runUntilStopped<Result>(
  run: (lifecycle: LifecycleControl) => Promise<Result>,
  parent: number = process.ppid,
): Promise<Result> {
  const lifecycle = createLifecycle();
  let signals = 0;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      // A first signal begins the end; a second one is obeyed at once.
      if (++signals > 1) process.exit(secondSignalExitCode);
      lifecycle.end("signal", wireLimits.signalGraceMs);
    });
  }
  watchParent(() => lifecycle.end("parent-gone", 0), parent);
  try {
    return await run(lifecycle);
  } finally {
    lifecycle.dispose();
  }
}

const explanation: Record<EndCause, string> = {
  "input-ended": "the input ended and the time to finish is over",
  signal: "the process was told to stop",
  "parent-gone": "the program that started this process is gone",
  "output-closed": "nobody reads the answers any more",
};

/**
 * Calls `onGone` once, when the parent has died; returns a function that stops watching. The end of stdin is not enough, since
 * another process may hold the pipe open; a changed parent id is proof.
 */
export function watchParent(onGone: () => void, parent: number = process.ppid): () => void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, wireLimits.parentPollMs);
  timer.unref();
  return () => clearInterval(timer);
}
