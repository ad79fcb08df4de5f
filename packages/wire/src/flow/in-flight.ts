// The server's side of "every request ends exactly once". A flight is one accepted request: it has a signal that tells its handler
// to stop, and `finish`, which is true for the first caller only: that one writes the final answer.

import type { CancelController } from "./cancel.ts";
import type { HawserError } from "@hawser/protocol";

export interface Flight<Signal = AbortSignal> {
  readonly signal: Signal;
  /** True once: the caller may write the final answer. */
  finish(): boolean;
}

export interface InFlightTable<Signal = AbortSignal> {
  readonly size: number;
  has(id: string): boolean;
  begin(id: string): Flight<Signal>;
  /** Aborts every flight of this id; returns how many there were. */
  cancel(id: string, reason: HawserError): number;
  cancelAll(reason: HawserError): void;
  /** Resolves when nothing is in flight. */
  whenEmpty(): Promise<void>;
}

/** With real AbortSignals unless the controllers are given. */
export function createInFlightTable(): InFlightTable;
export function createInFlightTable<Signal>(createController: () => CancelController<Signal>): InFlightTable<Signal>;
export function createInFlightTable(
  createController: () => CancelController<unknown> = () => new AbortController(),
): InFlightTable<unknown> {
  const flights = new Map<string, Set<CancelController<unknown>>>();
  let size = 0;
  let waiters: (() => void)[] = [];

  function begin(id: string): Flight<unknown> {
    const controller = createController();
    const sameId = flights.get(id) ?? new Set();
    flights.set(id, sameId.add(controller));
    size++;
    return {
      signal: controller.signal,
      finish() {
        if (!sameId.delete(controller)) return false;
        if (sameId.size === 0 && flights.get(id) === sameId) flights.delete(id);
        size--;
        if (size === 0) {
          for (const wake of waiters) wake();
          waiters = [];
        }
        return true;
      },
    };
  }

  return {
    get size() {
      return size;
    },
    has: (id) => flights.has(id),
    begin,
    cancel(id, reason) {
      const matches = [...(flights.get(id) ?? [])];
      for (const controller of matches) controller.abort(reason);
      return matches.length;
    },
    cancelAll(reason) {
      for (const sameId of [...flights.values()]) for (const controller of [...sameId]) controller.abort(reason);
    },
    whenEmpty() {
      if (size === 0) return Promise.resolve();
      return new Promise((resolve) => waiters.push(resolve));
    },
  };
}
