// The requests of one host that have no end yet. Each of them ends once: with what a runtime says, or, where its runtime is gone and it
// can't be asked again, with an error. A turn that only is followed ends too, when its machine has died.

import { HawserError, toHawserError } from "@hawser/protocol";
import { fleetLimits } from "../limits.ts";
import type { AskRuntimes } from "./ask-runtimes.ts";
import { gone } from "./bus-line.ts";

export interface HostRequest {
  /** On the bus. */
  readonly id: string;
  readonly conversationId: string | undefined;
  /** Empty for a turn of another host, which is only followed. */
  readonly text: string;
  readonly mayRepeat: boolean;
  readonly isTurn: boolean;
}

interface Open extends HostRequest {
  /** The runtime that has taken it. */
  runtime: string | undefined;
  heardAt: number;
  /** Lines of its answer that have come. */
  lines: number;
  /** How often in a row its runtime was not seen. */
  missed: number;
  readonly over: AbortController;
}

export interface HostRequestsOptions {
  readonly ask: AskRuntimes;
  /** The end of a request that no runtime will give. */
  onFailed(id: string, error: unknown): void;
}

export function createHostRequests({ ask, onFailed }: HostRequestsOptions) {
  const open = new Map<string, Open>();
  const whenEmpty: (() => void)[] = [];

  /** Turns of other hosts need not be waited for. */
  const isIdle = (): boolean => [...open.values()].every(({ text }) => text === "");

  function close(id: string): boolean {
    open.get(id)?.over.abort();
    const was = open.delete(id);
    if (isIdle()) for (const wake of whenEmpty.splice(0)) wake();
    return was;
  }

  function fail(id: string, error: unknown): void {
    if (close(id)) onFailed(id, error);
  }

  async function deliver(request: Open): Promise<void> {
    const { id, text, conversationId, mayRepeat, isTurn } = request;
    [request.runtime, request.lines] = [undefined, 0];
    try {
      const turn = isTurn && text === "" ? { turn: id } : {};
      request.runtime = await ask.deliver({ text, conversationId, mayRepeat, ...turn, signal: request.over.signal });
      request.heardAt = performance.now();
      request.missed = 0;
    } catch (error) {
      fail(id, toHawserError(error, "connection_lost"));
    }
  }

  /** Asks again, where that may be done. */
  function retry(request: Open): void {
    if (request.mayRepeat) void deliver(request);
    else fail(request.id, gone());
  }

  async function look(request: Open): Promise<void> {
    const { runtime, conversationId } = request;
    if (runtime === undefined) return;
    if (performance.now() - request.heardAt > fleetLimits.fleetQuietMs) return retry(request);
    const isThere = conversationId === undefined ? await ask.isThere(runtime) : (await ask.ownerOf(conversationId)) === runtime;
    if (open.get(request.id) !== request || request.runtime !== runtime) return;
    request.missed = isThere ? 0 : request.missed + 1;
    // Twice in a row: a lease that was just taken may not be seen by every server.
    if (request.missed > 1) retry(request);
  }

  const timer = setInterval(() => {
    for (const request of open.values()) void look(request);
  }, fleetLimits.fleetLookMs);
  timer.unref();

  return {
    get size(): number {
      return open.size;
    },
    has: (id: string): boolean => open.has(id),
    begin(request: HostRequest): void {
      const entry: Open = { ...request, runtime: undefined, heardAt: performance.now(), lines: 0, missed: 0, over: new AbortController() };
      open.set(request.id, entry);
      void deliver(entry);
    },
    /** Something was heard of it. */
    touch(id: string): void {
      const request = open.get(id);
      if (request) request.heardAt = performance.now();
    },
    /** A line of its answer has come; false where one before it was lost, and it has ended with that. */
    isNext(id: string, line: number): boolean {
      const request = open.get(id);
      if (!request) return false;
      request.lines += 1;
      if (request.lines === line) return true;
      fail(id, new HawserError("connection_lost", "a part of the answer was lost on its way; ask again"));
      return false;
    },
    /** It has ended; whether it was open. */
    close,
    whenEmpty: (): Promise<void> => (isIdle() ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
    failAll(error: unknown): void {
      for (const id of open.keys()) fail(id, error);
    },
    stop(): void {
      clearInterval(timer);
    },
  };
}
