// The client's side of "every request ends exactly once": who waits for which id, until when, and what ends the wait. Answers to ids
// without a waiter (late, doubled, invented) are reported by `false` and change nothing.

import { startDeadline, type Deadline } from "./deadline.ts";
import { HawserError } from "@hawser/protocol";

export interface WaitOptions<Event> {
  readonly signal?: AbortSignal | undefined;
  /** Longest silence; every event starts it again. */
  readonly idleMs?: number | undefined;
  /** Longest wait in all. */
  readonly totalMs?: number | undefined;
  onEvent?(event: Event): void;
}

export interface PendingTable<Event, Result> {
  readonly size: number;
  /** Waits for the end of `id`; rejects at once for an id that is already waited for. */
  wait(id: string, options?: WaitOptions<Event>): Promise<Result>;
  event(id: string, event: Event): boolean;
  resolve(id: string, result: Result): boolean;
  reject(id: string, error: HawserError): boolean;
  /** Settles every waiter with `reason`, and each later one at once. The first reason is kept. */
  close(reason: HawserError): void;
}

interface Waiter<Event, Result> {
  settle(outcome: { result: Result } | { error: HawserError }): void;
  touch(): void;
  onEvent: ((event: Event) => void) | undefined;
}

export function createPendingTable<Event = never, Result = unknown>(): PendingTable<Event, Result> {
  const waiters = new Map<string, Waiter<Event, Result>>();
  let closedBy: HawserError | undefined;

  function wait(id: string, options: WaitOptions<Event> = {}): Promise<Result> {
    const { signal } = options;
    if (closedBy) return Promise.reject(closedBy);
    if (signal?.aborted) return Promise.reject(abortError(signal));
    if (waiters.has(id)) return Promise.reject(new HawserError("duplicate_id", `id ${id} is already in flight; use a fresh one`));
    return new Promise((resolve, reject) => {
      function settle(outcome: { result: Result } | { error: HawserError }): void {
        if (!waiters.delete(id)) return;
        deadline.clear();
        signal?.removeEventListener("abort", onAbort);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.result);
      }
      const onAbort = (): void => settle({ error: abortError(signal) });
      const { idleMs, totalMs } = options;
      const deadline: Deadline = startDeadline({ idleMs, totalMs, onExpire: (error) => settle({ error }) });
      waiters.set(id, { settle, touch: deadline.touch, onEvent: options.onEvent?.bind(options) });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  function settle(id: string, outcome: { result: Result } | { error: HawserError }): boolean {
    const waiter = waiters.get(id);
    waiter?.settle(outcome);
    return waiter !== undefined;
  }

  return {
    get size() {
      return waiters.size;
    },
    wait,
    event(id, event) {
      const waiter = waiters.get(id);
      waiter?.touch();
      waiter?.onEvent?.(event);
      return waiter !== undefined;
    },
    resolve: (id, result) => settle(id, { result }),
    reject: (id, error) => settle(id, { error }),
    close(reason) {
      closedBy ??= reason;
      for (const waiter of [...waiters.values()]) waiter.settle({ error: closedBy });
    },
  };
}

function abortError(signal: AbortSignal | undefined): HawserError {
  return new HawserError("cancelled", "cancelled by the caller", { cause: signal?.reason });
}
