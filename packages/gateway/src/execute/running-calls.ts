// The calls that run now, each with its deadline, on one timer for all of them: beginning and ending a
// call costs a place in a set. The timer goes off for the earliest deadline and keeps no process alive
// by itself once nothing runs. A process that was stopped or busy does not blame its peer: before a
// call expires, what has already arrived for it is let in.

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

// Node turns a longer delay into one millisecond.
const maxDelayMs = 2_147_483_647;

export function createRunningCalls(): RunningCalls {
  // Not a Set: with many entries that come and go, V8 keeps ended calls alive through its outgrown tables until a full collection.
  const calls: RunningCall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let goesOffAt = Infinity;

  function arm(at: number): void {
    clearTimeout(timer);
    goesOffAt = at;
    timer = setTimeout(look, Math.min(Math.max(Math.ceil(at - performance.now()), 1), maxDelayMs));
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
