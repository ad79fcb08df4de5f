// The responses of one request on their way to the program that asked: every one once, in order, then the
// end or the error. It counts what has not been taken, and says when something is.

import type { HawserError } from "@hawser/wire";

export interface EventQueue<Event> {
  readonly iterator: AsyncIterator<Event, undefined>;
  /** What was put and not taken. */
  readonly unread: number;
  readonly unreadChars: number;
  put(event: Event, chars: number): void;
  end(): void;
  /** What is unread is still delivered before the error, unless it is to be dropped. */
  fail(error: HawserError, dropsUnread?: boolean): void;
}

export interface EventQueueOptions {
  /** Something was taken. */
  onRead(): void;
  /** The program stopped before the end: `break`, `return`, an error of its own. */
  onReturn(): void;
}

interface Waiter<Event> {
  resolve(result: IteratorResult<Event, undefined>): void;
  reject(error: HawserError): void;
}

// What an event costs besides its text.
const eventChars = 64;

const dropFrom = 256;

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function createEventQueue<Event>(options: EventQueueOptions): EventQueue<Event> {
  let items: { event: Event; chars: number }[] = [];
  let next = 0;
  let unreadChars = 0;
  let isEnded = false;
  let failure: HawserError | undefined;
  const waiters: Waiter<Event>[] = [];

  function take(): Event | undefined {
    const item = items[next];
    if (!item) return undefined;
    next += 1;
    unreadChars -= item.chars;
    // The places of taken events are given up together, not one by one.
    if (next === items.length || next >= dropFrom) {
      items.splice(0, next);
      next = 0;
    }
    return item.event;
  }

  function dropUnread(): void {
    items = [];
    next = 0;
    unreadChars = 0;
  }

  // Everybody who waits is told; the error goes to the first of them only.
  function settleWaiters(): void {
    for (const waiter of waiters.splice(0)) {
      const error = failure;
      failure = undefined;
      if (error) waiter.reject(error);
      else waiter.resolve(done);
    }
  }

  function read(): Promise<IteratorResult<Event, undefined>> {
    const event = take();
    if (event !== undefined) {
      options.onRead();
      return Promise.resolve({ done: false, value: event });
    }
    return new Promise((resolve, reject) => {
      waiters.push({ resolve, reject });
      if (isEnded) settleWaiters();
    });
  }

  return {
    iterator: {
      next: read,
      return() {
        const isEarly = !isEnded;
        isEnded = true;
        failure = undefined;
        dropUnread();
        settleWaiters();
        if (isEarly) options.onReturn();
        return Promise.resolve(done);
      },
    },
    get unread() {
      return items.length - next;
    },
    get unreadChars() {
      return unreadChars;
    },
    put(event, chars) {
      if (isEnded) return;
      const waiter = waiters.shift();
      if (waiter) return waiter.resolve({ done: false, value: event });
      items.push({ event, chars: chars + eventChars });
      unreadChars += chars + eventChars;
    },
    end() {
      isEnded = true;
      settleWaiters();
    },
    fail(error, dropsUnread = false) {
      if (isEnded) return;
      isEnded = true;
      failure = error;
      if (dropsUnread) dropUnread();
      settleWaiters();
    },
  };
}
