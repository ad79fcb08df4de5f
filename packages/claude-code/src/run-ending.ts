// How a run comes to an early end: by its caller's signal, its time, its interrupt handler, or a tool that may
// not fail. The first cause wins, and everybody who waits for the run learns of it at once.

import { limits } from "@hawser/wire";
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
  poll(handler: (() => boolean) | undefined): void;
  /** Asks the handler, and throws the cause if there is one. */
  check(handler: (() => boolean) | undefined): void;
  release(): void;
}

// Node turns a longer delay into one millisecond.
const maxDelayMs = 2_147_483_647;

export function createRunEnding(): RunEnding {
  const controller = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let cause: Error | undefined;
  let releaseGuard: (() => void) | undefined;
  let polling: NodeJS.Timeout | undefined;

  function fail(error: Error): void {
    if (cause) return;
    cause = error;
    failed.reject(error);
    controller.abort();
  }

  /** Whether the handler wants an end; one that throws gets it too. */
  function ask(handler: (() => boolean) | undefined): void {
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

  return {
    controller,
    get cause() {
      return cause;
    },
    fail,
    until: (work) => Promise.race([work, failed.promise]),
    guard,
    check(handler) {
      ask(handler);
      if (cause) throw cause;
    },
    poll(handler) {
      // The command line keeps this process alive, as long as it should.
      if (handler) polling = setInterval(ask, limits.claudeInterruptPollMs, handler).unref();
    },
    release() {
      releaseGuard?.();
      clearInterval(polling);
    },
  };
}
