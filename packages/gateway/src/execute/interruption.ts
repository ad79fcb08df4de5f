// What ends a call from outside: its deadline, or a caller that cancels it; the first of both counts. The deadlines of all
// running calls share one timer, which keeps no process alive once nothing runs. A process that was stopped or busy does
// not blame its peer: before a call expires, what has already arrived for it is let in.

import { HawserError } from "@hawser/protocol";
import type { CancelSignal } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";

export interface Interruptible {
  interrupt(reason: HawserError): void;
}

export interface Interruption extends RunningCall {
  /** Why the call is over early; undefined while it is not. */
  reason: HawserError | undefined;
  remainingMs(): number;
  /** Who is told; replaces the one before. Told at once if it already happened. */
  attach(told: Interruptible | undefined): void;
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
  return new CallInterruption(timeoutMs, spentMs, signal, running);
}

// A class, and without a getter, since each call has one: V8 makes each object with a getter a type of its own, slowly, and keeps what it refers to.
class CallInterruption implements Interruption {
  place = -1;
  endsAt: number;
  reason: HawserError | undefined;
  private isOver = false;
  private told: Interruptible | undefined;
  private readonly timeoutMs: number;
  private readonly running: RunningCalls;
  private readonly signal: CancelSignal | undefined;
  private readonly onAbort = (): void => this.cancel();

  constructor(timeoutMs: number, spentMs: number, signal: CancelSignal | undefined, running: RunningCalls) {
    this.timeoutMs = timeoutMs;
    this.running = running;
    this.signal = signal;
    this.endsAt = performance.now() + Math.max(1, timeoutMs - spentMs);
    running.add(this);
    if (signal?.aborted) this.cancel();
    else signal?.addEventListener("abort", this.onAbort, { once: true });
  }

  expire(): void {
    this.interrupt(new HawserError("timeout", `network timeout: no end within ${this.timeoutMs} ms`));
  }

  cancel(): void {
    this.interrupt(new HawserError("cancelled", "cancelled"));
  }

  remainingMs(): number {
    return this.endsAt - performance.now();
  }

  attach(told: Interruptible | undefined): void {
    this.told = told;
    if (this.reason) told?.interrupt(this.reason);
  }

  hold(): () => void {
    const { endsAt } = this;
    const since = performance.now();
    this.endAt(Infinity);
    return () => this.endAt(endsAt + performance.now() - since);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.attach({
        interrupt(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  end(): void {
    this.isOver = true;
    this.running.delete(this);
    this.signal?.removeEventListener("abort", this.onAbort);
  }

  private interrupt(error: HawserError): void {
    if (this.reason) return;
    this.reason = error;
    this.end();
    this.told?.interrupt(error);
  }

  private endAt(ms: number): void {
    if (this.isOver) return;
    this.running.delete(this);
    this.endsAt = ms;
    this.running.add(this);
  }
}

export interface RunningCall {
  /** Where it stands in the list; only the list changes it. */
  place: number;
  /** By `performance.now()`; changed only while it is not in the list. */
  endsAt: number;
  /** It is past its deadline. */
  expire(): void;
  cancel(): void;
}

export interface RunningCalls {
  add(call: RunningCall): void;
  delete(call: RunningCall): void;
  cancelAll(): void;
}

export function createRunningCalls(): RunningCalls {
  // Not a Set: with many entries that come and go, V8 keeps ended calls alive through its outgrown tables until a full collection.
  const calls: RunningCall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let goesOffAt = Infinity;

  function arm(at: number): void {
    clearTimeout(timer);
    goesOffAt = at;
    // Node turns a longer delay into one millisecond.
    timer = setTimeout(look, Math.min(Math.max(Math.ceil(at - performance.now()), 1), gatewayLimits.maxDurationMs));
  }

  // Timers run before input is read: one more turn of the loop lets in what is already there.
  function look(): void {
    if (overdue().length > 0) timer = setTimeout(expireOverdue, 0);
    else armForNext();
  }

  function expireOverdue(): void {
    for (const call of overdue()) call.expire();
    armForNext();
  }

  /** In the order of their deadlines, however late it is. */
  function overdue(): RunningCall[] {
    const now = performance.now();
    return calls.filter(({ endsAt }) => endsAt <= now).sort((one, other) => one.endsAt - other.endsAt);
  }

  function armForNext(): void {
    timer = undefined;
    goesOffAt = Infinity;
    for (const { endsAt } of calls) goesOffAt = Math.min(goesOffAt, endsAt);
    if (calls.length > 0) arm(goesOffAt);
  }

  return {
    add(call) {
      call.place = calls.push(call) - 1;
      if (call.endsAt < goesOffAt) arm(call.endsAt);
      else if (calls.length === 1) timer?.ref();
    },
    delete(call) {
      if (calls[call.place] !== call) return;
      const last = calls.pop() as RunningCall;
      if (last !== call) {
        calls[call.place] = last;
        last.place = call.place;
      }
      if (calls.length === 0) timer?.unref();
    },
    cancelAll() {
      for (const call of [...calls]) call.cancel();
    },
  };
}
