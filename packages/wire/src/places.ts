// A fixed number of places. Who finds none free waits in the order of arrival; who is cancelled
// while waiting gives up the turn. When it is closed, those who wait and those who come are refused.

export interface Places {
  /** Rejects with the signal's reason, or the one of `close`; then no place was taken. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
  close(reason: Error): void;
}

interface Waiter {
  admit(): void;
  refuse(reason: Error): void;
}

export function createPlaces(count: number): Places {
  const waiting = new Set<Waiter>();
  let free = count;
  let closedBy: Error | undefined;

  function queue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => waiter.refuse(signal.reason as Error);
      const leaveQueue = (): void => {
        waiting.delete(waiter);
        signal.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        admit() {
          leaveQueue();
          resolve();
        },
        refuse(reason) {
          leaveQueue();
          reject(reason);
        },
      };
      signal.addEventListener("abort", onAbort);
      waiting.add(waiter);
    });
  }

  return {
    enter(signal) {
      if (closedBy) return Promise.reject(closedBy);
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (free === 0) return queue(signal);
      free--;
      return Promise.resolve();
    },
    leave() {
      const [next] = waiting;
      // The place goes from hand to hand: nobody who comes now can get in between.
      if (next) next.admit();
      else free++;
    },
    close(reason) {
      closedBy ??= reason;
      for (const waiter of [...waiting]) waiter.refuse(closedBy);
    },
  };
}
