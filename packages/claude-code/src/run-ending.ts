// How a run comes to an early end: by its caller's signal, its time, its interrupt handler, or a tool that may
// not fail. The first cause wins, and all that wait for the run learn of it at once.

import { claudeCodeLimits } from "./limits.ts";
import { CLIInterruptedError, CLITimeoutError } from "./errors.ts";

/** Who may end a run, and when it is over by itself. */
export interface RunGuard {
  readonly signal: AbortSignal | undefined;
  readonly ms: number;
  /** What takes that long. */
  readonly what: string;
  /** False: this process, with nothing else to do, ends before the time is over. */
  readonly keepsAlive?: boolean;
}

export interface RunEnding {
  /** Aborted by the first cause. */
  readonly controller: AbortController;
  readonly cause: Error | undefined;
  fail(error: Error): void;
  until<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends the run when the signal aborts or the time is over; in place of the guard before, if there is one. */
  guard(guard: RunGuard): void;
  /** Asks the handler, and throws the cause if there is one. */
  check(): void;
  release(): void;
}

// Node turns a longer delay into one millisecond.
const maxDelayMs = 2_147_483_647;

/** The handler is asked with every check, and while there is none. */
export function createRunEnding(handler?: () => boolean): RunEnding {
  const controller = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let releaseGuard: (() => void) | undefined;
  // The command line keeps this process alive, as long as it should.
  const polling = handler && setInterval(ask, claudeCodeLimits.claudeInterruptPollMs).unref();

  function fail(error: Error): void {
    if (ending.cause) return;
    ending.cause = error;
    failed.reject(error);
    controller.abort();
  }

  /** Whether the handler wants an end; one that throws gets it too. */
  function ask(): void {
    try {
      if (handler?.() === true) fail(new CLIInterruptedError("the interrupt handler ended the request"));
    } catch (error) {
      fail(error as Error);
    }
  }

  function guard({ signal, ms, what, keepsAlive = true }: RunGuard): void {
    releaseGuard?.();
    const onAbort = (): void => fail(new CLIInterruptedError("the request was aborted", { cause: signal?.reason }));
    const onTime = (): void => fail(new CLITimeoutError(`${what} took longer than ${ms} ms`, { facts: { timeoutMs: ms } }));
    const timer = setTimeout(onTime, Math.min(ms, maxDelayMs));
    if (!keepsAlive) timer.unref();
    signal?.addEventListener("abort", onAbort);
    releaseGuard = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    if (signal?.aborted) onAbort();
  }

  const ending: RunEnding & { cause: Error | undefined } = {
    controller,
    cause: undefined,
    fail,
    until: (work) => Promise.race([work, failed.promise]),
    guard,
    check() {
      ask();
      if (ending.cause) throw ending.cause;
    },
    release() {
      releaseGuard?.();
      clearInterval(polling);
    },
  };
  return ending;
}
