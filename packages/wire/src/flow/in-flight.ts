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
  /** The latest of each id; it leads to the others. */
  const flights = new Map<string, TableFlight>();
  let size = 0;
  let waiters: (() => void)[] = [];

  function leave(flight: TableFlight): void {
    const { id, older, newer } = flight;
    if (older) older.newer = newer;
    if (newer) newer.older = older;
    else if (older) flights.set(id, older);
    else flights.delete(id);
    // One that is kept for a while keeps no other.
    flight.older = undefined;
    flight.newer = undefined;
    size--;
    if (size > 0) return;
    for (const wake of waiters) wake();
    waiters = [];
  }

  function begin(id: string): Flight<unknown> {
    const flight = new TableFlight(id, createController(), leave);
    const older = flights.get(id);
    if (older) older.newer = flight;
    flight.older = older;
    flights.set(id, flight);
    size++;
    return flight;
  }

  /** In the order in which they began. */
  function flightsOf(id: string): TableFlight[] {
    const found: TableFlight[] = [];
    for (let flight = flights.get(id); flight; flight = flight.older) found.push(flight);
    return found.toReversed();
  }

  return {
    get size() {
      return size;
    },
    has: (id) => flights.has(id),
    begin,
    cancel(id, reason) {
      const matches = flightsOf(id);
      for (const { controller } of matches) controller.abort(reason);
      return matches.length;
    },
    cancelAll(reason) {
      for (const { controller } of [...flights.keys()].flatMap(flightsOf)) controller.abort(reason);
    },
    whenEmpty() {
      if (size === 0) return Promise.resolve();
      return new Promise((resolve) => waiters.push(resolve));
    },
  };
}

// A class, since each of many thousand requests has one, and linked: most ids have one flight, and a Set for each would cost as much as all the rest.
class TableFlight implements Flight<unknown> {
  older: TableFlight | undefined;
  newer: TableFlight | undefined;
  readonly signal: unknown;
  readonly id: string;
  readonly controller: CancelController<unknown>;
  private leave: ((flight: TableFlight) => void) | undefined;

  constructor(id: string, controller: CancelController<unknown>, leave: (flight: TableFlight) => void) {
    this.id = id;
    this.controller = controller;
    this.signal = controller.signal;
    this.leave = leave;
  }

  finish(): boolean {
    const { leave } = this;
    this.leave = undefined;
    leave?.(this);
    return leave !== undefined;
  }
}
