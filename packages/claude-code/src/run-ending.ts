// How a run comes to an early end: by its caller's signal, its time, its interrupt handler, or a tool that may
// not fail. The first cause wins, and everybody who waits for the run learns of it at once.

import { limits, startDeadline } from "@hawser/wire";
import { CLIInterruptedError, CLITimeoutError } from "./errors.ts";

export interface RunEnding {
  readonly controller: AbortController;
  readonly cause: Error | undefined;
  fail(error: Error): void;
  until<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends the run when the signal aborts or the time is over; the returned function takes both back. */
  guard(signal: AbortSignal | undefined, timeout: { readonly ms: number; readonly what: string }): () => void;
  poll(handler: (() => boolean) | undefined): void;
  check(handler: (() => boolean) | undefined): void;
  release(): void;
}

export function createRunEnding(): RunEnding {
  const controller = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const releases = new Set<() => void>();
  let cause: Error | undefined;

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

  function guard(signal: AbortSignal | undefined, { ms, what }: { readonly ms: number; readonly what: string }): () => void {
    const onAbort = (): void => fail(new CLIInterruptedError("the request was aborted", { cause: signal?.reason }));
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort);
    const expired = (): void => fail(new CLITimeoutError(`${what} took longer than ${ms} ms`, { facts: { timeoutMs: ms } }));
    const deadline = startDeadline({ totalMs: ms, onExpire: expired });
    const release = (): void => {
      deadline.clear();
      signal?.removeEventListener("abort", onAbort);
      releases.delete(release);
    };
    releases.add(release);
    return release;
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
      if (!handler) return;
      const timer = setInterval(ask, limits.claudeInterruptPollMs, handler);
      releases.add(() => clearInterval(timer));
    },
    release() {
      for (const release of [...releases]) release();
    },
  };
}
